//! What becomes of a process whose supervisor gets signals.

use std::time::Duration;

use cassette_format::process::{ExitCode, Frame, ProcessConnection as _};
use process_local::{CloseStep, LocalConnection, OutputEnd, TreeEnd};
use rustix::process::{Pid, Signal, kill_process};

use crate::agent::{Watched, exit, hear, hear_line, killed, start, within};

/// The supervisor of an agent: its parent.
fn supervisor_of(agent: &LocalConnection) -> Watched {
    let status = format!("/proc/{}/status", agent.process_id());
    let status = std::fs::read_to_string(status).unwrap();
    let mut lines = status.lines();
    let parent = lines.find_map(|line| line.strip_prefix("PPid:")).unwrap();
    let parent = Watched::new(parent.trim().parse().unwrap());
    assert_ne!(
        parent.pid,
        Pid::from_raw(std::process::id().cast_signed()).unwrap()
    );
    parent
}

#[tokio::test]
async fn a_process_is_killed_when_its_supervisor_is_and_its_exit_code_is_not_known() {
    let agent = start("ignore-term daemonise sleep ; sleep");
    let daemon = Watched::said_by(&agent).await;
    let (leader, supervisor) = (Watched::new(agent.process_id()), supervisor_of(&agent));
    assert_eq!(agent.tree(), TreeEnd::Supervised);

    kill_process(supervisor.pid, Signal::KILL).unwrap();

    let lost = "waiting failed: its supervisor ended before it";
    let expected = Frame::exit(ExitCode::new(1)).with_message(lost);
    assert_eq!(hear(&agent).await.ends, [expected]);
    leader.await_end();
    within(agent.close()).await.unwrap();
    let report = agent.close_report().unwrap();
    assert_eq!(
        (report.tree, agent.tree()),
        (TreeEnd::BestEffort, TreeEnd::BestEffort)
    );
    // The hole: nobody has it in hand any more.
    assert!(daemon.lives());
    daemon.kill();
    drop(agent);
    supervisor.await_reaped().await;
}

#[tokio::test]
async fn a_supervisor_that_is_asked_to_end_asks_the_group_and_stays() {
    let agent = start("hold-pipes ignore-term say stays sleep ; say ready sleep");
    let mut said = String::new();
    while !(said.contains("stays") && said.contains("ready")) {
        said += &hear_line(&agent).await;
    }
    let supervisor = supervisor_of(&agent);

    kill_process(supervisor.pid, Signal::TERM).unwrap();

    let heard = hear(&agent).await;
    let message = "signal: 15 (SIGTERM); output: grace";
    assert_eq!(
        heard.ends,
        [Frame::exit(ExitCode::SIGNALED).with_message(message)]
    );
    assert_eq!(agent.tree(), TreeEnd::Supervised);
}

#[tokio::test]
async fn the_signals_of_a_keyboard_do_a_supervisor_no_harm() {
    for signal in [Signal::INT, Signal::HUP, Signal::QUIT] {
        let agent = start("say ready await-eof exit 3");
        assert_eq!(hear_line(&agent).await, "ready");

        kill_process(supervisor_of(&agent).pid, signal).unwrap();

        assert_eq!(agent.wait().await.signal, Some(signal.as_raw()));
    }
}

#[tokio::test]
async fn a_stopped_supervisor_does_what_it_is_asked() {
    let agent = start("ignore-term say ready sleep");
    assert_eq!(hear_line(&agent).await, "ready");
    let supervisor = supervisor_of(&agent);
    kill_process(supervisor.pid, Signal::STOP).unwrap();
    within(supervisor.await_state('T')).await;

    within(agent.close()).await.unwrap();

    let report = agent.close_report().unwrap();
    assert_eq!(
        (report.ended_by(), report.output, report.tree),
        (
            Some(CloseStep::Kill),
            Some(OutputEnd::Eof),
            TreeEnd::Supervised
        )
    );
    assert_eq!(hear(&agent).await.ends, [killed()]);
}

#[tokio::test]
async fn an_agent_that_kills_the_group_it_has_joined_does_not_outlive_that() {
    let agent = start("join-parents-group say ready sleep");
    assert_eq!(hear_line(&agent).await, "ready");
    let (leader, supervisor) = (Watched::new(agent.process_id()), supervisor_of(&agent));

    rustix::process::kill_process_group(supervisor.pid, Signal::KILL).unwrap();

    leader.await_end();
    let report = within(agent.wait()).await;
    assert_eq!((report.code.get(), report.signal), (1, None));
    assert!(supervisor.ends_within(Duration::ZERO));
}

#[tokio::test]
async fn a_supervisor_that_is_killed_at_once_leaves_a_readable_end() {
    for _ in 0..20 {
        let agent = start("say hello exit 3");
        // It may have ended by itself.
        kill_process(supervisor_or_none(&agent), Signal::KILL).ok();
        let ends = hear(&agent).await.ends;
        assert!(ends.len() == 1, "{ends:?}");
        let lost = "waiting failed: its supervisor ended before it";
        let lost = Frame::exit(ExitCode::new(1)).with_message(lost);
        assert!(ends == [exit(3)] || ends == [lost], "{ends:?}");
    }
}

/// The supervisor, or this process's number of nobody if it is gone.
fn supervisor_or_none(agent: &LocalConnection) -> Pid {
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.process_id()));
    let parent = status.ok().and_then(|status| {
        let mut lines = status.lines();
        let parent = lines.find_map(|line| line.strip_prefix("PPid:"))?;
        parent.trim().parse().ok().filter(|parent| *parent > 1)
    });
    parent
        .and_then(Pid::from_raw)
        .unwrap_or(Pid::from_raw(i32::MAX).unwrap())
}
