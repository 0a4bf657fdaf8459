//! A cassette to replay, and the command to run.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use cassette_format::process::{
    ExitCode, Frame, Launch, LaunchSpec, MemoryTransport, ProcessTransport, Script, SessionContext,
};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{Clock, RecordOptions, Recorder};

pub(crate) const QUESTION: &[u8] = b"{\"id\":1,\"method\":\"ping\"}\n";
pub(crate) const ANSWER: &[u8] = b"{\"id\":1,\"result\":{}}\n";
pub(crate) const COMPLAINT: &[u8] = b"slow today\n";

/// Writes a cassette into `dir`: a question, a complaint on standard error, an
/// answer, the end with `exit`.
pub(crate) fn write(dir: &Path, exit: Frame) -> PathBuf {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let tape = dir.join("agent.cassette");
    runtime.block_on(async {
        let script = Script::new()
            .expect(QUESTION)
            .stderr(COMPLAINT)
            .stdout(ANSWER)
            .emit(exit);
        let registry = provider_adapters::builtin();
        let recorder = Recorder::create(&tape, registry, timeless()).unwrap();
        let transport = recorder.wrap(MemoryTransport::scripted([script]));
        let session = SessionContext::new("codex".parse().unwrap(), "s".parse().unwrap());
        let launch = Launch::for_session(LaunchSpec::new(["agent"]), session);
        let connection = transport.start(launch).await.unwrap();
        connection.send(QUESTION).await.unwrap();
        while connection.recv().await.unwrap().is_some() {}
        connection.close().await.unwrap();
        recorder.finish().unwrap();
    });
    tape
}

/// Everything happens at once, so that every recording has the same bytes.
fn timeless() -> RecordOptions {
    RecordOptions {
        clock: Some(Clock::from_fn(|| Duration::ZERO)),
        ..RecordOptions::default()
    }
}

/// The end with code 3.
pub(crate) fn exit_3() -> Frame {
    Frame::exit(ExitCode::new(3))
}

/// What the chunks of a cassette say, without times.
pub(crate) fn conversation(dir: &Path) -> Vec<(String, Vec<u8>, Option<i64>)> {
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    let said = |chunk: cassette_format::store::ChunkView<'_>| {
        (
            chunk.kind().to_string(),
            chunk.data().unwrap(),
            chunk.exit_code(),
        )
    };
    tape.chunks().map(said).collect()
}

/// Runs `cassette` with `arguments` in `dir` and gives it `input`.
pub(crate) fn cassette(dir: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassette"));
    let streams = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = streams.args(arguments).current_dir(dir).spawn().unwrap();
    // A command that ends before it reads closes the pipe; its output tells why.
    let _closed = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Exit code, standard output, standard error.
pub(crate) fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}
