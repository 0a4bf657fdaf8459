//! A client talks to a real agent, which is recorded, and to the cassette in its place.

use std::ffi::OsString;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::cassette::{COMMAND, REPORT, Shelf};
use crate::packages::tell;
use crate::place::Place;
use crate::told::assert_same;

/// What every user has: no proxy of the machine's, and one for other machines that lets nothing
/// out.
const VARIABLES: [(&str, &str); 7] = [
    ("LANG", "C.UTF-8"),
    ("TERM", "dumb"),
    ("TZ", "UTC"),
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("https_proxy", "http://127.0.0.1:9"),
    ("NO_PROXY", "127.0.0.1,localhost"),
    ("no_proxy", "127.0.0.1,localhost"),
];

/// An agent, and how a user runs it.
pub(crate) struct Agent {
    pub(crate) name: String,
    pub(crate) command: Vec<OsString>,
    pub(crate) settle: Settle,
}

/// Writes what an agent reads at its start, and gives its variables.
pub(crate) type Settle = Box<dyn Fn(&Place) -> Vec<Variable>>;

/// A name and a value.
type Variable = (&'static str, OsString);

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    TheSame,
    SomethingElse,
}

/// How the message that asks for something else is told from the recorded one.
pub(crate) struct Change {
    pub(crate) method: &'static str,
    pub(crate) place: &'static str,
}

/// A client: it starts `command`, which stands where that of an agent would.
pub(crate) trait Client {
    fn talk(&self, command: Command, place: &Place, asks: Asks) -> Told;
}

/// What a client was told, and how that ended.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) messages: Vec<Value>,
    /// Not every client says.
    pub(crate) exit_code: Option<i32>,
    pub(crate) errors: String,
}

/// The directories of all users, and the cassette.
pub(crate) struct Studio {
    agent: Agent,
    scratch: TempDir,
}

impl Studio {
    pub(crate) fn new(agent: Agent) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        Self { agent, scratch }
    }

    /// Records what the agent says to a first user; the cassette says the same to a second, and
    /// notices that a third asks for something else. Gives the cassette.
    pub(crate) fn record_and_play(&self, client: &dyn Client, change: &Change) -> Shelf {
        let root = self.scratch.path();
        let shelf = Shelf::new(&root.join("shelf"));
        let record = |place: &Place| self.record(&shelf, place);
        let replay = |place: &Place, options: &[&str]| self.replay(&shelf, place, options);

        let first = Place::new(root, "first-user", "project");
        let (recorded, recording) = timed(|| client.talk(record(&first), &first, Asks::TheSame));
        let report = shelf.report(&first);
        assert_eq!(
            report["verdict"], "recorded",
            "{report}\n{}",
            recorded.errors
        );
        let exit_code = recorded.ended_as(&report);
        shelf.check();

        let second = Place::new(root, "second-user", "elsewhere/and further");
        let (played, playing) = timed(|| client.talk(replay(&second, &[]), &second, Asks::TheSame));
        let report = shelf.report(&second);
        assert_eq!(report["verdict"], "played", "{report}\n{}", played.errors);
        assert_eq!(played.ended_as(&report), exit_code);
        assert_same(&recorded.messages, &played.messages);

        let third = Place::new(root, "third-user", "p");
        let command = replay(&third, &["--fast-forward"]);
        let refused = client.talk(command, &third, Asks::SomethingElse);
        let report = shelf.report(&third);
        assert_eq!(
            report["verdict"], "mismatch",
            "{report}\n{}",
            refused.errors
        );
        assert_eq!(refused.ended_as(&report), 120);
        change.assert_named(&report);

        let [said, heard] = shelf.counts();
        tell(&format!(
            "{}: {said} messages said, {heard} heard, exit code {exit_code}; recorded in {recording:.1?}, played in {playing:.1?}",
            self.agent.name,
        ));
        shelf
    }

    fn record(&self, shelf: &Shelf, place: &Place) -> Command {
        let mut command = self.command(shelf, place);
        command.args(["record", "-o"]).arg(shelf.cassette());
        command.arg("--").args(&self.agent.command);
        command
    }

    fn replay(&self, shelf: &Shelf, place: &Place, options: &[&str]) -> Command {
        let mut command = self.command(shelf, place);
        command.arg("replay").args(options).arg(shelf.cassette());
        command.args(&self.agent.command[1..]);
        command
    }

    fn command(&self, shelf: &Shelf, place: &Place) -> Command {
        let mut command = Command::new(COMMAND);
        command.current_dir(&place.directory).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.envs(VARIABLES).env("HOME", &place.home);
        command.envs((self.agent.settle)(place));
        command.env(REPORT, shelf.report_file(place));
        command
    }
}

impl Told {
    /// The exit code that the command reports, which is the one that the client saw.
    fn ended_as(&self, report: &Value) -> i64 {
        let reported = report["exitCode"].as_i64().unwrap();
        let seen = self.exit_code.map_or(reported, i64::from);
        assert_eq!(seen, reported, "{report}\n{}", self.errors);
        reported
    }
}

impl Change {
    fn assert_named(&self, report: &Value) {
        let expected = report["mismatch"]["expected"].as_str().unwrap_or_default();
        let error = report["error"].as_str().unwrap_or_default();
        assert!(expected.contains(self.method), "{report:#}");
        assert!(error.contains(self.place), "{report:#}");
    }
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    (run(), began.elapsed())
}
