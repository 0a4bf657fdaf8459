//! A connection or runtime that goes away.

use cassette_format::process::ProcessConnection as _;
use cassette_format::process::{ExitCode, Frame, SendError};
use tokio::runtime::Builder;

use crate::agent::{Watched, hear, start};

#[tokio::test]
async fn dropping_the_connection_kills_the_group() {
    let agent = start("ignore-term hold-pipes ignore-term sleep ; sleep");
    let grandchild = Watched::said_by(&agent).await;
    let child = Watched::new(agent.process_id());

    drop(agent);

    child.await_end();
    grandchild.await_end();
    child.await_reaped().await;
}

#[tokio::test]
async fn dropping_a_connection_with_unread_output_leaves_nothing() {
    let agent = start("write-forever");
    let child = Watched::new(agent.process_id());

    drop(agent);

    child.await_reaped().await;
}

#[test]
fn a_runtime_that_is_shut_down_leaves_no_process_and_the_exit_frame_comes_all_the_same() {
    for workers in [None, Some(2)] {
        let runtime = match workers {
            None => Builder::new_current_thread().enable_all().build().unwrap(),
            Some(count) => Builder::new_multi_thread()
                .worker_threads(count)
                .enable_all()
                .build()
                .unwrap(),
        };
        let (agent, child, grandchild) = runtime.block_on(async {
            let agent = start("hold-pipes sleep ; say ready sleep");
            // The agent says both lines; the grandchild nothing.
            let said = hear_two_lines(&agent).await;
            assert_eq!(said[1], "ready");
            let child = Watched::new(agent.process_id());
            (agent, child, Watched::new(said[0].parse().unwrap()))
        });

        drop(runtime);

        child.await_end();
        grandchild.await_end();
        let other = Builder::new_current_thread().enable_all().build().unwrap();
        let heard = other.block_on(hear(&agent));
        let expected =
            Frame::exit(ExitCode::SIGNALED).with_message("signal: 9 (SIGKILL); output: abandoned");
        assert_eq!(heard.ends, [expected]);
        assert!(child.is_reaped());
        let sent = other.block_on(agent.send(b"late"));
        assert!(matches!(sent, Err(SendError::Closed)), "{sent:?}");
        other.block_on(agent.close()).unwrap();
    }
}

async fn hear_two_lines(agent: &process_local::LocalConnection) -> Vec<String> {
    let mut said = String::new();
    while said.lines().count() < 2 {
        said += &crate::agent::hear_line(agent).await;
        said.push('\n');
    }
    said.lines().map(str::to_owned).collect()
}
