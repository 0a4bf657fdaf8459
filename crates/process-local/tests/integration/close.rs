//! Closing step by step.

use std::time::{Duration, Instant};

use cassette_format::process::{ExitCode, Frame, ProcessConnection};
use process_local::{CloseReport, CloseStep, LocalConnection, OutputEnd, StepOutcome, TreeEnd};
use rustix::process::{Signal, kill_process};

use crate::agent::{Watched, exit, hear, hear_line, killed, start, within};

/// The steps of the last closing, without how long each took.
fn steps(agent: &LocalConnection) -> Vec<(CloseStep, StepOutcome)> {
    let report = agent.close_report().unwrap();
    report
        .steps
        .iter()
        .map(|step| (step.step, step.outcome))
        .collect()
}

#[tokio::test]
async fn an_agent_that_ends_with_its_input_needs_one_step() {
    let agent = start("await-eof exit 2");

    within(agent.close()).await.unwrap();

    assert_eq!(steps(&agent), [(CloseStep::Input, StepOutcome::Exited)]);
    assert_eq!(hear(&agent).await.ends, [exit(2)]);
}

#[tokio::test]
async fn an_agent_that_ignores_the_end_of_its_input_is_terminated() {
    let agent = start("say ready sleep");
    assert_eq!(hear_line(&agent).await, "ready");

    within(agent.close()).await.unwrap();

    let expected = [
        (CloseStep::Input, StepOutcome::StillRunning),
        (CloseStep::Terminate, StepOutcome::Exited),
    ];
    assert_eq!(steps(&agent), expected);
    let expected = Frame::exit(ExitCode::SIGNALED).with_message("signal: 15 (SIGTERM)");
    assert_eq!(hear(&agent).await.ends, [expected]);
}

#[tokio::test]
async fn an_agent_that_ignores_everything_is_killed_within_the_ladder() {
    let agent = start("ignore-term say ready sleep");
    assert_eq!(hear_line(&agent).await, "ready");
    let watched = Watched::new(agent.process_id());
    let started = Instant::now();

    within(agent.close()).await.unwrap();

    assert!(
        started.elapsed() < Duration::from_millis(3200),
        "{:?}",
        started.elapsed()
    );
    let expected = [
        (CloseStep::Input, StepOutcome::StillRunning),
        (CloseStep::Terminate, StepOutcome::StillRunning),
        (CloseStep::Kill, StepOutcome::Exited),
    ];
    assert_eq!(steps(&agent), expected);
    assert!(watched.is_reaped());
    assert_eq!(hear(&agent).await.ends, [killed()]);
}

#[tokio::test]
async fn a_stopped_agent_is_killed() {
    let agent = start("say ready await-eof");
    assert_eq!(hear_line(&agent).await, "ready");
    kill_process(Watched::new(agent.process_id()).pid, Signal::STOP).unwrap();

    within(agent.close()).await.unwrap();

    assert_eq!(
        agent.close_report().unwrap().ended_by(),
        Some(CloseStep::Kill)
    );
    assert_eq!(hear(&agent).await.ends, [killed()]);
}

#[tokio::test]
async fn closing_what_has_ended_takes_no_step() {
    let agent = start("exit 0");
    assert_eq!(hear(&agent).await.ends, [exit(0)]);
    assert_eq!(agent.close_report(), None);

    within(agent.close()).await.unwrap();

    let report = agent.close_report().unwrap();
    assert_eq!(
        (
            report.steps,
            report.output,
            report.discarded_bytes,
            report.tree
        ),
        (vec![], Some(OutputEnd::Eof), 0, TreeEnd::BestEffort)
    );
}

#[tokio::test]
async fn concurrent_closes_queue_up_and_all_succeed() {
    let agent = start("say ready sleep");
    assert_eq!(hear_line(&agent).await, "ready");

    let closed = within(async { tokio::join!(agent.close(), agent.close(), agent.close()) }).await;

    assert!(matches!(closed, (Ok(()), Ok(()), Ok(()))), "{closed:?}");
    // The first one did the work, and its report stays.
    assert_eq!(
        agent
            .close_report()
            .as_ref()
            .and_then(CloseReport::ended_by),
        Some(CloseStep::Terminate)
    );
}

#[tokio::test]
async fn a_cancelled_close_may_be_called_again() {
    let agent = start("say ready await-eof exit 2");
    assert_eq!(hear_line(&agent).await, "ready");
    tokio::select! {
        biased;
        closed = agent.close() => panic!("too early: {closed:?}"),
        () = std::future::ready(()) => {}
    }

    within(agent.close()).await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(2)]);
}
