//! An agent that runs, bare or behind a proxy.

use std::fs::File;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const RECORDER: &str = env!("CARGO_BIN_EXE_cassette");

/// What stands between client and agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    Nothing,
    Threads,
    Tasks,
    /// Recorded as an agent of this provider.
    Recorder(&'static str),
}

impl Between {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Nothing => "bare".to_owned(),
            Self::Threads => "threads".to_owned(),
            Self::Tasks => "tokio".to_owned(),
            Self::Recorder(provider) => format!("record {provider}"),
        }
    }
}

/// A process and its two pipes. What it says on standard error is in the file `stderr`.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) child: Child,
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
}

/// Starts an agent; a cassette is in the directory as `tape`, which must not be there.
pub(crate) fn launch(between: Between, agent: &[&str], directory: &Path) -> Launched {
    let this = std::env::current_exe().unwrap();
    let mut command = match between {
        Between::Nothing => Command::new(&this),
        Between::Threads => proxy("threads", &this),
        Between::Tasks => proxy("tokio", &this),
        Between::Recorder(provider) => recorder(provider, &this),
    };
    let mut child = command
        .arg("agent")
        .args(agent)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(File::create(directory.join("stderr")).unwrap())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    let output = child.stdout.take().unwrap();
    Launched {
        child,
        input,
        output,
    }
}

fn proxy(name: &str, this: &Path) -> Command {
    let mut command = Command::new(this);
    command.args(["proxy", name]).arg(this);
    command
}

fn recorder(provider: &str, this: &Path) -> Command {
    let mut command = Command::new(RECORDER);
    command.args(["record", "-o", "tape", "--provider", provider, "--"]);
    command.arg(this).env("HOME", "/home/ada");
    for (name, value) in ["A", "B", "C", "D", "E"].into_iter().zip(1..) {
        command.env(
            format!("{name}_API_KEY"),
            format!("sk-{value}f9a7b3c1d5e8f0a2b4c6d8e0f1a3b5c7"),
        );
    }
    command
}
