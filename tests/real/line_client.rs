//! A client that follows a script: it writes a JSON object a line, reads those of the agent, and
//! keeps what it was told.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::place::Place;
use crate::studio::{Asks, Client, Told};

/// Ends what never ends by itself.
const LIMIT: Duration = Duration::from_secs(90);

/// What a client says, given what it asks for.
pub(crate) struct Script {
    pub(crate) follow: Follow,
    pub(crate) prompt: &'static str,
    pub(crate) other_prompt: &'static str,
}

/// Says it all, or as much as is listened to.
pub(crate) type Follow = fn(&mut LineClient, prompt: &str) -> Result<(), Closed>;

/// One conversation with a process.
pub(crate) struct LineClient {
    pub(crate) place: Place,
    process: Process,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: JoinHandle<String>,
    /// What the agent said, in order.
    told: Vec<Value>,
    /// How many ids were given.
    ids: usize,
}

/// A process that does not outlive a test.
struct Process(Child);

/// Why a conversation does not go on: the process has closed its output.
#[derive(Debug)]
pub(crate) struct Closed;

impl Client for Script {
    fn talk(&self, command: Command, place: &Place, asks: Asks) -> Told {
        let mut client = LineClient::start(command, place);
        let prompt = match asks {
            Asks::TheSame => self.prompt,
            Asks::SomethingElse => self.other_prompt,
        };
        // Where the process is gone, that is seen in how it ended.
        let _closed = (self.follow)(&mut client, prompt);
        client.end()
    }
}

impl LineClient {
    /// Starts the process and reads along.
    fn start(mut command: Command, place: &Place) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let (hand_over, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if hand_over.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            errors.read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self {
            place: place.clone(),
            input: child.stdin.take(),
            process: Process(child),
            lines,
            errors,
            told: Vec::new(),
            ids: 0,
        }
    }

    /// A text that this user has never used before and no other one has.
    pub(crate) fn new_id(&mut self) -> String {
        self.ids += 1;
        format!("{}-{}", self.place.user, self.ids)
    }

    pub(crate) fn say(&mut self, message: &Value) -> Result<(), Closed> {
        let line = format!("{message}\n");
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).map_err(|_| Closed)?;
        Ok(())
    }

    /// The next message of the agent that `is_it` says yes to; those before it are answered by
    /// `answer` where they ask for something.
    pub(crate) fn until(
        &mut self,
        answer: &dyn Fn(&Value) -> Option<Value>,
        is_it: &dyn Fn(&Value) -> bool,
    ) -> Result<Value, Closed> {
        loop {
            let message = self.hear()?;
            if let Some(answer) = answer(&message) {
                self.say(&answer)?;
            }
            if is_it(&message) {
                return Ok(message);
            }
        }
    }

    /// Sends a JSON-RPC request and gives its answer.
    pub(crate) fn request(
        &mut self,
        method: &str,
        params: &Value,
        answer: &dyn Fn(&Value) -> Option<Value>,
    ) -> Result<Value, Closed> {
        let id = self.new_id();
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        self.until(answer, &|message| {
            message["id"] == *id && message.get("method").is_none()
        })
    }

    fn hear(&mut self) -> Result<Value, Closed> {
        let line = match self.lines.recv_timeout(LIMIT) {
            Ok(line) => line,
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return Err(Closed),
            Err(error) => panic!("{error}, after {:#?}", self.told),
        };
        let message: Value = serde_json::from_str(&line).unwrap();
        self.told.push(message.clone());
        Ok(message)
    }

    /// Asks an agent to end that outlives its input.
    pub(crate) fn terminate(&self) {
        self.process.terminate();
    }

    /// Ends the input, hears the agent out and waits for its end.
    fn end(mut self) -> Told {
        self.input = None;
        while self.hear().is_ok() {}
        let status = self.process.0.wait().unwrap();
        Told {
            messages: self.place.anywhere(&self.told),
            exit_code: status.code(),
            errors: self.errors.join().unwrap(),
        }
    }
}

impl Process {
    fn terminate(&self) {
        let pid = self.0.id().to_string();
        // Nobody to ask is as good.
        let _asked = Command::new("kill").args(["-TERM", &pid]).status();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            self.terminate();
            let _status = self.0.wait();
        }
    }
}
