//! The scripted peer: what a test author relies on.

use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{
    ControlError, EndRequest, ExitCode, Failure, Frame, Launch, LaunchSpec, MemoryTransport,
    Operation, ProcessConnection, ProcessTransport, RecvError, Script, ScriptError, SendError,
    StartError,
};
use proptest::prelude::*;
use tokio::time::timeout;

/// With the paused clock this passes as soon as nobody can go on.
const STUCK: Duration = Duration::from_secs(60);

type Connection = Arc<dyn ProcessConnection>;

fn launch() -> Launch {
    LaunchSpec::new(["agent"])
        .with_variable("NAME", "value")
        .into()
}

async fn start(script: Script) -> (MemoryTransport, Connection) {
    let transport = MemoryTransport::scripted([script]);
    let connection = transport.start(launch()).await.unwrap();
    (transport, connection)
}

fn script_error(failure: &Failure) -> ScriptError {
    failure.downcast_ref::<ScriptError>().unwrap().clone()
}

fn send_failure(outcome: Result<(), SendError>) -> ScriptError {
    match outcome {
        Err(SendError::Failed(failure)) => script_error(&failure),
        other => panic!("{other:?}"),
    }
}

fn recv_failure(outcome: Result<Option<Frame>, RecvError>) -> ScriptError {
    match outcome {
        Err(RecvError::Failed(failure)) => script_error(&failure),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_script_plays_to_its_end() {
    let script = Script::new()
        .stdout("hello\n")
        .expect("ping\n")
        .stderr("thinking\n")
        .emit(Frame::message_only("note"))
        .stdout("pong\n")
        .expect_end_of_input()
        .exit(ExitCode::new(3));
    let (transport, agent) = start(script).await;
    let peer = transport.peer(0).unwrap();
    assert_eq!(agent.recv().await.unwrap(), Some(Frame::stdout("hello\n")));
    assert_eq!(
        peer.finished(),
        Err(ScriptError::Unfinished { step: 2, left: 6 })
    );
    agent.send(b"ping\n").await.unwrap();
    for expected in [
        Frame::stderr("thinking\n"),
        Frame::message_only("note"),
        Frame::stdout("pong\n"),
    ] {
        assert_eq!(agent.recv().await.unwrap(), Some(expected));
    }
    agent.close_input().await.unwrap();
    assert_eq!(
        agent.recv().await.unwrap(),
        Some(Frame::exit(ExitCode::new(3)))
    );
    assert_eq!(agent.recv().await.unwrap(), None);
    assert_eq!(agent.recv().await.unwrap(), None);
    assert_eq!(peer.finished(), Ok(()));
    assert_eq!(peer.sent(), [b"ping\n"]);
}

#[tokio::test]
async fn other_bytes_name_the_step_and_the_first_that_differs() {
    let (transport, agent) = start(
        Script::new()
            .expect("one\n")
            .stdout("1")
            .expect("two\n")
            .exit(ExitCode::new(0)),
    )
    .await;
    agent.send(b"one\nt").await.unwrap();
    let expected = ScriptError::Unexpected { step: 3, offset: 2 };
    assert_eq!(send_failure(agent.send(b"wx").await), expected);
    assert_eq!(transport.peer(0).unwrap().finished(), Err(expected.clone()));
    assert_eq!(
        expected.to_string(),
        "step 3 of the script expects other bytes: they differ at byte 2"
    );
    assert_eq!(
        send_failure(agent.send(b"o\n").await),
        expected,
        "the first failure is kept"
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_left_the_script_is_told_so_instead_of_waiting_for_ever() {
    let (_transport, agent) =
        start(Script::new().stdout("said before").expect("a").stdout("b")).await;
    let waiting = tokio::spawn({
        let agent = Arc::clone(&agent);
        async move { (agent.recv().await, agent.recv().await) }
    });
    tokio::task::yield_now().await;
    let expected = ScriptError::Unexpected { step: 2, offset: 0 };
    assert_eq!(send_failure(agent.send(b"x").await), expected);
    let (said, failed) = timeout(STUCK, waiting).await.unwrap().unwrap();
    assert_eq!(said.unwrap(), Some(Frame::stdout("said before")));
    assert_eq!(recv_failure(failed), expected);
    agent.kill().await.unwrap();
    let last = Frame::exit(ExitCode::SIGNALED).with_message("killed");
    assert_eq!(agent.recv().await.unwrap(), Some(last));
}

#[tokio::test]
async fn bytes_that_no_step_asks_for_are_refused() {
    let (transport, agent) = start(Script::new().expect("a").stdout("b")).await;
    let expected = ScriptError::Unasked { step: 2, bytes: 3 };
    assert_eq!(send_failure(agent.send(b"axyz").await), expected);
    assert_eq!(transport.peer(0).unwrap().finished(), Err(expected));
    let (_transport, agent) =
        start(Script::new().expect_end_of_input().exit(ExitCode::new(0))).await;
    assert_eq!(
        send_failure(agent.send(b"x").await),
        ScriptError::Unasked { step: 0, bytes: 1 }
    );
}

#[tokio::test]
async fn a_launch_without_script_is_refused() {
    let (transport, _agent) = start(Script::new().stdout("only")).await;
    match transport.start(launch()).await {
        Err(StartError::Refused(failure)) => {
            assert_eq!(script_error(&failure), ScriptError::NoScript { launch: 2 });
        }
        _ => panic!("there is no second script"),
    }
    assert_eq!(transport.launches(), 1);
}

#[tokio::test]
async fn a_refused_launch_uses_nothing_up() {
    let transport = MemoryTransport::scripted([Script::new().stdout("first")]);
    transport.refuse_next_launch();
    assert!(
        matches!(transport.start(launch()).await, Err(StartError::Refused(failure)) if script_error(&failure) == ScriptError::Refused)
    );
    assert_eq!(transport.launches(), 0);
    let agent = transport.start(launch()).await.unwrap();
    assert_eq!(agent.recv().await.unwrap(), Some(Frame::stdout("first")));
    let peer = transport.peer(0).unwrap();
    assert_eq!(peer.launch().spec.argv, launch().spec.argv);
    let value = agent.effective_environment().unwrap().get("NAME");
    assert_eq!(value, Some("value".as_ref()));
}

#[tokio::test]
async fn a_refusal_fails_one_call_and_loses_nothing() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    let peer = transport.peer(0).unwrap();
    peer.emit(Frame::stdout("kept"));
    for operation in [Operation::Send, Operation::Recv, Operation::Close] {
        peer.refuse_next(operation);
    }
    assert_eq!(
        send_failure(agent.send(b"lost").await),
        ScriptError::Refused
    );
    assert_eq!(recv_failure(agent.recv().await), ScriptError::Refused);
    assert!(
        matches!(agent.close().await, Err(ControlError::Failed(failure)) if script_error(&failure) == ScriptError::Refused)
    );
    agent.send(b"taken").await.unwrap();
    assert_eq!(agent.recv().await.unwrap(), Some(Frame::stdout("kept")));
    assert_eq!(peer.sent(), [b"taken"]);
    agent.close().await.unwrap();
    assert_eq!(agent.recv().await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_the_receive_that_waits() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    let waiting = tokio::spawn(async move { agent.recv().await });
    tokio::task::yield_now().await;
    transport.peer(0).unwrap().refuse_next(Operation::Recv);
    assert_eq!(
        recv_failure(timeout(STUCK, waiting).await.unwrap().unwrap()),
        ScriptError::Refused
    );
}

#[tokio::test]
async fn nothing_is_sent_after_the_input_or_the_process_has_ended() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    let peer = transport.peer(0).unwrap();
    assert!(!peer.input_ended());
    agent.close_input().await.unwrap();
    agent.close_input().await.unwrap();
    assert!(peer.input_ended());
    assert!(matches!(agent.send(b"x").await, Err(SendError::Closed)));
    assert_eq!(peer.next_sent().await, None);
    peer.emit(Frame::stdout("after the end of input"));
    peer.emit(Frame::exit(ExitCode::new(0)));
    peer.emit(Frame::stdout("never said"));
    assert_eq!(
        agent.recv().await.unwrap(),
        Some(Frame::stdout("after the end of input"))
    );
    assert_eq!(
        agent.recv().await.unwrap(),
        Some(Frame::exit(ExitCode::new(0)))
    );
    assert_eq!(agent.recv().await.unwrap(), None);
}

#[tokio::test]
async fn sends_are_seen_one_by_one_while_the_host_goes_on() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    let peer = transport.peer(0).unwrap();
    let seen = tokio::spawn(async move {
        (
            peer.next_sent().await,
            peer.next_sent().await,
            peer.next_sent().await,
        )
    });
    tokio::task::yield_now().await;
    agent.send(b"a").await.unwrap();
    agent.send(b"").await.unwrap();
    drop(agent);
    assert_eq!(
        seen.await.unwrap(),
        (Some(b"a".to_vec()), Some(Vec::new()), None)
    );
}

#[tokio::test]
async fn a_signal_is_said_once_and_after_what_was_said_before() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    transport.peer(0).unwrap().emit(Frame::stdout("last words"));
    agent.terminate().await.unwrap();
    agent.kill().await.unwrap();
    assert_eq!(
        agent.recv().await.unwrap(),
        Some(Frame::stdout("last words"))
    );
    let last = Frame::exit(ExitCode::SIGNALED).with_message("terminated");
    assert_eq!(agent.recv().await.unwrap(), Some(last));
    assert_eq!(agent.recv().await.unwrap(), None);
}

#[tokio::test]
async fn however_it_is_asked_to_end_a_peer_in_memory_is_terminated() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    agent.ask_to_end(EndRequest::HangUp).await.unwrap();
    let last = Frame::exit(ExitCode::SIGNALED).with_message("terminated");
    assert_eq!(agent.recv().await.unwrap(), Some(last));
}

