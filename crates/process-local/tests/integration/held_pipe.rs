//! A grandchild that keeps the outputs open after the process has ended.

use std::time::{Duration, Instant};

use cassette_format::process::ProcessConnection;
use process_local::{CloseStep, DrainLimits, Leftovers, LocalOptions, OutputEnd};
use rustix::process::{Signal, kill_process};

use crate::agent::{Watched, exit, hear, options, pattern, start, start_with, within};

#[tokio::test]
async fn a_grandchild_that_holds_stdout_does_not_delay_the_exit_frame() {
    let agent = start("hold-pipes sleep ; await-eof exit 7");
    let grandchild = Watched::said_by(&agent).await;
    let started = Instant::now();
    agent.close_input().await.unwrap();

    let heard = hear(&agent).await;

    assert_eq!(heard.ends, [exit(7).with_message("output: grace")]);
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
    grandchild.await_end();
}

#[tokio::test]
async fn leftovers_go_on_if_the_host_wants_them_to() {
    let options = LocalOptions {
        leftovers: Leftovers::Leave,
        ..options()
    };
    let agent = start_with("hold-pipes sleep ; await-eof exit 7", options);
    let grandchild = Watched::said_by(&agent).await;
    agent.close_input().await.unwrap();

    assert_eq!(
        hear(&agent).await.ends,
        [exit(7).with_message("output: grace")]
    );
    drop(agent);

    assert!(grandchild.lives());
    kill_process(grandchild.pid, Signal::KILL).unwrap();
    grandchild.await_end();
}

#[tokio::test]
async fn closing_ends_leftovers_even_if_they_were_to_go_on() {
    let options = LocalOptions {
        leftovers: Leftovers::Leave,
        ..options()
    };
    let agent = start_with("hold-pipes sleep ; await-eof", options);
    let grandchild = Watched::said_by(&agent).await;

    within(agent.close()).await.unwrap();

    let report = agent.close_report().unwrap();
    assert_eq!(
        (report.ended_by(), report.output),
        (Some(CloseStep::Input), Some(OutputEnd::Grace))
    );
    grandchild.await_end();
}

#[tokio::test]
async fn what_a_grandchild_writes_after_the_exit_is_kept() {
    let agent = start("hold-pipes burst 2000000 ; exit 3");

    let heard = hear(&agent).await;

    // The line with the grandchild's id may stand anywhere.
    assert!(
        heard.stdout.len() > 2_000_000,
        "{} bytes",
        heard.stdout.len()
    );
    assert_eq!(heard.ends, [exit(3)]);
}

#[tokio::test]
async fn a_grandchild_that_writes_for_ever_ends_at_the_limit() {
    let limit = 300_000;
    let drain = DrainLimits {
        bytes: limit,
        idle: Duration::from_secs(30),
        total: Duration::from_secs(30),
    };
    let agent = start_with(
        "hold-pipes write-forever ; exit 3",
        LocalOptions { drain, ..options() },
    );

    let heard = hear(&agent).await;

    let message = heard.ends[0].message.as_deref().unwrap();
    assert!(message.starts_with("output: limit"), "{message}");
    assert_eq!(heard.ends.len(), 1);
}

#[tokio::test]
async fn a_grandchild_that_writes_for_ever_ends_in_time_too() {
    let drain = DrainLimits {
        bytes: usize::MAX,
        idle: Duration::from_secs(30),
        total: Duration::from_millis(20),
    };
    // Its output goes to standard error, so that the pattern is undisturbed.
    let agent = start_with(
        "hold-pipes errors 18446744073709551615 ; exit 3",
        LocalOptions { drain, ..options() },
    );

    let heard = hear(&agent).await;

    assert_eq!(heard.ends, [exit(3).with_message("output: limit")]);
    assert!(heard.stderr == pattern(heard.stderr.len()));
}

#[tokio::test]
async fn each_late_line_gives_the_next_one_its_time() {
    let agent = start("hold-pipes drip 6 100 ; exit 3");

    let heard = hear(&agent).await;

    // Six hundred milliseconds in all, of which no two hundred and fifty are silent.
    let said = String::from_utf8(heard.stdout).unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| line.len() == 1).collect();
    assert_eq!(lines, ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(heard.ends, [exit(3)]);
}
