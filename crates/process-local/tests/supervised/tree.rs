//! Descendants that only a supervisor reaches, and what it leaves alone.

use std::fs;
use std::path::PathBuf;

use cassette_format::process::ProcessConnection as _;
use process_local::{Leftovers, LocalOptions, TreeEnd};

use crate::agent::{Watched, exit, hear, hear_line, options, start, start_with, within};

fn leaving() -> LocalOptions {
    LocalOptions {
        leftovers: Leftovers::Leave,
        ..options()
    }
}

#[tokio::test]
async fn a_daemon_ends_with_its_process_unless_it_was_to_go_on() {
    let agent = start("daemonise ignore-term sleep ; await-eof exit 3");
    let daemon = Watched::said_by(&agent).await;
    agent.close_input().await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(3)]);

    // Nothing is left once the exit frame is there.
    assert!(daemon.is_reaped());
    assert_eq!(agent.tree(), TreeEnd::Supervised);

    let agent = start_with("daemonise sleep ; await-eof exit 3", leaving());
    let daemon = Watched::said_by(&agent).await;
    agent.close_input().await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(3)]);
    // It is not said to have ended.
    assert_eq!(agent.tree(), TreeEnd::BestEffort);
    drop(agent);

    assert!(daemon.lives());
    daemon.kill();
}

#[tokio::test]
async fn dropping_and_closing_end_a_daemon_even_if_leftovers_were_to_go_on() {
    let agent = start_with("daemonise sleep ; await-eof exit 3", leaving());
    let daemon = Watched::said_by(&agent).await;
    within(agent.close()).await.unwrap();
    assert!(daemon.is_reaped());

    let agent = start_with("daemonise sleep ; sleep", leaving());
    let daemon = Watched::said_by(&agent).await;
    drop(agent);
    daemon.await_end();
}

#[tokio::test]
async fn an_orphan_is_reaped_while_the_process_runs() {
    let agent = start("daemonise exit 0 ; await-eof");
    let id = hear_line(&agent).await;

    within(async {
        while fs::exists(format!("/proc/{id}")).unwrap() {
            tokio::task::yield_now().await;
        }
    })
    .await;

    agent.close().await.unwrap();
}

/// What a descriptor of a process is open on.
fn target(id: u32, descriptor: &str) -> PathBuf {
    fs::read_link(format!("/proc/{id}/fd/{descriptor}")).unwrap()
}

#[tokio::test]
async fn a_supervisor_keeps_no_pipe_and_no_directory() {
    let scratch = tempfile::tempdir().unwrap();
    let launch = crate::agent::spec("say ready sleep").in_directory(scratch.path());
    let agent = process_local::spawn(launch, options()).unwrap();
    assert_eq!(hear_line(&agent).await, "ready");
    let stat = fs::read_to_string(format!("/proc/{}/stat", agent.process_id())).unwrap();
    let supervisor: u32 = stat.split(' ').nth(3).unwrap().parse().unwrap();

    let pipes = ["0", "1", "2"].map(|descriptor| target(agent.process_id(), descriptor));
    let kept = fs::read_dir(format!("/proc/{supervisor}/fd")).unwrap();
    let kept = kept.map(|entry| fs::read_link(entry.unwrap().path()).unwrap());
    let kept: Vec<PathBuf> = kept.collect();

    assert!(pipes.iter().all(|pipe| !kept.contains(pipe)), "{kept:?}");
    let directory = fs::read_link(format!("/proc/{supervisor}/cwd")).unwrap();
    assert_eq!(directory, PathBuf::from("/"));
    let name = fs::read_to_string(format!("/proc/{supervisor}/comm")).unwrap();
    assert_eq!(name, "supervisor\n");
}
