//! Closing step by step.

use std::time::{Duration, Instant};

use cassette_format::process::{ExitCode, Frame, ProcessConnection};
use process_local::{
    CloseDelays, CloseReport, CloseStep, DrainLimits, LocalConnection, LocalOptions, OutputEnd,
    StepOutcome,
};
use rustix::process::{Signal, kill_process};

use crate::agent::{Watched, exit, hear, hear_line, killed, options, start, start_with, within};

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
        (vec![], Some(OutputEnd::Eof), 0, crate::TREE)
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

#[tokio::test]
async fn a_process_that_joined_another_group_is_ended_all_the_same() {
    let start = || async {
        let agent = start("join-parents-group say ready sleep");
        assert_eq!(hear_line(&agent).await, "ready");
        let watched = Watched::new(agent.process_id());
        (agent, watched)
    };

    let (agent, watched) = start().await;
    within(agent.close()).await.unwrap();
    let report = agent.close_report().unwrap();
    assert_eq!(report.ended_by(), Some(CloseStep::Terminate));
    assert!(watched.is_reaped());

    let (agent, watched) = start().await;
    agent.kill().await.unwrap();
    assert_eq!(hear(&agent).await.ends, [killed()]);
    assert!(watched.is_reaped());

    let (agent, watched) = start().await;
    drop(agent);
    watched.await_end();
}

#[tokio::test]
async fn no_delay_is_too_long() {
    let options = LocalOptions {
        close: CloseDelays {
            after_input: Duration::MAX,
            after_terminate: Duration::MAX,
            after_kill: Duration::MAX,
        },
        drain: DrainLimits {
            idle: Duration::MAX,
            total: Duration::MAX,
            bytes: usize::MAX,
        },
        ..options()
    };
    let agent = start_with("await-eof exit 2", options);

    within(agent.close()).await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(2)]);
}

#[tokio::test]
async fn without_delays_closing_waits_for_no_descendant() {
    let options = LocalOptions {
        close: CloseDelays {
            after_input: Duration::ZERO,
            after_terminate: Duration::ZERO,
            after_kill: Duration::from_secs(30),
        },
        drain: DrainLimits {
            idle: Duration::from_secs(30),
            total: Duration::from_secs(30),
            ..DrainLimits::default()
        },
        ..options()
    };
    let agent = start_with("hold-pipes drip 1000 10 ; sleep", options);
    let grandchild = Watched::said_by(&agent).await;
    let started = Instant::now();

    agent.kill().await.unwrap();
    within(agent.close()).await.unwrap();

    assert!(started.elapsed() < Duration::from_secs(29));
    grandchild.await_end();
}

#[tokio::test]
async fn closing_cuts_a_drain_short_that_was_under_way() {
    let options = LocalOptions {
        drain: DrainLimits {
            idle: Duration::from_secs(40),
            total: Duration::from_secs(40),
            ..DrainLimits::default()
        },
        ..options()
    };
    let agent = start_with("hold-pipes sleep ; await-eof exit 2", options);
    let grandchild = Watched::said_by(&agent).await;
    let leader = Watched::new(agent.process_id());
    agent.close_input().await.unwrap();
    leader.await_end();

    // The ladder's three seconds, not the drain's forty.
    within(agent.close()).await.unwrap();

    let report = agent.exit_report().unwrap();
    assert_eq!(report.output, OutputEnd::Limit);
    grandchild.await_end();
}

#[tokio::test]
async fn after_a_cancelled_close_output_waits_for_the_host_again() {
    let agent = start("await-eof burst 5000000 exit 2");
    tokio::select! {
        biased;
        closed = agent.close() => panic!("too early: {closed:?}"),
        () = std::future::ready(()) => {}
    }

    let heard = hear(&agent).await;

    assert_eq!((heard.stdout.len(), heard.ends), (5_000_000, vec![exit(2)]));
}
