//! The agent: JSON-RPC in lines, as Codex's app-server speaks it. It asks before it
//! writes, tells its key to whoever asks, and does not survive every task.

use std::env;
use std::fs;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};

/// A task at which the agent breaks down.
pub(super) const CRASHING_TASK: &str = "Divide by zero";
/// A task that makes it tell its key.
pub(super) const TELLING_TASK: &str = "Tell me your key";
/// The variable with the key.
pub(super) const KEY: &str = "DEMO_KEY";
/// The file that it writes at any other task.
pub(super) const NOTES: &str = "notes.txt";
/// What it writes to standard error when it breaks down.
pub(super) const COMPLAINT: &str = "demo-agent: cannot go on\n";
/// How it ends when it breaks down.
pub(super) const BROKEN: u8 = 70;
/// The id of its own request.
const APPROVAL: u64 = 0;

/// Serves on this process's standard streams until its input ends.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let mut agent = Agent {
        input: io::stdin().lock(),
        output: io::stdout().lock(),
        directory: env::current_dir()?,
    };
    while let Some(message) = agent.hear()? {
        if agent.handle(&message)? == Condition::Broken {
            return Ok(ExitCode::from(BROKEN));
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Agent<I, O> {
    input: I,
    output: O,
    directory: PathBuf,
}

/// Whether the agent goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Fine,
    Broken,
}

impl<I: BufRead, O: Write> Agent<I, O> {
    fn hear(&mut self) -> anyhow::Result<Option<Value>> {
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let message = serde_json::from_str(&line).context("what was said is no JSON")?;
        Ok(Some(message))
    }

    fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        writeln!(self.output, "{message}")?;
        self.output.flush()?;
        Ok(())
    }

    fn handle(&mut self, message: &Value) -> anyhow::Result<Condition> {
        let (id, parameters) = (&message["id"], &message["params"]);
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "userAgent": "demo-agent" }),
            Some("thread/start") => {
                let id = format!("thread-{}", std::process::id());
                json!({ "thread": { "id": id, "cwd": parameters["cwd"] } })
            }
            Some("thread/goal/get") => json!({ "goal": null }),
            Some("turn/start") => {
                self.say(&json!({ "id": id, "result": { "turn": { "status": "inProgress" } } }))?;
                return self.turn(parameters["input"][0]["text"].as_str().unwrap_or_default());
            }
            _ if id.is_null() => return Ok(Condition::Fine),
            _ => {
                let error = json!({ "code": -32601, "message": "no such method" });
                self.say(&json!({ "id": id, "error": error }))?;
                return Ok(Condition::Fine);
            }
        };
        self.say(&json!({ "id": id, "result": result }))?;
        Ok(Condition::Fine)
    }

    fn turn(&mut self, task: &str) -> anyhow::Result<Condition> {
        match task {
            CRASHING_TASK => return self.break_down(),
            TELLING_TASK => {
                let key = env::var(KEY).unwrap_or_default();
                self.stream(&["It is ", &key])?;
            }
            _ => {
                self.stream(&["I shall ", "write ", NOTES])?;
                self.write_notes()?;
            }
        }
        let turn = json!({ "turn": { "status": "completed" } });
        self.say(&json!({ "method": "turn/completed", "params": turn }))?;
        Ok(Condition::Fine)
    }

    fn stream(&mut self, words: &[&str]) -> anyhow::Result<()> {
        words.iter().try_for_each(|word| {
            let delta = json!({ "delta": word });
            self.say(&json!({ "method": "item/agentMessage/delta", "params": delta }))
        })
    }

    /// Writes the file if the client lets it.
    fn write_notes(&mut self) -> anyhow::Result<()> {
        let file = self.directory.join(NOTES);
        let named = file.to_string_lossy();
        let wanted = json!({ "path": named });
        self.say(&json!({
            "id": APPROVAL, "method": "item/fileChange/requestApproval", "params": wanted
        }))?;
        while let Some(message) = self.hear()? {
            if message["id"] != APPROVAL {
                continue;
            }
            let is_accepted = message["result"]["decision"] == "accept";
            if is_accepted {
                fs::write(&file, "written by the demo's agent\n")?;
            }
            let status = if is_accepted { "completed" } else { "declined" };
            let item = json!({ "item": { "path": named, "status": status } });
            return self.say(&json!({ "method": "item/completed", "params": item }));
        }
        Ok(())
    }

    /// Ends within a message.
    #[expect(clippy::print_stderr, reason = "agents complain there")]
    fn break_down(&mut self) -> anyhow::Result<Condition> {
        write!(
            self.output,
            r#"{{"method":"item/agentMessage/delta","params":{{"delta":"The res"#
        )?;
        self.output.flush()?;
        eprint!("{COMPLAINT}");
        Ok(Condition::Broken)
    }
}
