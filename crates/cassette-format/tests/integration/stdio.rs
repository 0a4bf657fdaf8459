//! A connection as byte streams, over the peer in memory: order, bounds, ends,
//! failures, and that nobody who waits is forgotten.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cassette_format::process::{
    ControlError, ExitCode, ExitStatus, Failure, Frame, LaunchSpec, MemoryPeer, MemoryTransport,
    Operation, ProcessConnection, ProcessTransport, Script, ScriptError, SendError, Stdio,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::timeout;

use crate::odd_connections::{Counter, Counting, Slow, poll_with};

const MIB: usize = 1024 * 1024;
/// With the paused clock this passes as soon as nobody can go on.
const STUCK: Duration = Duration::from_secs(60);

async fn by_hand() -> (MemoryPeer, Stdio) {
    let transport = MemoryTransport::new();
    let connection = transport
        .start(LaunchSpec::new(["agent"]).into())
        .await
        .unwrap();
    (transport.peer(0).unwrap(), connection.into_stdio())
}

async fn scripted(script: Script) -> (MemoryPeer, Stdio) {
    let transport = MemoryTransport::scripted([script]);
    let connection = transport
        .start(LaunchSpec::new(["agent"]).into())
        .await
        .unwrap();
    (transport.peer(0).unwrap(), connection.into_stdio())
}

fn failure_of(error: &io::Error) -> &Failure {
    error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Failure>())
        .unwrap()
}

fn status(code: i64) -> ExitStatus {
    ExitStatus {
        code: Some(ExitCode::new(code)),
        message: None,
    }
}

#[tokio::test(start_paused = true)]
async fn reads_cross_the_borders_of_chunks() {
    let (peer, mut stdio) = by_hand().await;
    for piece in ["he", "l", "", "lo wor", "ld"] {
        peer.emit(Frame::stdout(piece));
    }
    let mut bytes = [0; 11];
    stdio.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"hello world");
    peer.emit(Frame::stdout("rest"));
    peer.emit(Frame::message_only("no bytes"));
    peer.emit(Frame::exit(ExitCode::new(0)));
    let mut rest = String::new();
    stdio.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "rest");
    assert_eq!(
        stdio.read(&mut bytes).await.unwrap(),
        0,
        "the end stays the end"
    );
}

#[tokio::test(start_paused = true)]
async fn single_bytes_are_read_in_their_order() {
    let (peer, mut stdio) = by_hand().await;
    let sent: Vec<u8> = (0..20_000_u32).map(|at| at as u8).collect();
    sent.iter()
        .for_each(|byte| peer.emit(Frame::stdout([*byte])));
    peer.end();
    let mut read = Vec::new();
    while let Ok(byte) = stdio.read_u8().await {
        read.push(byte);
    }
    assert!(read == sent);
}

