//! The command under test, and what it reports.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::place::Place;

pub(crate) const COMMAND: &str = env!("CARGO_BIN_EXE_cassette");

/// The variable that names the report.
pub(crate) const REPORT: &str = "CASSETTE_REPORT";

/// A cassette and the reports about it, in a directory of their own.
#[derive(Debug)]
pub(crate) struct Shelf {
    directory: PathBuf,
}

impl Shelf {
    pub(crate) fn new(directory: &Path) -> Self {
        std::fs::create_dir_all(directory).unwrap();
        Self {
            directory: directory.to_owned(),
        }
    }

    pub(crate) fn cassette(&self) -> PathBuf {
        self.directory.join("cassette")
    }

    /// Where the command reports what came of a user's conversation.
    pub(crate) fn report_file(&self, of: &Place) -> PathBuf {
        self.directory.join(format!("{}.json", of.user))
    }

    pub(crate) fn report(&self, of: &Place) -> Value {
        let text = std::fs::read(self.report_file(of)).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// How many messages are on the tape: of the client, of the agent.
    pub(crate) fn counts(&self) -> [u64; 2] {
        let inspected = self.ask(&["inspect", "--json"]);
        let inspected: Value = serde_json::from_str(&inspected).unwrap();
        let messages = &inspected["summary"]["messages"];
        ["outbound", "inbound"].map(|direction| messages[direction]["messages"].as_u64().unwrap())
    }

    /// Fails unless the cassette is whole and holds nothing that may not be on it.
    pub(crate) fn check(&self) {
        self.ask(&["verify"]);
        self.ask(&["audit"]);
    }

    /// Fails if a message on the tape has the text.
    pub(crate) fn lacks(&self, text: &str) {
        assert!(
            !self.ask(&["show", "--raw"]).contains(text),
            "{text} is on the tape"
        );
    }

    fn ask(&self, words: &[&str]) -> String {
        let mut command = Command::new(COMMAND);
        let output = command.args(words).arg(self.cassette()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}
