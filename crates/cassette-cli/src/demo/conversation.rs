//! What the client and the agent talk about, and how what was heard compares.

use std::path::Path;

use serde_json::{Value, json};

use super::agent::{CRASHING_TASK, TELLING_TASK};
use super::client::{Client, Ended};

/// What the client has the agent do first.
pub(super) const TASK: &str = "Take a note";
/// What the agent asks before it writes.
pub(super) const APPROVAL: &str = "item/fileChange/requestApproval";
/// The request that may be left out on replay.
pub(super) const PROBE: &str = "thread/goal/get";

/// Whether the client makes the request that may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Probing {
    Done,
    LeftOut,
}

/// A thread of the client in a directory.
pub(super) struct Thread<'c> {
    client: &'c mut Client,
    id: Value,
}

impl<'c> Thread<'c> {
    /// Says hello and begins a thread.
    pub(super) fn begin(client: &'c mut Client, directory: &Path) -> anyhow::Result<Self> {
        let name = json!({ "name": "demo-client", "version": env!("CARGO_PKG_VERSION") });
        client.ask("initialize", &json!({ "clientInfo": name }))?;
        client.tell("initialized")?;
        let mut begun = client.ask(
            "thread/start",
            &json!({ "cwd": directory.to_string_lossy() }),
        )?;
        let id = begun["thread"]["id"].take();
        Ok(Self { client, id })
    }

    /// Everything: perhaps the probe, a task with an approval, and one that ends the agent.
    pub(super) fn whole(&mut self, task: &str, probing: Probing) -> anyhow::Result<()> {
        if probing == Probing::Done {
            self.client.probe(PROBE, &json!({ "threadId": self.id }))?;
        }
        self.begin_turn(task)?;
        let request = self.client.listen_for_method(APPROVAL)?;
        self.client.accept(&request)?;
        self.client.listen_for_method("turn/completed")?;
        self.begin_turn(CRASHING_TASK)?;
        self.client.listen_to_the_end()
    }

    /// A task that the agent is not let do.
    pub(super) fn up_to_the_approval(&mut self) -> anyhow::Result<()> {
        self.begin_turn(TASK)?;
        self.client.listen_for_method(APPROVAL)?;
        Ok(())
    }

    /// Has the agent tell its key.
    pub(super) fn about_the_key(&mut self) -> anyhow::Result<()> {
        self.begin_turn(TELLING_TASK)?;
        self.client.listen_for_method("turn/completed")?;
        Ok(())
    }

    fn begin_turn(&mut self, task: &str) -> anyhow::Result<()> {
        let input = json!([{ "type": "text", "text": task }]);
        let parameters = json!({ "threadId": self.id, "input": input });
        self.client.ask("turn/start", &parameters)?;
        Ok(())
    }
}

/// What was heard, but for the ids of the client's own requests and its directory.
pub(super) fn essence(ended: &Ended, directory: &Path) -> Vec<String> {
    let directory = json!(directory.to_string_lossy()).to_string();
    let directory = directory.trim_matches('"');
    let lines = ended.heard.iter().map(|line| {
        let text = match serde_json::from_slice::<Value>(line) {
            Ok(mut message) => {
                if message["method"].is_null() {
                    message["id"].take();
                }
                message.to_string()
            }
            Err(_) => String::from_utf8_lossy(line).into_owned(),
        };
        text.replace(directory, ".")
    });
    lines.collect()
}
