//! What a process writes: all of it, in order, and bounded while nobody receives.

use std::time::Duration;

use cassette_format::process::{FrameEvent, ProcessConnection};
use process_local::{CloseStep, DrainLimits, LocalOptions, OutputEnd};

use crate::agent::{Heard, Watched, exit, hear, options, pattern, start, start_with, within};

#[tokio::test]
async fn bursts_on_both_outputs_arrive_whole() {
    let agent = start("errors 3000000 burst 3000000 errors 0");

    let heard = hear(&agent).await;

    assert!(
        heard.stdout == pattern(3_000_000),
        "{} bytes",
        heard.stdout.len()
    );
    assert!(
        heard.stderr == pattern(3_000_000),
        "{} bytes",
        heard.stderr.len()
    );
    assert_eq!(heard.ends, [exit(0)]);
}

#[tokio::test]
async fn single_bytes_arrive_whole() {
    let agent = start("one-byte-writes 20000");

    let heard = hear(&agent).await;

    let expected = Heard {
        stdout: pattern(20_000),
        ends: vec![exit(0)],
        ..Heard::default()
    };
    assert_eq!(heard, expected);
}

#[tokio::test]
async fn a_cancelled_receive_loses_no_frame() {
    let agent = start("one-byte-writes 5000");
    let mut received = Vec::new();
    within(async {
        loop {
            // The receive is polled once, then given up.
            let frame = tokio::select! {
                biased;
                frame = agent.recv() => frame.unwrap().unwrap(),
                () = tokio::task::yield_now() => continue,
            };
            match frame.event {
                FrameEvent::Stdout(bytes) => received.extend(bytes),
                _ => break,
            }
        }
    })
    .await;

    assert_eq!(received, pattern(5000));
}

#[tokio::test]
async fn unread_output_is_bounded_and_close_does_not_wait_for_the_reader() {
    const MIB: usize = 1024 * 1024;
    let agent = start("write-forever");

    within(agent.close()).await.unwrap();

    let report = agent.close_report().unwrap();
    assert_eq!(
        (report.ended_by(), report.output),
        (Some(CloseStep::Terminate), Some(OutputEnd::Eof))
    );
    let heard = hear(&agent).await;
    assert!(
        (MIB..=2 * MIB).contains(&heard.stdout.len()),
        "{} bytes",
        heard.stdout.len()
    );
    assert!(heard.stdout == pattern(heard.stdout.len()));
    let message = format!(
        "signal: 15 (SIGTERM); discarded: {} bytes",
        report.discarded_bytes
    );
    assert_eq!(heard.ends[0].message, Some(message));
    assert_eq!(heard.ends.len(), 1);
}

#[tokio::test]
async fn output_that_was_queued_before_closing_stays_readable() {
    let agent = start("burst 200000 await-eof exit 4");

    within(agent.close()).await.unwrap();

    let expected = Heard {
        stdout: pattern(200_000),
        ends: vec![exit(4)],
        ..Heard::default()
    };
    assert_eq!(hear(&agent).await, expected);
}

#[tokio::test]
async fn nothing_is_lost_when_the_queue_was_full_at_the_exit() {
    let options = LocalOptions {
        queue_limit: 1,
        ..options()
    };
    let agent = start_with("burst 120000 exit 3", options);
    // Without any receive the process ends, as its pipe holds the rest.
    let watched = Watched::new(agent.process_id());
    watched.await_reaped().await;

    let expected = Heard {
        stdout: pattern(120_000),
        ends: vec![exit(3)],
        ..Heard::default()
    };
    assert_eq!(hear(&agent).await, expected);
}

/// A pipe may hold a mebibyte, of which a host that is slow has read little when the time
/// for draining is over.
#[tokio::test]
async fn what_is_in_the_pipe_at_the_end_of_the_drain_is_kept_and_was_all() {
    let options = LocalOptions {
        drain: DrainLimits {
            total: Duration::from_millis(30),
            ..DrainLimits::default()
        },
        queue_limit: 1,
        ..options()
    };
    let agent = start_with("large-pipe burst 900000 exit 3", options);
    Watched::new(agent.process_id()).await_end();
    // Nothing of the runtime runs meanwhile.
    std::thread::sleep(Duration::from_millis(60));

    let heard = hear(&agent).await;

    assert_eq!((heard.stdout.len(), heard.ends), (900_000, vec![exit(3)]));
}

#[tokio::test]
async fn how_a_process_ended_can_be_waited_for_without_receiving() {
    let agent = start("say hello exit 4");

    let report = within(agent.wait()).await;

    assert_eq!((report.code.get(), report.output), (4, OutputEnd::Eof));
    assert_eq!(hear(&agent).await.stdout, b"hello\n");
}
