//! The host ends: it returns from `main`, exits without dropping anything, or is
//! killed. Only the first is in this crate's hands.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use process_local::{CloseStep, TreeEnd};

use crate::agent::Watched;
use crate::matrix::agents::{KINDS, Kind, SAID};
use crate::matrix::row::{await_no_member, print_row};

/// A host process that runs an agent.
struct Host {
    process: Child,
    output: BufReader<ChildStdout>,
    agent: Watched,
}

impl Host {
    fn start(kind: Kind, end: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
            .args([crate::HOST, end, "burst", &SAID.to_string()])
            .args(kind.arguments.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut id = String::new();
        output.read_line(&mut id).unwrap();
        let agent = Watched::new(id.trim().parse().unwrap());
        output.read_exact(&mut vec![0; SAID]).unwrap();
        Self {
            process,
            output,
            agent,
        }
    }

    /// The process that the agent names.
    fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

#[tokio::test]
async fn a_host_that_returns_leaves_nobody_of_any_group() {
    for kind in KINDS {
        let mut host = Host::start(kind, "return");
        let line = if kind.says_line() {
            host.read_line()
        } else {
            String::new()
        };
        let daemon = kind.daemon.then(|| Watched::new(line.parse().unwrap()));
        let began = Instant::now();

        drop(host.process.stdin.take());
        // It passes on what a flood writes until it ends.
        std::io::copy(&mut host.output, &mut std::io::sink()).unwrap();
        assert!(host.process.wait().unwrap().success());

        host.agent.await_end();
        await_no_member(host.agent.pid.as_raw_nonzero().get()).await;
        let survivors = match daemon {
            Some(daemon) if kind.has_survivor() => {
                assert!(daemon.lives(), "the daemon is out of reach");
                daemon.kill();
                "its daemon"
            }
            Some(daemon) => {
                daemon.await_end();
                "none"
            }
            None => "none",
        };
        print_row("host returns", &kind, (survivors, began.elapsed()), "");
    }
}

#[test]
fn without_a_supervisor_a_host_that_dies_takes_along_only_agents_that_end_with_their_input() {
    if crate::TREE == TreeEnd::Supervised {
        return;
    }
    for end in ["exit", "killed"] {
        // The kernel wakes a stopped one with SIGHUP, if it had stopped by then.
        let told = |kind: &Kind| !kind.says_id() && !kind.arguments.ends_with("stop");
        for kind in KINDS.into_iter().filter(told) {
            let mut host = Host::start(kind, end);
            if kind.says_line() {
                assert_eq!(host.read_line(), "ready");
            }
            let began = Instant::now();

            if end == "exit" {
                drop(host.process.stdin.take());
            } else {
                host.process.kill().unwrap();
            }
            std::io::copy(&mut host.output, &mut std::io::sink()).unwrap();
            host.process.wait().unwrap();

            // A flood ends by the broken pipe.
            let ends = kind.ended_by == CloseStep::Input || kind.arguments == "write-forever";
            let survivors = if ends {
                host.agent.await_end();
                "none"
            } else {
                assert!(!host.agent.ends_within(Duration::from_millis(50)));
                host.agent.kill();
                "the agent"
            };
            let how = format!("host {end}");
            print_row(&how, &kind, (survivors, began.elapsed()), "");
        }
    }
}
