//! A player as byte streams, for clients that write and read as they like.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use cassette_format::process::{
    ControlError, ExitCode, ExitStatus, Frame, Launch, LaunchSpec, ProcessConnection,
    SessionContext,
};
use cassette_format::schema::ConnectionId;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{Clock, RecordOptions, Recorder};
use cassette_replay::{PlayError, PlayOptions, Player, ProgressError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

/// More than is received ahead of a client that does not read.
const LONG: usize = 3 * 1024 * 1024;

/// Ends what never ends by itself, at once: the clock goes on where nothing else does.
const LIMIT: Duration = Duration::from_secs(60);

fn session() -> SessionContext {
    SessionContext::new("codex".parse().unwrap(), "session".parse().unwrap())
}

fn request(number: usize) -> String {
    format!("{{\"id\":{number},\"method\":\"ask\"}}\n")
}

fn answer(number: usize, length: usize) -> String {
    let text = "x".repeat(length);
    format!("{{\"id\":{number},\"result\":\"{text}\"}}\n")
}

/// Plays a conversation in which each answer was waited for, and the end.
fn player(dir: &Path, answers: &[usize]) -> Player {
    let registry = provider_adapters::builtin;
    let recorder = Recorder::create(dir, registry(), RecordOptions::default()).unwrap();
    let launch = Launch::for_session(LaunchSpec::new(["agent"]), session());
    let tap = recorder.tap(&launch).unwrap();
    for (number, length) in answers.iter().enumerate() {
        tap.outbound(request(number).as_bytes()).unwrap();
        let answer = answer(number, *length);
        for piece in answer.as_bytes().chunks(64 * 1024) {
            tap.inbound(&Frame::stdout(piece)).unwrap();
        }
    }
    tap.inbound(&Frame::exit(ExitCode::new(0))).unwrap();
    drop(tap);
    recorder.finish().unwrap();
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    Player::new(tape, registry(), PlayOptions::fast_forward()).unwrap()
}

/// Plays a question, its answer and an hour later the end, at the pace of the recording.
fn player_of_idle_agent(dir: &Path) -> Player {
    let hours = Arc::new(AtomicU64::new(0));
    let now = Arc::clone(&hours);
    let options = RecordOptions {
        clock: Some(Clock::from_fn(move || {
            Duration::from_secs(3600 * now.load(Relaxed))
        })),
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(dir, provider_adapters::builtin(), options).unwrap();
    let launch = Launch::for_session(LaunchSpec::new(["agent"]), session());
    let tap = recorder.tap(&launch).unwrap();
    tap.outbound(request(0).as_bytes()).unwrap();
    tap.inbound(&Frame::stdout(answer(0, 10))).unwrap();
    hours.store(1, Relaxed);
    tap.inbound(&Frame::exit(ExitCode::new(0))).unwrap();
    drop(tap);
    recorder.finish().unwrap();
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    Player::new(tape, provider_adapters::builtin(), PlayOptions::default()).unwrap()
}

async fn soon<T>(call: impl Future<Output = T>) -> T {
    timeout(LIMIT, call).await.expect("it hangs")
}

/// What was left when a connection was closed.
async fn left_by(connection: &dyn ProcessConnection) -> PlayError {
    let Err(ControlError::Failed(failure)) = connection.close().await else {
        panic!("nothing was left")
    };
    failure.downcast_ref::<PlayError>().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_everything_before_it_reads_gets_every_answer() {
    let scratch = tempfile::tempdir().unwrap();
    let lengths = [10, 100_000, 10];
    let player = player(scratch.path(), &lengths);
    let connection = player.connect(session()).unwrap();
    let (mut output, mut input, errors, exit) = Arc::clone(&connection).into_stdio().into_parts();
    drop(errors);

    let requests: String = (0..lengths.len()).map(request).collect();
    soon(input.write_all(requests.as_bytes())).await.unwrap();
    soon(input.flush()).await.unwrap();
    drop(input);
    let mut read = String::new();
    let reads = output.read_to_string(&mut read);
    soon(reads).await.unwrap();

    let answers = lengths.iter().enumerate();
    let answers: String = answers
        .map(|(number, length)| answer(number, *length))
        .collect();
    assert!(read == answers, "{} bytes", read.len());
    let code = Some(ExitCode::new(0));
    let ended = ExitStatus {
        code,
        message: None,
    };
    assert_eq!(soon(exit.wait()).await.unwrap(), ended);
    connection.close().await.unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_held_up_like_at_a_full_pipe_and_may_close() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(scratch.path(), &[LONG, 10]);
    let connection = player.connect(session()).unwrap();
    let mut stdio = Arc::clone(&connection).into_stdio();
    for number in 0..2 {
        soon(stdio.write_all(request(number).as_bytes()))
            .await
            .unwrap();
    }
    let flushed = timeout(LIMIT, stdio.flush()).await;
    assert!(flushed.is_err(), "what was never answered was taken");

    let left = soon(left_by(connection.as_ref())).await;
    assert!(matches!(left, PlayError::Unconsumed { .. }), "{left:?}");
    assert!(soon(stdio.flush()).await.is_err());
    drop(stdio);
    assert!(player.verify_complete().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_and_drops_the_streams_leaves_nothing_that_waits() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(scratch.path(), &[LONG, 10]);
    let mut stdio = player.connect(session()).unwrap().into_stdio();
    for number in 0..2 {
        soon(stdio.write_all(request(number).as_bytes()))
            .await
            .unwrap();
    }
    drop(stdio);
    let connection_id = ConnectionId::numbered(1);
    let closed = player.wait_for_progress(&connection_id, LIMIT).await;
    assert_eq!(closed, Err(ProgressError::Closed { connection_id }));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_closes_before_it_reads_gets_all_of_what_it_asked_for() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player(scratch.path(), &[LONG]);
    let connection = player.connect(session()).unwrap();
    let mut stdio = Arc::clone(&connection).into_stdio();
    soon(stdio.write_all(request(0).as_bytes())).await.unwrap();
    soon(stdio.shutdown()).await.unwrap();
    let mut read = String::new();
    soon(stdio.read_to_string(&mut read)).await.unwrap();
    assert!(read == answer(0, LONG), "{} bytes", read.len());
    connection.close().await.unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_closes_what_it_still_holds_has_played_the_end_of_an_idle_agent() {
    let scratch = tempfile::tempdir().unwrap();
    let player = player_of_idle_agent(scratch.path());
    let agent = player.connect(session()).unwrap();
    let stdio = Arc::clone(&agent).into_stdio();
    let (mut reading, mut writing) = tokio::io::split(stdio);
    writing.write_all(request(0).as_bytes()).await.unwrap();
    let mut read = vec![0; answer(0, 10).len()];
    soon(reading.read_exact(&mut read)).await.unwrap();
    assert_eq!(read, answer(0, 10).as_bytes());

    soon(agent.close()).await.unwrap();

    player.verify_complete().unwrap();
    assert_eq!(soon(reading.read_to_end(&mut read)).await.unwrap(), 0);
}
