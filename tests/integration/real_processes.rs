//! Real processes through a recorder: this test binary itself is the agent
//! ([`agent`]), told by a variable what to do.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{
    Frame, FrameEvent, Launch, LaunchSpec, ProcessConnection, ProcessTransport, SessionContext,
};
use cassette_format::schema::ChunkKind;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{RecordOptions, Recorder};
use process_local::{LocalOptions, LocalTransport};

const ROLE: &str = "CASSETTE_TEST_AGENT";

/// The agent; does nothing unless it was started as one.
#[test]
fn agent() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stderr().lock());
    match role.as_str() {
        // Writes without reading, then reads all and says how much that was.
        "pushes back" => {
            output.write_all(&[b'x'; 256 * 1024]).unwrap();
            let mut received = Vec::new();
            input.read_to_end(&mut received).unwrap();
            writeln!(output, "\n{}", received.len()).unwrap();
        }
        // Answers each line.
        "answers" => {
            for line in std::io::BufRead::lines(input) {
                writeln!(output, "answer to {}", line.unwrap()).unwrap();
            }
        }
        other => panic!("unknown role {other}"),
    }
    #[expect(clippy::exit, reason = "the test harness is not to say more")]
    std::process::exit(0);
}

fn launch(role: &str, session: &str) -> Launch {
    let session = SessionContext::new("raw".parse().unwrap(), session.parse().unwrap());
    let argv = [
        std::env::current_exe().unwrap().into_os_string(),
        "--exact".into(),
        "real_processes::agent".into(),
        "--nocapture".into(),
    ];
    Launch::for_session(LaunchSpec::new(argv).with_variable(ROLE, role), session)
}

fn recorder(dir: &Path) -> Recorder {
    let options = RecordOptions::default();
    Recorder::create(dir, provider_adapters::builtin(), options).unwrap()
}

/// All that the agent says on standard error, where it says everything: on standard
/// output the test harness has its own say.
async fn hear(connection: &dyn ProcessConnection) -> Vec<u8> {
    let mut heard = Vec::new();
    while let Some(Frame { event, .. }) = connection.recv().await.unwrap() {
        if let FrameEvent::Stderr(bytes) = event {
            heard.extend(bytes);
        }
    }
    heard
}

#[tokio::test]
async fn a_send_gets_through_a_recorder_while_more_than_a_pipe_holds_is_unread() {
    let scratch = tempfile::tempdir().unwrap();
    let recorder = recorder(&scratch.path().join("tape"));
    let transport = recorder.wrap(LocalTransport::new(LocalOptions::default()));
    let agent = transport.start(launch("pushes back", "s")).await.unwrap();

    let sent = agent.send(&[b'y'; 128 * 1024]);
    tokio::time::timeout(Duration::from_secs(60), sent)
        .await
        .expect("it hangs")
        .unwrap();
    agent.close_input().await.unwrap();

    let heard = hear(agent.as_ref()).await;
    assert!(heard.ends_with(b"\n131072\n"), "{} bytes", heard.len());
    agent.close().await.unwrap();
    recorder.finish().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_connections_at_once_are_each_exact_and_no_answer_is_before_its_question() {
    const ROUNDS: usize = 100;
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let recorder = recorder(&dir);
    let transport = Arc::new(recorder.wrap(LocalTransport::new(LocalOptions::default())));
    let mut talks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let transport = Arc::clone(&transport);
        talks.spawn(async move {
            let launch = launch("answers", &format!("session-{number}"));
            let agent = transport.start(launch).await.unwrap();
            for round in 0..ROUNDS {
                let question = format!("{number}.{round}\n");
                agent.send(question.as_bytes()).await.unwrap();
            }
            agent.close_input().await.unwrap();
            let heard = hear(agent.as_ref()).await;
            agent.close().await.unwrap();
            let answers: String = (0..ROUNDS)
                .map(|round| format!("answer to {number}.{round}\n"))
                .collect();
            assert_eq!(String::from_utf8(heard).unwrap(), answers);
        });
    }
    while let Some(talked) = talks.join_next().await {
        talked.unwrap();
    }
    recorder.finish().unwrap();

    let tape = Tape::open(&dir, &ReadOptions::default()).unwrap();
    for record in &tape.manifest().connections {
        let (mut asked, mut answered) = (String::new(), String::new());
        for chunk in tape.connection_chunks(&record.connection_id) {
            let data = String::from_utf8(chunk.data().unwrap()).unwrap();
            match chunk.kind() {
                ChunkKind::Outbound => asked += &data,
                ChunkKind::Stderr => answered += &data,
                _ => continue,
            }
            // What is answered was asked before.
            let asked = asked.lines().count();
            assert!(
                answered.lines().count() <= asked,
                "{}",
                record.connection_id
            );
        }
        let answers: String = asked
            .lines()
            .map(|line| format!("answer to {line}\n"))
            .collect();
        assert_eq!((asked.lines().count(), answered), (ROUNDS, answers));
    }
}
