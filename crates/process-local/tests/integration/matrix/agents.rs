//! The agents of the matrix.

use process_local::{CloseStep, LocalOptions, OutputEnd, TreeEnd};

use crate::agent::{Heard, Watched, pattern, start_with};
use crate::matrix::row::Row;

/// Bytes that every agent writes before it does what it is there for.
pub(crate) const SAID: usize = 300_000;

/// A kind of agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// Arguments of the fake agent, after those that write [`SAID`] bytes.
    pub(crate) arguments: &'static str,
    /// The step of closing that ends it.
    pub(crate) ended_by: CloseStep,
    /// How its output ends when it is closed.
    pub(crate) output: OutputEnd,
    /// Whether a process of it is out of reach unless there is a supervisor.
    pub(crate) daemon: bool,
}

const fn kind(name: &'static str, arguments: &'static str, ended_by: CloseStep) -> Kind {
    Kind {
        name,
        arguments,
        ended_by,
        output: OutputEnd::Eof,
        daemon: false,
    }
}

/// Whose descendants keep the outputs open.
const fn holder(name: &'static str, arguments: &'static str, ended_by: CloseStep) -> Kind {
    Kind {
        output: OutputEnd::Grace,
        ..kind(name, arguments, ended_by)
    }
}

/// All kinds.
pub(crate) const KINDS: [Kind; 10] = [
    kind("ends with its input", "await-eof exit 7", CloseStep::Input),
    kind("ignores its input", "say ready sleep", CloseStep::Terminate),
    kind(
        "ignores SIGTERM",
        "ignore-term say ready sleep",
        CloseStep::Kill,
    ),
    kind("is stopped", "say ready stop", CloseStep::Kill),
    kind(
        "closed its outputs",
        "say ready close-output sleep",
        CloseStep::Terminate,
    ),
    kind("writes without end", "write-forever", CloseStep::Terminate),
    holder(
        "has its pipes held",
        "hold-pipes sleep ; await-eof exit 7",
        CloseStep::Input,
    ),
    holder(
        "has its pipes held stubbornly",
        "hold-pipes ignore-term sleep ; await-eof exit 7",
        CloseStep::Input,
    ),
    holder(
        "forks in a loop",
        "hold-pipes relay 5000 ; await-eof exit 7",
        CloseStep::Input,
    ),
    Kind {
        daemon: true,
        ..kind(
            "has a daemon",
            "daemonise sleep ; await-eof exit 7",
            CloseStep::Input,
        )
    },
];

impl Kind {
    /// Starts it and waits until it does what it is there for; gives what was heard
    /// until then, and the processes that it named.
    pub(crate) async fn start(self, options: LocalOptions) -> Row {
        let agent = start_with(&format!("burst {SAID} {}", self.arguments), options);
        Row::begin(self, agent).await
    }

    /// Whether all of the bytes were heard that it wrote for sure. Of what it writes
    /// without end, all that was heard has to be right.
    pub(crate) fn lost(self, heard: &Heard) -> usize {
        if self.arguments == "write-forever" {
            // The pattern begins anew after the burst, whose length is no multiple of it.
            let (burst, rest) = heard.stdout.split_at(SAID.min(heard.stdout.len()));
            assert!(rest == pattern(rest.len()), "a hole in what was heard");
            return SAID - burst.len();
        }
        assert!(heard.stdout[..SAID.min(heard.stdout.len())] == pattern(SAID)[..]);
        SAID.saturating_sub(heard.stdout.len())
    }

    /// Whether a line follows what every agent writes, and is it an id.
    pub(crate) fn says_id(self) -> bool {
        self.arguments.contains("hold-pipes") || self.daemon
    }

    /// Whether a process of it survives.
    pub(crate) fn has_survivor(self) -> bool {
        self.daemon && crate::TREE == TreeEnd::BestEffort
    }

    /// Whether it says a line at all.
    pub(crate) fn says_line(self) -> bool {
        self.says_id() || self.arguments.contains("say ready")
    }
}

/// The descendant that an agent named, if it still is there.
pub(crate) fn named(line: &str) -> Option<Watched> {
    Watched::try_new(line.trim().parse().unwrap())
}
