//! The end of a process that nobody asked for.

use cassette_format::process::{EndRequest, ExitCode, Frame, ProcessConnection};

use crate::agent::{Heard, Watched, exit, hear, hear_line, killed, start, within};

#[tokio::test]
async fn the_exit_code_is_the_processes_own() {
    for code in [0, 1, 7, 255] {
        let agent = start(&format!("exit {code}"));
        let expected = Heard {
            ends: vec![exit(code)],
            ..Heard::default()
        };
        assert_eq!(hear(&agent).await, expected);
    }
}

#[tokio::test]
async fn exit_frame_is_last_and_once() {
    for _ in 0..50 {
        let agent = start("say last errors 5 exit 3");
        let expected = Heard {
            stdout: b"last\n".into(),
            stderr: vec![0, 1, 2, 3, 4],
            ends: vec![exit(3)],
        };
        assert_eq!(hear(&agent).await, expected);
    }
}

#[tokio::test]
async fn the_end_by_a_signal_is_minus_one_and_names_the_signal() {
    let agent = start("die-by-signal");
    let [Frame { event, message, .. }] = &hear(&agent).await.ends[..] else {
        panic!("one exit frame")
    };
    assert_eq!(event, &Frame::exit(ExitCode::SIGNALED).event);
    let message = message.as_deref().unwrap();
    assert!(message.starts_with("signal: 6 (SIGABRT)"), "{message}");
}

#[tokio::test]
async fn a_process_that_closes_its_output_early_is_waited_for() {
    let agent = start("say open close-output await-eof exit 6");
    assert_eq!(hear_line(&agent).await, "open");
    let watched = Watched::new(agent.process_id());
    assert!(watched.lives());

    agent.close_input().await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(6)]);
}

#[tokio::test]
async fn once_the_exit_frame_is_there_nothing_is_left_of_the_process() {
    let agent = start("await-eof");
    let watched = Watched::new(agent.process_id());
    agent.close_input().await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(0)]);

    assert!(watched.is_reaped());
    agent.terminate().await.unwrap();
    agent.ask_to_end(EndRequest::Interrupt).await.unwrap();
    agent.kill().await.unwrap();
    within(agent.close()).await.unwrap();
}

#[tokio::test]
async fn kill_ends_the_whole_group() {
    let agent = start("ignore-term hold-pipes sleep ; sleep");
    let grandchild = Watched::said_by(&agent).await;

    agent.kill().await.unwrap();

    assert_eq!(hear(&agent).await.ends, [killed()]);
    grandchild.await_end();
}

#[tokio::test]
async fn terminate_asks_the_whole_group() {
    let agent = start("hold-pipes sleep ; sleep");
    let grandchild = Watched::said_by(&agent).await;

    agent.terminate().await.unwrap();

    let expected = Frame::exit(ExitCode::SIGNALED).with_message("signal: 15 (SIGTERM)");
    assert_eq!(hear(&agent).await.ends, [expected]);
    grandchild.await_end();
}

#[tokio::test]
async fn an_agent_is_asked_to_end_by_the_signal_that_the_host_chooses() {
    for (request, signal) in [
        (EndRequest::Interrupt, "SIGINT"),
        (EndRequest::Terminate, "SIGTERM"),
        (EndRequest::HangUp, "SIGHUP"),
        (EndRequest::Quit, "SIGQUIT"),
    ] {
        let agent = start("say-request exit 5");
        assert_eq!(hear_line(&agent).await, "ready");

        agent.ask_to_end(request).await.unwrap();

        let expected = Heard {
            stdout: format!("{signal}\n").into(),
            ends: vec![exit(5)],
            ..Heard::default()
        };
        assert_eq!(hear(&agent).await, expected);
    }
}