#[tokio::test]
async fn a_cancelled_receive_loses_no_frame() {
    let transport = MemoryTransport::new();
    let agent = transport.start(launch()).await.unwrap();
    let peer = transport.peer(0).unwrap();
    for number in 0..100_u8 {
        let mut receiving = agent.recv();
        assert!(futures_poll(receiving.as_mut()).is_none());
        if number % 2 == 0 {
            peer.emit(Frame::stdout([number]));
            drop(receiving);
        } else {
            drop(receiving);
            peer.emit(Frame::stdout([number]));
        }
        assert_eq!(agent.recv().await.unwrap(), Some(Frame::stdout([number])));
    }
}

/// Polls once; the outcome if there is one.
fn futures_poll<T>(future: std::pin::Pin<&mut (impl Future<Output = T> + ?Sized)>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.poll(&mut context) {
        std::task::Poll::Ready(outcome) => Some(outcome),
        std::task::Poll::Pending => None,
    }
}

fn in_runtime<T>(run: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(run)
}

proptest! {
    #[test]
    fn expected_bytes_are_a_stream_however_writes_are_cut(
        steps in proptest::collection::vec("[ab]{0,4}", 1..6),
        cuts in proptest::collection::vec(0..6_usize, 0..30),
    ) {
        let script = steps.iter().fold(Script::new(), |script, step| {
            script.expect(step.as_bytes()).stdout(step.as_bytes())
        });
        let whole = steps.concat();
        in_runtime(async {
            let (transport, agent) = start(script).await;
            let mut rest = whole.as_bytes();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                agent.send(now).await.unwrap();
                rest = later;
            }
            agent.send(rest).await.unwrap();
            for step in &steps {
                assert_eq!(agent.recv().await.unwrap(), Some(Frame::stdout(step.as_bytes())));
            }
            assert_eq!(transport.peer(0).unwrap().finished(), Ok(()));
        });
    }

    #[test]
    fn one_wrong_byte_is_named_by_step_and_offset(
        steps in proptest::collection::vec("[ab]{1,4}", 1..5),
        at in any::<prop::sample::Index>(),
        one_by_one in any::<bool>(),
    ) {
        let script = steps.iter().fold(Script::new(), |script, step| script.expect(step.as_bytes()));
        let mut bytes = steps.concat().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = b'x';
        let mut before = 0;
        let step = steps.iter().position(|step| { before += step.len(); before > at }).unwrap();
        let offset = at - (before - steps[step].len());
        in_runtime(async {
            let (transport, agent) = start(script).await;
            let pieces = if one_by_one { 1 } else { bytes.len() };
            for piece in bytes.chunks(pieces) {
                let _sent = agent.send(piece).await;
            }
            let expected = ScriptError::Unexpected { step: step + 1, offset };
            assert_eq!(transport.peer(0).unwrap().finished(), Err(expected));
        });
    }
}
