//! Both directions at once.

use std::sync::Arc;

use cassette_format::process::{ExitCode, ExitStatus, Launch, ProcessConnection, ProcessTransport};
use process_local::LocalTransport;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::agent::{Heard, exit, hear, options, pattern, spec, start, within};

#[tokio::test]
async fn echo_comes_back_in_order() {
    let agent = start("echo");
    let mut sent = Vec::new();
    for number in 0..1000 {
        let line = format!("{number}\n");
        agent.send(line.as_bytes()).await.unwrap();
        sent.extend_from_slice(line.as_bytes());
    }
    agent.close_input().await.unwrap();

    let expected = Heard {
        stdout: sent,
        ends: vec![exit(0)],
        ..Heard::default()
    };
    assert_eq!(hear(&agent).await, expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_than_every_buffer_holds_comes_back_whole() {
    let agent = Arc::new(start("echo"));
    let sent = pattern(8 * 1024 * 1024);
    let (sender, bytes) = (Arc::clone(&agent), sent.clone());
    let sending = tokio::spawn(async move {
        sender.send(&bytes).await.unwrap();
        sender.close_input().await.unwrap();
    });

    let heard = hear(agent.as_ref()).await;

    sending.await.unwrap();
    assert!(
        heard.stdout == sent,
        "{} of {} bytes",
        heard.stdout.len(),
        sent.len()
    );
    assert_eq!(heard.ends, [exit(0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sends_never_interleave() {
    let agent = Arc::new(start("echo"));
    let senders: Vec<_> = (b'a'..=b'h')
        .map(|letter| {
            let agent = Arc::clone(&agent);
            tokio::spawn(async move {
                for _ in 0..20 {
                    // Larger than a pipe holds, so that no write is whole by luck.
                    let mut line = vec![letter; 100_000];
                    line.push(b'\n');
                    agent.send(&line).await.unwrap();
                }
            })
        })
        .collect();
    let closer = Arc::clone(&agent);
    tokio::spawn(async move {
        for sender in senders {
            sender.await.unwrap();
        }
        closer.close_input().await.unwrap();
    });

    let heard = hear(agent.as_ref()).await;

    let lines: Vec<&[u8]> = heard
        .stdout
        .split_inclusive(|byte| *byte == b'\n')
        .collect();
    let whole = |line: &&&[u8]| {
        line.len() == 100_001 && line[..100_000].iter().all(|byte| *byte == line[0])
    };
    assert_eq!(
        (lines.len(), lines.iter().filter(whole).count()),
        (160, 160)
    );
}

#[tokio::test]
async fn a_send_gets_through_while_more_than_a_pipe_holds_is_unread() {
    let agent = start("burst 262144 count");

    // Nobody receives meanwhile.
    within(agent.send(&[b'x'; 128 * 1024])).await.unwrap();
    within(agent.close_input()).await.unwrap();

    let mut expected = pattern(256 * 1024);
    expected.extend(b"131072\n");
    assert!(hear(&agent).await.stdout == expected);
}

#[tokio::test]
async fn nine_megabytes_of_stderr_do_not_keep_the_first_answer_back() {
    let agent = start("errors 9000000 echo");
    agent.send(b"question").await.unwrap();
    agent.close_input().await.unwrap();

    let heard = hear(&agent).await;

    assert_eq!(heard.stdout, b"question");
    assert!(heard.stderr == pattern(9_000_000));
}

#[tokio::test]
async fn nine_megabytes_of_stderr_that_nobody_reads_do_not_keep_the_first_answer_back() {
    let connection: Arc<dyn ProcessConnection> = Arc::new(start("errors 9000000 echo"));
    let (mut reader, mut writer, _unread, _exit) = connection.into_stdio().into_parts();

    within(async {
        writer.write_all(b"question").await.unwrap();
        writer.flush().await.unwrap();
        let mut answer = [0; 8];
        reader.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"question");
    })
    .await;
}

#[tokio::test]
async fn into_stdio_talks_to_a_real_process() {
    let transport = LocalTransport::new(options());
    let launch = Launch::from(spec("errors 300 echo exit 5"));
    let connection = transport.start(launch).await.unwrap();
    let (mut reader, mut writer, mut stderr, exit) = connection.into_stdio().into_parts();

    within(async {
        writer.write_all(b"hello ").await.unwrap();
        writer.write_all(b"there").await.unwrap();
        writer.shutdown().await.unwrap();
        let (mut said, mut errors) = (String::new(), Vec::new());
        reader.read_to_string(&mut said).await.unwrap();
        stderr.read_to_end(&mut errors).await.unwrap();

        assert_eq!((said.as_str(), errors), ("hello there", pattern(300)));
        let expected = ExitStatus {
            code: Some(ExitCode::new(5)),
            message: None,
        };
        assert_eq!(exit.wait().await.unwrap(), expected);
    })
    .await;
}
