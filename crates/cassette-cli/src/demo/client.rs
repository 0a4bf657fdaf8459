//! The client: starts what stands where the agent's command stands, asks and listens.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// How long the client listens before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it looks whether a process has ended that no longer speaks.
const GLANCE: Duration = Duration::from_millis(2);

/// What the client's requests have for ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ids {
    /// `1`, `2` …
    Numbers,
    /// `"ask-1"`, `"ask-2"` …
    Texts,
}

/// A client and the process that it talks to, which does not outlive it.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    complaints: Option<JoinHandle<String>>,
    ids: Ids,
    asked: u64,
    heard: Vec<Vec<u8>>,
}

/// How the process has ended.
pub(super) struct Ended {
    /// Its exit code; none if a signal ended it.
    pub(super) code: Option<i32>,
    /// What it wrote to standard error.
    pub(super) complaints: String,
    /// The lines of its standard output.
    pub(super) heard: Vec<Vec<u8>>,
}

impl Client {
    /// Starts the command.
    pub(super) fn start(command: &mut Command, ids: Ids) -> anyhow::Result<Self> {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::piped()).spawn()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(complaints)) = streams else {
            bail!("the process has no pipes");
        };
        Ok(Self {
            child,
            input: Some(input),
            lines: lines_of(output),
            complaints: Some(thread::spawn(move || text_of(complaints))),
            ids,
            asked: 0,
            heard: Vec::new(),
        })
    }

    /// Asks, and gives the result. What is heard meanwhile is handled.
    pub(super) fn ask(&mut self, method: &str, parameters: &Value) -> anyhow::Result<Value> {
        self.asked += 1;
        let id = match self.ids {
            Ids::Numbers => json!(self.asked),
            Ids::Texts => json!(format!("ask-{}", self.asked)),
        };
        self.say(&json!({ "id": id, "method": method, "params": parameters }))?;
        let is_answer = |message: &Value| message["method"].is_null() && message["id"] == id;
        let mut answer = self
            .listen_for(is_answer)
            .with_context(|| method.to_owned())?;
        Ok(answer["result"].take())
    }

    /// Asks without counting the answer to what was heard.
    pub(super) fn probe(&mut self, method: &str, parameters: &Value) -> anyhow::Result<()> {
        self.ask(method, parameters)?;
        self.heard.pop();
        Ok(())
    }

    /// Tells something that is not answered.
    pub(super) fn tell(&mut self, method: &str) -> anyhow::Result<()> {
        self.say(&json!({ "method": method }))
    }

    /// Lets the agent do what it asks for.
    pub(super) fn accept(&mut self, request: &Value) -> anyhow::Result<()> {
        self.say(&json!({ "id": request["id"], "result": { "decision": "accept" } }))
    }

    /// Listens until it hears of this method.
    pub(super) fn listen_for_method(&mut self, method: &str) -> anyhow::Result<Value> {
        let heard = self.listen_for(|message| message["method"] == method);
        heard.with_context(|| method.to_owned())
    }

    /// Listens until the process has nothing more to say.
    pub(super) fn listen_to_the_end(&mut self) -> anyhow::Result<()> {
        while self.hear()?.is_some() {}
        Ok(())
    }

    /// Kills the process without a warning.
    pub(super) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        Ok(())
    }

    /// Ends the process's input, and waits for its end.
    pub(super) fn finish(mut self) -> anyhow::Result<Ended> {
        self.input = None;
        self.listen_to_the_end()?;
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if began.elapsed() > PATIENCE {
                bail!("the process does not end");
            }
            thread::sleep(GLANCE);
        };
        let complaints = self.complaints.take();
        let complaints = complaints.and_then(|complaints| complaints.join().ok());
        Ok(Ended {
            code: status.code(),
            complaints: complaints.unwrap_or_default(),
            heard: std::mem::take(&mut self.heard),
        })
    }

    fn listen_for(&mut self, is_it: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        while let Some(message) = self.hear()? {
            if is_it(&message) {
                return Ok(message);
            }
        }
        bail!("the agent has ended before that")
    }

    /// The next message, null if it is none; `None` when the process has closed its output.
    fn hear(&mut self) -> anyhow::Result<Option<Value>> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                let message = serde_json::from_slice(&line).unwrap_or_default();
                self.heard.push(line);
                Ok(Some(message))
            }
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => bail!("nothing was heard for {PATIENCE:?}"),
        }
    }

    fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        if let Some(input) = &mut self.input {
            // Whoever no longer listens says why.
            let _unheard = input.write_all(format!("{message}\n").as_bytes());
        }
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // One that has ended is not killed; after a kill the wait is short.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn lines_of(output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (hand_over, handed) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        loop {
            let mut line = Vec::new();
            match output.read_until(b'\n', &mut line) {
                Ok(1..) if hand_over.send(line).is_ok() => {}
                _ => return,
            }
        }
    });
    handed
}

fn text_of(mut stream: impl Read) -> String {
    let mut bytes = Vec::new();
    // What came before an error is as good.
    let _broken = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}
