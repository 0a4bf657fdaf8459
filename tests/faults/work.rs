//! What is done under the tracer. Each says how far it is: what was said has happened for its
//! caller, who may rely on it.

use std::fs;
use std::io::{Seek as _, Write as _};
use std::path::Path;

use cassette_format::process::{Frame, Launch, LaunchSpec, SessionContext};
use cassette_format::schema::{AgentSessionId, Manifest, TapeLimits};
use cassette_format::store::{CassetteDir, ReadOptions, replace_manifest};
use cassette_record::{Existing, RecordOptions, Recorder, RecoverMode, Tap, recover};
use fork_state::{BindError, Binder, Binding, DirectoryStore, ForkRequest};

use crate::scratch::scratch;
use crate::tracer::directory;

/// More than the calls of one kind that the test harness makes.
const WARM_UP: usize = 60;

fn say(what: &str) {
    // One call, which the trace shows.
    let said = format!("said: {what}\n");
    std::io::stderr().write_all(said.as_bytes()).unwrap();
}

/// How many messages are recorded.
pub(crate) const MESSAGES: usize = 4;

pub(crate) fn message(number: usize) -> String {
    format!("{{\"method\":\"event\",\"params\":{{\"number\":{number}}}}}\n")
}

/// As many calls of every kind as another thread may make, as [`crate::every_call`] needs it.
fn begin() {
    let (_made, directory) = scratch();
    for _ in 0..WARM_UP {
        let (one, other) = (directory.join("one"), directory.join("other"));
        fs::create_dir(&one).unwrap();
        fs::remove_dir(&one).unwrap();
        let mut file = fs::File::create(&one).unwrap();
        file.write_all(b"bytes").unwrap();
        file.sync_all().unwrap();
        file.sync_data().unwrap();
        file.set_len(1).unwrap();
        file.rewind().unwrap();
        file.lock().unwrap();
        file.unlock().unwrap();
        fs::rename(&one, &other).unwrap();
        fs::read(&other).unwrap();
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
        fs::remove_file(&other).unwrap();
    }
    say("begin");
}

/// A recorder of one session.
pub(crate) fn recorder(directory: &Path) -> (Recorder, Tap) {
    recorder_with(directory, RecordOptions::default())
}

fn recorder_with(directory: &Path, options: RecordOptions) -> (Recorder, Tap) {
    let recorder = Recorder::create(directory, provider_adapters::builtin(), options).unwrap();
    let session = SessionContext::new("codex".parse().unwrap(), "s".parse().unwrap());
    let launch = Launch::for_session(LaunchSpec::new(["agent"]), session);
    let tap = recorder.tap(&launch).unwrap();
    (recorder, tap)
}

#[test]
fn recording() {
    let Some(directory) = directory() else { return };
    begin();
    let (recorder, tap) = recorder(&directory.join("tape"));
    say("begun");
    for number in 0..MESSAGES {
        // In two pieces, so that there is something unfinished at any time.
        let message = message(number);
        let (half, rest) = message.split_at(message.len() / 2);
        tap.inbound(&Frame::stdout(half)).unwrap();
        tap.inbound(&Frame::stdout(rest)).unwrap();
        say("released");
    }
    drop(tap);
    recorder.finish().unwrap();
    say("finished");
}

#[test]
fn recording_anew() {
    let Some(directory) = directory() else { return };
    let options = RecordOptions {
        existing: Existing::Replace,
        ..RecordOptions::default()
    };
    let (recorder, tap) = recorder_with(&directory.join("tape"), options);
    say("begun");
    for number in 0..MESSAGES {
        tap.inbound(&Frame::stdout(message(number))).unwrap();
    }
    drop(tap);
    recorder.finish().unwrap();
    say("finished");
}

/// The manifest of a cassette after so many replacements.
pub(crate) fn manifest(number: usize) -> Manifest {
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.annotations.agent_version = Some(format!("number {number}"));
    manifest
}

#[test]
fn replacing() {
    let Some(directory) = directory() else { return };
    let tape = CassetteDir::new(directory.join("tape"));
    begin();
    for number in 1..=2 {
        replace_manifest(&tape, &manifest(number)).unwrap();
        say("replaced");
    }
}

#[test]
fn recovering() {
    let Some(directory) = directory() else { return };
    let (from, to) = (directory.join("tape"), directory.join("recovered"));
    recover(from, to, RecoverMode::Tail, &ReadOptions::default()).unwrap();
    say("recovered");
}

/// A fork and its parent, below a home, with the records of both.
pub(crate) fn transcripts() -> [(&'static str, String); 2] {
    let parent = "{\"ordinal\":0,\"type\":\"session_meta\",\"payload\":{\"id\":\"t1\"}}\n\
        {\"ordinal\":1,\"type\":\"event_msg\",\"payload\":{}}\n";
    let fork = format!(
        "{{\"ordinal\":2,\"type\":\"session_meta\",\"payload\":{{\"id\":\"t2\",\"history_base\":\
         {{\"thread_id\":\"t1\",\"end_ordinal_exclusive\":2,\"end_byte_offset\":{}}}}}}}\n\
         {{\"ordinal\":3,\"type\":\"event_msg\",\"payload\":{{}}}}\n",
        parent.len()
    );
    [
        ("sessions/2026/11/30/rollout-t1.jsonl", parent.to_owned()),
        ("sessions/2026/11/30/rollout-t2.jsonl", fork),
    ]
}

/// The home of a session, in a directory of homes.
pub(crate) fn home(directory: &Path, session: &str) -> std::path::PathBuf {
    directory
        .join("agent/runs")
        .join(session)
        .join("codex-home")
}

pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn bind(directory: &Path) -> Result<Binding, BindError> {
    let (store, providers) = (
        DirectoryStore::new(directory).unwrap(),
        provider_adapters::builtin(),
    );
    Binder::new(&store, &providers).bind(&ForkRequest {
        provider: "codex".parse().unwrap(),
        workspace: "app".into(),
        source_session: AgentSessionId::from_recorded("one"),
        target_session: AgentSessionId::from_recorded("two"),
        source_provider_session: "t1".parse().unwrap(),
        target_provider_session: "t2".parse().unwrap(),
        target_cwd: None,
    })
}

#[test]
fn binding() {
    let Some(directory) = directory() else { return };
    bind(&directory).unwrap();
    say("bound");
}