#[tokio::test(start_paused = true)]
async fn an_empty_read_waits_for_nothing() {
    let (_peer, mut stdio) = by_hand().await;
    assert_eq!(stdio.read(&mut []).await.unwrap(), 0);
    assert_eq!(stdio.write(&[]).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn each_write_is_one_send_and_flush_waits_for_it() {
    let (peer, mut stdio) = by_hand().await;
    stdio.write_all(b"one").await.unwrap();
    stdio.write_all(b"two").await.unwrap();
    stdio.flush().await.unwrap();
    assert_eq!(peer.sent(), [b"one", b"two"]);
    assert!(!peer.input_ended());
}

#[tokio::test(start_paused = true)]
async fn a_large_write_is_cut_and_arrives_whole() {
    let (peer, mut stdio) = by_hand().await;
    let bytes: Vec<u8> = (0..3 * MIB + 17).map(|at| (at % 251) as u8).collect();
    stdio.write_all(&bytes).await.unwrap();
    stdio.flush().await.unwrap();
    assert!(peer.sent().concat() == bytes);
    assert!(peer.sent().iter().all(|send| send.len() <= MIB));
}

#[tokio::test(start_paused = true)]
async fn a_read_moves_an_unflushed_write_along() {
    let (peer, mut stdio) = scripted(
        Script::new()
            .expect("ping\n")
            .stdout("pong\n")
            .exit(ExitCode::new(0)),
    )
    .await;
    stdio.write_all(b"ping\n").await.unwrap();
    let mut answer = [0; 5];
    timeout(STUCK, stdio.read_exact(&mut answer))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&answer, b"pong\n");
    assert_eq!(peer.finished(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn unread_standard_error_holds_up_nothing_and_is_counted() {
    let (peer, stdio) = by_hand().await;
    let noise = 5 * MIB;
    for _ in 0..5 * 64 {
        peer.emit(Frame::stderr(vec![b'e'; MIB / 64]));
    }
    peer.emit(Frame::stdout("through"));
    peer.emit(Frame::exit(ExitCode::new(0)));
    let (mut stdout, _stdin, mut stderr, exit) = stdio.into_parts();
    let mut text = String::new();
    timeout(STUCK, stdout.read_to_string(&mut text))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(text, "through");
    assert_eq!(exit.wait().await.unwrap(), status(0));
    assert_eq!(stderr.dropped_bytes(), (noise - MIB) as u64);
    let mut kept = Vec::new();
    stderr.read_to_end(&mut kept).await.unwrap();
    assert_eq!(kept.len(), MIB, "exactly the newest mebibyte is kept");
}

#[tokio::test(start_paused = true)]
async fn of_unread_standard_error_the_newest_bytes_are_kept() {
    let (peer, stdio) = by_hand().await;
    peer.emit(Frame::stderr(vec![b'a'; MIB]));
    peer.emit(Frame::stderr("newest"));
    peer.end();
    let (mut stdout, _stdin, mut stderr, _exit) = stdio.into_parts();
    assert_eq!(stdout.read(&mut [0]).await.unwrap(), 0);
    let mut kept = Vec::new();
    stderr.read_to_end(&mut kept).await.unwrap();
    assert_eq!((kept.len(), &kept[MIB - 8..]), (MIB, &b"aanewest"[..]));
    assert_eq!(stderr.dropped_bytes(), 6);
}

#[tokio::test(start_paused = true)]
async fn unread_standard_output_stays_with_the_peer_beyond_its_bound() {
    let connection = Arc::new(Counting::new(Frame::stdout(vec![b'x'; 1000])));
    let stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    let (stdout, _stdin, mut stderr, exit) = stdio.into_parts();
    assert!(timeout(STUCK, exit.wait()).await.is_err());
    let bound = MIB.div_ceil(1000);
    assert_eq!(connection.received.load(Ordering::Relaxed), bound);
    assert!(timeout(STUCK, stderr.read(&mut [0])).await.is_err());
    assert_eq!(connection.received.load(Ordering::Relaxed), bound);
    drop(stdout);
}

#[tokio::test(start_paused = true)]
async fn a_process_that_never_pauses_leaves_others_their_turn() {
    let connection = Arc::new(Counting::new(Frame::stderr("noise")));
    let stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    let (mut stdout, stdin, stderr, _exit) = stdio.into_parts();
    let counter = Counter::new();
    let mut buffer = [0; 1];
    let mut read = pin!(stdout.read(&mut buffer));
    for polled in 1..=3 {
        assert!(poll_with(&counter, read.as_mut()).is_pending());
        assert_eq!(counter.woken(), polled, "it asks to be polled again");
    }
    drop((stdin, stderr));
    assert!(poll_with(&counter, read.as_mut()).is_pending());
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_behind_full_output_goes_on_when_it_is_read() {
    let (peer, stdio) = by_hand().await;
    peer.emit(Frame::stdout(vec![b'x'; 2 * MIB]));
    peer.emit(Frame::stderr("late"));
    peer.emit(Frame::exit(ExitCode::new(7)));
    let (mut stdout, _stdin, mut stderr, exit) = stdio.into_parts();
    let waiting = tokio::spawn(async move { exit.wait().await.unwrap() });
    let reading = tokio::spawn(async move { stderr.read_u32().await.unwrap() });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished() && !reading.is_finished());
    let mut bytes = vec![0; MIB + 1];
    stdout.read_exact(&mut bytes).await.unwrap();
    assert_eq!(timeout(STUCK, waiting).await.unwrap().unwrap(), status(7));
    assert_eq!(
        timeout(STUCK, reading).await.unwrap().unwrap(),
        u32::from_be_bytes(*b"late")
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_behind_full_output_goes_on_when_its_reader_is_dropped() {
    let (peer, stdio) = by_hand().await;
    peer.emit(Frame::stdout(vec![b'x'; 2 * MIB]));
    peer.emit(Frame::exit(ExitCode::new(7)));
    let (stdout, _stdin, _stderr, exit) = stdio.into_parts();
    let waiting = tokio::spawn(async move { exit.wait().await.unwrap() });
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    drop(stdout);
    assert_eq!(timeout(STUCK, waiting).await.unwrap().unwrap(), status(7));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_writer_ends_the_input_after_what_was_written() {
    let (peer, stdio) = scripted(
        Script::new()
            .expect("bye")
            .expect_end_of_input()
            .stdout("ok")
            .exit(ExitCode::new(0)),
    )
    .await;
    let (mut stdout, mut stdin, _stderr, exit) = stdio.into_parts();
    stdin.write_all(b"bye").await.unwrap();
    drop(stdin);
    let mut text = String::new();
    timeout(STUCK, stdout.read_to_string(&mut text))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (text.as_str(), exit.wait().await.unwrap()),
        ("ok", status(0))
    );
    assert_eq!(peer.finished(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_writer_whose_write_is_under_way_is_ended_by_those_who_wait() {
    let connection = Arc::new(Slow::default());
    let stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    let (_stdout, mut stdin, _stderr, exit) = stdio.into_parts();
    stdin.write_all(b"slow").await.unwrap();
    drop(stdin);
    let waiting = tokio::spawn(async move { exit.wait().await.unwrap() });
    tokio::task::yield_now().await;
    assert_eq!(connection.log(), ["send slow"]);
    connection.let_send();
    timeout(STUCK, connection.input_closed.notified())
        .await
        .unwrap();
    assert_eq!(connection.log(), ["send slow", "sent slow", "close input"]);
    connection.end();
    let expected = ExitStatus {
        code: None,
        message: None,
    };
    assert_eq!(timeout(STUCK, waiting).await.unwrap().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn shutdown_ends_the_input_once_and_later_writes_are_refused() {
    let (peer, mut stdio) = by_hand().await;
    stdio.write_all(b"last").await.unwrap();
    stdio.shutdown().await.unwrap();
    assert!(peer.input_ended());
    assert_eq!(peer.sent(), [b"last"]);
    stdio.shutdown().await.unwrap();
    stdio.flush().await.unwrap();
    let error = stdio.write(b"more").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(error.to_string(), "input of the process is closed");
    peer.emit(Frame::stdout("still talking"));
    let mut bytes = [0; 13];
    stdio.read_exact(&mut bytes).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_exit_carries_code_and_message_however_often_it_is_asked() {
    let (peer, stdio) = by_hand().await;
    peer.emit(Frame::exit(ExitCode::SIGNALED).with_message("signal 9"));
    let (_stdout, _stdin, _stderr, exit) = stdio.into_parts();
    let expected = ExitStatus {
        code: Some(ExitCode::SIGNALED),
        message: Some("signal 9".into()),
    };
    let other = exit.clone();
    assert_eq!(exit.wait().await.unwrap(), expected);
    assert_eq!(exit.wait().await.unwrap(), expected);
    assert_eq!(other.wait().await.unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_end_without_exit_has_no_code() {
    let (peer, stdio) = by_hand().await;
    peer.end();
    let (_stdout, _stdin, _stderr, exit) = stdio.into_parts();
    assert_eq!(
        exit.wait().await.unwrap(),
        ExitStatus {
            code: None,
            message: None
        }
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_receive_comes_after_the_bytes_before_it_and_stays() {
    let (peer, stdio) = by_hand().await;
    peer.emit(Frame::stdout("before"));
    let (mut stdout, _stdin, mut stderr, exit) = stdio.into_parts();
    assert_eq!(stdout.read_u8().await.unwrap(), b'b');
    peer.refuse_next(Operation::Recv);
    let mut rest = Vec::new();
    let error = timeout(STUCK, stdout.read_to_end(&mut rest))
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(rest, b"efore");
    let failure = failure_of(&error).clone();
    assert_eq!(failure.downcast_ref(), Some(&ScriptError::Refused));
    let again = [
        stdout.read(&mut [0]).await.unwrap_err(),
        stderr.read(&mut [0]).await.unwrap_err(),
        exit.wait().await.unwrap_err(),
    ];
    assert!(
        again
            .iter()
            .all(|error| failure_of(error).is_same(&failure))
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_send_fails_the_write_or_the_flush_after_it_and_stays() {
    let (peer, mut stdio) = by_hand().await;
    peer.refuse_next(Operation::Send);
    let error = stdio.write_all(b"lost").await.unwrap_err();
    let failure = failure_of(&error).clone();
    assert_eq!(failure.downcast_ref(), Some(&ScriptError::Refused));
    for error in [
        stdio.write(b"x").await.unwrap_err(),
        stdio.flush().await.unwrap_err(),
        stdio.shutdown().await.unwrap_err(),
    ] {
        assert!(failure_of(&error).is_same(&failure));
    }

    let connection = Arc::new(Slow::default());
    let mut stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    stdio.write_all(b"broken").await.unwrap();
    connection.break_sends();
    let error = timeout(STUCK, stdio.flush()).await.unwrap().unwrap_err();
    let write = failure_of(&error).downcast_ref::<SendError>().unwrap();
    assert!(
        matches!(write, SendError::Write(source) if source.kind() == io::ErrorKind::BrokenPipe)
    );
}

#[tokio::test(start_paused = true)]
async fn a_write_to_an_ended_process_is_a_broken_pipe() {
    let (peer, mut stdio) = by_hand().await;
    peer.emit(Frame::exit(ExitCode::new(0)));
    let error = stdio.write_all(b"x").await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(stdio.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn output_and_exit_may_be_awaited_by_two_tasks() {
    let (peer, stdio) = by_hand().await;
    let (mut stdout, _stdin, _stderr, exit) = stdio.into_parts();
    let waiting = tokio::spawn(async move { exit.wait().await.unwrap() });
    let reading = tokio::spawn(async move {
        let mut text = String::new();
        stdout.read_to_string(&mut text).await.unwrap();
        text
    });
    for piece in ["a", "b", "c"] {
        tokio::task::yield_now().await;
        peer.emit(Frame::stdout(piece));
    }
    tokio::task::yield_now().await;
    peer.emit(Frame::exit(ExitCode::new(5)));
    assert_eq!(timeout(STUCK, reading).await.unwrap().unwrap(), "abc");
    assert_eq!(timeout(STUCK, waiting).await.unwrap().unwrap(), status(5));
}

#[tokio::test(start_paused = true)]
async fn dropping_all_parts_ends_the_process() {
    let (peer, stdio) = by_hand().await;
    let (stdout, stdin, stderr, exit) = stdio.into_parts();
    drop((stdout, stdin, stderr));
    assert!(peer.input_ended());
    peer.emit(Frame::stderr("still alive"));
    let ended = tokio::spawn({
        let peer = peer.clone();
        async move { peer.next_sent().await }
    });
    drop(exit);
    assert_eq!(timeout(STUCK, ended).await.unwrap().unwrap(), None);
    let (peer, stdio) = by_hand().await;
    drop(stdio);
    assert_eq!(peer.next_sent().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_process_ends_though_calls_were_under_way() {
    let connection = Arc::new(Slow::default());
    let mut stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    stdio.write_all(b"slow").await.unwrap();
    assert!(timeout(STUCK, stdio.read(&mut [0])).await.is_err());
    drop(stdio);
    assert_eq!(
        Arc::strong_count(&connection),
        1,
        "nothing keeps the connection"
    );
}

#[tokio::test(start_paused = true)]
async fn cancelled_reads_lose_nothing() {
    let (peer, mut stdio) = by_hand().await;
    let mut read = Vec::new();
    for number in 0..50_u8 {
        let mut buffer = [0; 3];
        assert!(
            timeout(Duration::from_millis(1), stdio.read(&mut buffer))
                .await
                .is_err()
        );
        peer.emit(Frame::stdout([number, number]));
        let count = stdio
            .read(&mut buffer[..1 + usize::from(number % 2)])
            .await
            .unwrap();
        read.extend_from_slice(&buffer[..count]);
        if count == 1 {
            read.push(stdio.read_u8().await.unwrap());
        }
    }
    assert_eq!(
        read,
        (0..50)
            .flat_map(|number| [number, number])
            .collect::<Vec<u8>>()
    );
}

#[tokio::test(start_paused = true)]
async fn a_flush_is_woken_though_a_reader_polled_last() {
    let connection = Arc::new(Slow::default());
    let stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    let (mut stdout, mut stdin, _stderr, _exit) = stdio.into_parts();
    stdin.write_all(b"slow").await.unwrap();
    let (flushing, reading) = (Counter::new(), Counter::new());
    let mut flush = pin!(stdin.flush());
    assert!(poll_with(&flushing, flush.as_mut()).is_pending());
    let mut buffer = [0; 1];
    let mut read = pin!(stdout.read(&mut buffer));
    assert!(poll_with(&reading, read.as_mut()).is_pending());
    connection.let_send();
    assert_eq!((flushing.woken(), reading.woken()), (1, 1));
    // The reader moves the send along first; the flush sees what came of it.
    assert!(poll_with(&reading, read.as_mut()).is_pending());
    assert!(poll_with(&flushing, flush.as_mut()).is_ready());
}

#[tokio::test(start_paused = true)]
async fn every_part_that_waits_is_woken_by_one_frame() {
    let (peer, stdio) = by_hand().await;
    let (mut stdout, _stdin, mut stderr, exit) = stdio.into_parts();
    let other = exit.clone();
    let counters: Vec<Arc<Counter>> = (0..4).map(|_| Counter::new()).collect();
    let (mut one, mut two) = ([0; 1], [0; 1]);
    let mut waits: Vec<Pin<Box<dyn Future<Output = ()>>>> = vec![
        Box::pin(async { assert_eq!(stdout.read(&mut one).await.unwrap(), 0) }),
        Box::pin(async { assert_eq!(stderr.read(&mut two).await.unwrap(), 0) }),
        Box::pin(async { drop(exit.wait().await.unwrap()) }),
        Box::pin(async { drop(other.wait().await.unwrap()) }),
    ];
    for (wait, counter) in waits.iter_mut().zip(&counters) {
        assert!(poll_with(counter, wait.as_mut()).is_pending());
    }
    peer.emit(Frame::exit(ExitCode::new(0)));
    assert!(counters.iter().all(|counter| counter.woken() == 1));
    for (wait, counter) in waits.iter_mut().zip(&counters) {
        assert!(poll_with(counter, wait.as_mut()).is_ready());
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_reader_that_moves_between_tasks_only_the_last_is_kept() {
    let (peer, stdio) = by_hand().await;
    let (mut stdout, _stdin, _stderr, _exit) = stdio.into_parts();
    let counters: Vec<Arc<Counter>> = (0..1000).map(|_| Counter::new()).collect();
    for counter in &counters {
        let mut buffer = [0; 1];
        let mut read = pin!(stdout.read(&mut buffer));
        assert!(poll_with(counter, read.as_mut()).is_pending());
    }
    let kept = counters
        .iter()
        .filter(|counter| Arc::strong_count(counter) > 1)
        .count();
    assert_eq!(kept, 1);
    peer.emit(Frame::stdout("x"));
    assert_eq!(counters[999].woken(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_writes_much_before_it_reads_is_not_stuck() {
    // A peer that says as much as it hears, in a task of its own.
    let (peer, stdio) = by_hand().await;
    let echo = tokio::spawn(async move {
        while let Some(bytes) = peer.next_sent().await {
            peer.emit(Frame::stdout(bytes));
        }
        peer.emit(Frame::exit(ExitCode::new(0)));
    });
    let (mut reader, mut writer) = tokio::io::split(stdio);
    let sent: Vec<u8> = (0..4 * MIB).map(|at| (at / 1000) as u8).collect();
    let writing = tokio::spawn({
        let sent = sent.clone();
        async move {
            for piece in sent.chunks(70_001) {
                writer.write_all(piece).await.unwrap();
            }
            writer.shutdown().await.unwrap();
        }
    });
    let mut read = Vec::new();
    timeout(STUCK, reader.read_to_end(&mut read))
        .await
        .unwrap()
        .unwrap();
    assert!(read == sent);
    writing.await.unwrap();
    echo.await.unwrap();
}

/// Runs `task` to its end on this thread.
fn alone<T>(task: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(task)
}

#[test]
fn parts_may_be_polled_from_many_threads() {
    let expected: Vec<u8> = (0..50_u8).flat_map(|number| [number; 7]).collect();
    for _ in 0..100 {
        let (peer, stdio) = alone(by_hand());
        let (mut stdout, mut stdin, mut stderr, exit) = stdio.into_parts();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                alone(async {
                    while let Some(bytes) = peer.next_sent().await {
                        peer.emit(Frame::stderr(bytes.clone()));
                        peer.emit(Frame::stdout(bytes));
                    }
                    peer.emit(Frame::exit(ExitCode::new(0)));
                });
            });
            scope.spawn(move || {
                alone(async {
                    for number in 0..50_u8 {
                        stdin.write_all(&[number; 7]).await.unwrap();
                        stdin.flush().await.unwrap();
                    }
                });
            });
            let reading = scope.spawn(move || {
                let mut read = Vec::new();
                alone(stdout.read_to_end(&mut read)).unwrap();
                read
            });
            let errors = scope.spawn(move || {
                let mut read = Vec::new();
                alone(stderr.read_to_end(&mut read)).unwrap();
                read
            });
            assert_eq!(alone(exit.wait()).unwrap(), status(0));
            assert_eq!(reading.join().unwrap(), expected);
            assert_eq!(errors.join().unwrap(), expected);
        });
    }
}

#[tokio::test(start_paused = true)]
async fn the_connection_below_can_be_signalled() {
    let (_peer, mut stdio) = by_hand().await;
    stdio.connection().terminate().await.unwrap();
    assert_eq!(stdio.read(&mut [0]).await.unwrap(), 0);
    let (.., exit) = stdio.into_parts();
    let expected = ExitStatus {
        code: Some(ExitCode::SIGNALED),
        message: Some("terminated".into()),
    };
    assert_eq!(exit.wait().await.unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_failure_to_end_the_input_is_told() {
    let connection = Arc::new(Slow::default());
    connection.refuse_close_input.store(true, Ordering::Relaxed);
    let mut stdio = Stdio::over(Arc::clone(&connection) as Arc<dyn ProcessConnection>);
    let error = stdio.shutdown().await.unwrap_err();
    assert!(matches!(
        failure_of(&error).downcast_ref(),
        Some(ControlError::DidNotExit)
    ));
}

/// The whole of [`Stdio`] is what a stock client asks for.
const _: fn() = || {
    fn client(_stream: impl AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static) {}
    let _accepts = |stdio: Stdio| client(stdio);
};

#[tokio::test(start_paused = true)]
async fn a_read_fills_what_it_can_and_no_more() {
    let (peer, mut stdio) = by_hand().await;
    peer.emit(Frame::stdout("abc"));
    peer.emit(Frame::stdout("def"));
    let mut space = [b'-'; 8];
    let mut buffer = ReadBuf::new(&mut space);
    poll_fn(|cx| Pin::new(&mut stdio).poll_read(cx, &mut buffer))
        .await
        .unwrap();
    assert_eq!(buffer.filled(), b"abcdef");
    assert_eq!(&space, b"abcdef--");
}
