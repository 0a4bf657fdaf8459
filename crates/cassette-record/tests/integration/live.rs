//! A recording by tap, as the tests of this crate make it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cassette_format::descriptor::{AccountRead, Descriptor, Dialect, MessageFraming, Registry};
use cassette_format::process::{Inheritance, Launch, LaunchSpec, SessionContext};
use cassette_format::store::{ReadOptions, TapePrefix};
use cassette_record::{Clock, RecordOptions, Recorder, Tap};
use tempfile::TempDir;

/// A recorder of one provider whose messages are lines of JSON-RPC, with `login` as its
/// credential method, and one tap of a process that works in `/work`.
pub(crate) struct Live {
    pub(crate) scratch: TempDir,
    pub(crate) recorder: Recorder,
    pub(crate) tap: Tap,
    now: Arc<AtomicU64>,
}

impl Live {
    pub(crate) fn new() -> Self {
        Self::with(RecordOptions::default())
    }

    pub(crate) fn with(mut options: RecordOptions) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let now = Arc::new(AtomicU64::new(0));
        let shown = Arc::clone(&now);
        let elapsed = move || Duration::from_millis(shown.load(Ordering::SeqCst));
        options.clock = Some(Clock::from_fn(elapsed));
        let dir = scratch.path().join("tape");
        let recorder = Recorder::create(dir, registry(), options).unwrap();
        let tap = recorder.tap(&launch("session-1")).unwrap();
        Self {
            scratch,
            recorder,
            tap,
            now,
        }
    }

    pub(crate) fn dir(&self) -> std::path::PathBuf {
        self.scratch.path().join("tape")
    }

    pub(crate) fn pass(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap();
        self.now.fetch_add(milliseconds, Ordering::SeqCst);
    }

    /// What is on disk at this moment.
    pub(crate) fn stored(&self) -> Vec<(String, String)> {
        stored(&self.dir())
    }
}

/// The kind and text of each chunk.
pub(crate) fn stored(dir: &Path) -> Vec<(String, String)> {
    let prefix = TapePrefix::open(dir, &ReadOptions::default()).unwrap();
    let chunks = prefix.chunks().map(|chunk| {
        let data = String::from_utf8(chunk.data().unwrap()).unwrap();
        (chunk.kind().as_str().to_owned(), data)
    });
    chunks.collect()
}

/// Texts as [`stored`] gives them.
pub(crate) fn texts(chunks: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = chunks
        .iter()
        .map(|(kind, text)| ((*kind).to_owned(), (*text).to_owned()));
    owned.collect()
}

pub(crate) fn launch(session: &str) -> Launch {
    let session = SessionContext::new("test".parse().unwrap(), session.parse().unwrap());
    let mut spec = LaunchSpec::new(["agent"]).in_directory("/work");
    spec.inheritance = Inheritance::Clear;
    Launch::for_session(spec.with_variable("HOME", "/home/ada"), session)
}

pub(crate) fn registry() -> Registry {
    let mut registry = Registry::new();
    registry
        .register(descriptor("test", MessageFraming::Lines))
        .unwrap();
    let mut raw = descriptor("raw", MessageFraming::Raw);
    raw.dialect = Dialect::Opaque;
    registry.register(raw).unwrap();
    registry
        .register(descriptor("framed", MessageFraming::ContentLength))
        .unwrap();
    registry
}

fn descriptor(id: &str, framing: MessageFraming) -> Descriptor {
    let mut descriptor = Descriptor::new(
        id.parse().unwrap(),
        format!("local:{id}").parse().unwrap(),
        framing,
        Dialect::JsonRpc,
    );
    descriptor.credential_methods.push("login".into());
    descriptor.account_read = Some(AccountRead {
        method: "account/read".into(),
        pointer: "/account/email".into(),
    });
    descriptor
}
