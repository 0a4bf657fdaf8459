//! A cassette to replay, and the command to run.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use cassette_format::process::{
    ExitCode, Frame, Launch, LaunchSpec, MemoryTransport, ProcessTransport, Script, SessionContext,
};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{Clock, RecordOptions, Recorder};

pub(crate) const QUESTION: &[u8] = b"{\"id\":1,\"method\":\"ping\"}\n";
pub(crate) const OTHER_QUESTION: &[u8] = b"{\"id\":1,\"method\":\"pang\"}\n";
pub(crate) const ANSWER: &[u8] = b"{\"id\":1,\"result\":{}}\n";
pub(crate) const COMPLAINT: &[u8] = b"slow today\n";

/// Writes a cassette into `dir`: a question, a complaint on standard error, an
/// answer, the end with `exit`.
pub(crate) fn write(dir: &Path, exit: Frame) -> PathBuf {
    write_saying(dir, ("codex", QUESTION), exit)
}

/// The same of another provider, with another question.
pub(crate) fn write_saying(
    dir: &Path,
    (provider, question): (&str, &[u8]),
    exit: Frame,
) -> PathBuf {
    let script = script(question, exit);
    write_launches(dir, provider, &[(question, script)], timeless())
}

/// Writes a cassette of two launches of a session: one asks `QUESTION`, the other
/// `OTHER_QUESTION`.
pub(crate) fn write_two(dir: &Path) -> PathBuf {
    let launches = [QUESTION, OTHER_QUESTION].map(|asked| (asked, script(asked, exit_3())));
    write_launches(dir, "codex", &launches, timeless())
}

/// Writes a cassette in which everything happens a day after what came before.
pub(crate) fn write_slow(dir: &Path) -> PathBuf {
    let days = AtomicU64::new(0);
    let clock = move || Duration::from_secs(86_400) * days.fetch_add(1, Relaxed) as u32;
    let options = RecordOptions {
        clock: Some(Clock::from_fn(clock)),
        ..RecordOptions::default()
    };
    let launches = [(QUESTION, script(QUESTION, exit_3()))];
    write_launches(dir, "codex", &launches, options)
}

/// Writes a cassette that ends after an answer and a complaint, a while later each: the
/// agent is still there.
pub(crate) fn write_endless(dir: &Path) -> PathBuf {
    let script = Script::new()
        .expect(QUESTION)
        .stdout(ANSWER)
        .stderr(COMPLAINT);
    let pauses = AtomicU64::new(0);
    let pause = Duration::from_millis(100);
    let clock = move || pause * pauses.fetch_add(1, Relaxed) as u32;
    let options = RecordOptions {
        clock: Some(Clock::from_fn(clock)),
        ..RecordOptions::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let tape = dir.join("agent.cassette");
    runtime.block_on(async {
        let registry = provider_adapters::builtin();
        let recorder = Recorder::create(&tape, registry, options).unwrap();
        let transport = recorder.wrap(MemoryTransport::scripted([script]));
        let session = SessionContext::new("codex".parse().unwrap(), "s".parse().unwrap());
        let launch = Launch::for_session(LaunchSpec::new(["agent"]), session);
        let connection = transport.start(launch).await.unwrap();
        connection.send(QUESTION).await.unwrap();
        for _ in 0..2 {
            connection.recv().await.unwrap().unwrap();
        }
        connection.close().await.unwrap();
        recorder.finish().unwrap();
    });
    tape
}

/// Writes a cassette in which this follows `QUESTION`, of an agent of Codex's kind.
pub(crate) fn write_script(dir: &Path, script: Script) -> PathBuf {
    write_launches(dir, "codex", &[(QUESTION, script)], timeless())
}

/// Writes a cassette of an agent that says something before it is asked.
pub(crate) fn write_greeting(dir: &Path) -> PathBuf {
    let tape = dir.join("agent.cassette");
    let recorder = Recorder::create(&tape, provider_adapters::builtin(), timeless()).unwrap();
    let session = SessionContext::new("codex".parse().unwrap(), "s".parse().unwrap());
    let launch = Launch::for_session(LaunchSpec::new(["agent"]), session);
    let tap = recorder.tap(&launch).unwrap();
    tap.inbound(&Frame::stdout(COMPLAINT)).unwrap();
    tap.outbound(QUESTION).unwrap();
    tap.inbound(&Frame::stdout(ANSWER)).unwrap();
    tap.inbound(&exit_3()).unwrap();
    drop(tap);
    recorder.finish().unwrap();
    tape
}

/// Writes a cassette in which the answer to the question is longer than any pipe or socket
/// takes at once; gives that too.
pub(crate) fn write_long(dir: &Path) -> (PathBuf, Vec<u8>) {
    let numbers: Vec<String> = (0..400_000).map(|number| number.to_string()).collect();
    let answer = format!("{{\"id\":1,\"result\":[{}]}}\n", numbers.join(",")).into_bytes();
    let script = Script::new().expect(QUESTION).stdout(answer.clone());
    let launches = [(QUESTION, script.emit(exit_3()))];
    let tape = write_launches(dir, "codex", &launches, timeless());
    (tape, answer)
}

fn script(question: &[u8], exit: Frame) -> Script {
    let script = Script::new().expect(question).stderr(COMPLAINT);
    script.stdout(ANSWER).emit(exit)
}

fn write_launches(
    dir: &Path,
    provider: &str,
    launches: &[(&[u8], Script)],
    options: RecordOptions,
) -> PathBuf {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let tape = dir.join("agent.cassette");
    runtime.block_on(async {
        let registry = provider_adapters::builtin();
        let recorder = Recorder::create(&tape, registry, options).unwrap();
        let scripts = launches.iter().map(|(_, script)| script.clone());
        let transport = recorder.wrap(MemoryTransport::scripted(scripts));
        for (question, _) in launches {
            let session = SessionContext::new(provider.parse().unwrap(), "s".parse().unwrap());
            let launch = Launch::for_session(LaunchSpec::new(["agent"]), session);
            let connection = transport.start(launch).await.unwrap();
            connection.send(question).await.unwrap();
            while connection.recv().await.unwrap().is_some() {}
            connection.close().await.unwrap();
        }
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

/// A cassette in a directory of this name.
pub(crate) fn named(scratch: &Path, name: &str) -> PathBuf {
    let written = write(scratch, exit_3());
    let dir = scratch.join(name);
    fs::rename(written, &dir).unwrap();
    dir
}

/// Replaces a text of a file, which must be there.
pub(crate) fn change(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

/// Runs `cassette` with `arguments` in `dir` and gives it `input`.
pub(crate) fn cassette(dir: &Path, arguments: &[&str], input: &[u8]) -> Output {
    cassette_with(dir, &[], arguments, input)
}

/// The same with these variables in its environment.
pub(crate) fn cassette_with(
    dir: &Path,
    variables: &[(&str, &str)],
    arguments: &[&str],
    input: &[u8],
) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassette"));
    let streams = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Nothing of the developer's own but what programs need to run.
    let kept = ["PATH", "HOME", "TMPDIR", "SystemRoot"];
    let kept = kept
        .iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    let streams = streams.env_clear().envs(kept);
    let streams = streams.envs(variables.iter().copied());
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
