//! What a process is sent: whole or not at all, and never in the receiver's way.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use cassette_format::process::{FrameEvent, ProcessConnection, SendError};
use process_local::{CloseStep, Leftovers, LocalOptions};
use rustix::process::{Signal, kill_process};

use crate::agent::{Heard, Watched, exit, hear, hear_line, options, start, start_with, within};

/// Polls a future once and drops it; it must not be through.
fn begin_and_cancel(future: impl Future<Output = Result<(), SendError>>) {
    let polled = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Pending), "{polled:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_send_against_a_process_that_does_not_read_does_not_block_recv() {
    let agent = Arc::new(start("burst 256000 say done sleep"));
    let sender = Arc::clone(&agent);
    let sending = tokio::spawn(async move { sender.send(&[b'x'; 1024 * 1024]).await });

    let mut received = 0;
    within(async {
        while received < 256_005 {
            match agent.recv().await.unwrap().unwrap().event {
                FrameEvent::Stdout(bytes) => received += bytes.len(),
                other => panic!("{other:?}"),
            }
        }
    })
    .await;

    assert!(!sending.is_finished());
    within(agent.close()).await.unwrap();
    assert_eq!(
        agent.close_report().unwrap().ended_by(),
        Some(CloseStep::Terminate)
    );
    assert!(matches!(
        within(sending).await.unwrap(),
        Err(SendError::Closed)
    ));
}

#[tokio::test]
async fn a_cancelled_send_is_completed_before_the_next_one() {
    let large: Vec<u8> = (0..1024 * 1024).map(|at| (at % 251) as u8).collect();
    for owned in [false, true] {
        let agent = start("echo");
        if owned {
            begin_and_cancel(agent.send_owned(large.clone()));
        } else {
            begin_and_cancel(agent.send(&large));
        }

        let (sent, heard) = within(async {
            let rest = async {
                agent.send(b"next").await?;
                agent.send_owned(large.clone()).await?;
                agent.close_input().await.unwrap();
                Ok::<_, SendError>(())
            };
            tokio::join!(rest, hear(&agent))
        })
        .await;

        sent.unwrap();
        let expected = [&*large, b"next", &*large].concat();
        assert!(heard.stdout == expected, "{} bytes", heard.stdout.len());
    }
}

#[tokio::test]
async fn a_send_that_was_given_up_while_waiting_in_line_is_not_sent_at_all() {
    let agent = start("count");
    let large = vec![b'x'; 1024 * 1024];
    begin_and_cancel(agent.send(&large));
    begin_and_cancel(agent.send(b"given up"));

    agent.send(b"next").await.unwrap();
    agent.close_input().await.unwrap();

    assert_eq!(hear_line(&agent).await, (1024 * 1024 + 4).to_string());
}

#[tokio::test]
async fn input_ends_after_what_was_sent_and_ending_it_again_is_fine() {
    let agent = start("count exit 2");
    for _ in 0..100 {
        agent.send(&[b'x'; 10_000]).await.unwrap();
    }
    agent.close_input().await.unwrap();
    agent.close_input().await.unwrap();

    assert!(matches!(agent.send(b"more").await, Err(SendError::Closed)));
    let expected = Heard {
        stdout: b"1000000\n".into(),
        ends: vec![exit(2)],
        ..Heard::default()
    };
    assert_eq!(hear(&agent).await, expected);
    agent.close_input().await.unwrap();
}

#[tokio::test]
async fn sends_after_the_exit_are_refused_as_closed() {
    let agent = start("exit 0");
    assert_eq!(hear(&agent).await.ends, [exit(0)]);

    assert!(matches!(agent.send(b"late").await, Err(SendError::Closed)));
}

#[tokio::test]
async fn a_send_that_is_under_way_at_the_exit_is_refused_even_if_a_grandchild_holds_the_input() {
    let options = LocalOptions {
        leftovers: Leftovers::Leave,
        ..options()
    };
    let agent = start_with("hold-input sleep ; exit 0", options);

    let (sent, grandchild) = within(async {
        let large = vec![b'x'; 1024 * 1024];
        tokio::join!(agent.send(&large), Watched::said_by(&agent))
    })
    .await;

    assert!(matches!(sent, Err(SendError::Closed)), "{sent:?}");
    assert_eq!(
        hear(&agent).await.ends,
        [exit(0).with_message("output: grace")]
    );
    kill_process(grandchild.pid, Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_cancelled_end_of_the_input_is_completed() {
    let agent = start("count");
    begin_and_cancel(agent.send(&vec![b'x'; 1024 * 1024]));
    {
        let ending = pin!(agent.close_input());
        let polled = ending.poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
    }

    assert_eq!(hear_line(&agent).await, (1024 * 1024).to_string());
}
