//! A client is recorded with a process and then played to without it, each time in a
//! directory and a session of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cassette_format::process::{
    ExitCode, Launch, LaunchSpec, ProcessTransport, SessionContext, StdioReader, StdioWriter,
};
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{RecordOptions, Recorder};
use cassette_replay::{PlayOptions, Player};
use process_local::{LocalOptions, LocalTransport};
use serde::Serialize;
use tempfile::TempDir;

/// What a client has in its directory as `notes.txt`.
const NOTES: &str = "buy milk\n";

/// Output and input of a process.
pub(crate) type Streams = (StdioReader, StdioWriter);

pub(crate) struct Studio {
    provider: &'static str,
    command: Vec<String>,
    scratch: TempDir,
}

impl Studio {
    pub(crate) fn new(
        provider: &'static str,
        command: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            provider,
            command: command.into_iter().map(Into::into).collect(),
            scratch: tempfile::tempdir().unwrap(),
        }
    }

    /// A new directory with the notes in it.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let directory = self.scratch.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join("notes.txt"), NOTES).unwrap();
        directory
    }

    /// What a client is told by the process, which is recorded.
    pub(crate) async fn record<T>(
        &self,
        cwd: &Path,
        client: impl AsyncFnOnce(Streams, &Path) -> T,
    ) -> T {
        let registry = provider_adapters::builtin();
        let options = RecordOptions::default();
        let recorder = Recorder::create(self.tape(), registry, options).unwrap();
        let transport = recorder.wrap(LocalTransport::new(LocalOptions::default()));
        let told = self.run(&transport, ("recorded", cwd), client).await;
        assert_eq!(recorder.finish().unwrap(), CassetteStatus::Complete);
        told
    }

    /// What a client is told by the player, which says afterwards that all was played.
    pub(crate) async fn play<T>(
        &self,
        options: PlayOptions,
        cwd: &Path,
        client: impl AsyncFnOnce(Streams, &Path) -> T,
    ) -> T {
        let player = self.player(options);
        let told = self.run(&player, ("played", cwd), client).await;
        player.verify_complete().unwrap();
        told
    }

    async fn run<T>(
        &self,
        transport: &impl ProcessTransport,
        (session, cwd): (&str, &Path),
        client: impl AsyncFnOnce(Streams, &Path) -> T,
    ) -> T {
        let connection = transport.start(self.launch(session, cwd)).await.unwrap();
        let (output, input, errors, exit) = Arc::clone(&connection).into_stdio().into_parts();
        drop(errors);
        let told = client((output, input), cwd).await;
        // The client has dropped the streams, which ends the process's input.
        let exit = exit.wait().await.unwrap();
        assert_eq!(exit.code, Some(ExitCode::new(0)));
        connection.close().await.unwrap();
        told
    }

    pub(crate) fn player(&self, options: PlayOptions) -> Player {
        let tape = Tape::open(self.tape(), &ReadOptions::default()).unwrap();
        Player::new(tape, provider_adapters::builtin(), options).unwrap()
    }

    pub(crate) fn launch(&self, session: &str, cwd: &Path) -> Launch {
        let (provider, session) = (self.provider.parse(), session.parse());
        let session = SessionContext::new(provider.unwrap(), session.unwrap());
        let spec = LaunchSpec::new(&self.command).in_directory(cwd);
        Launch::for_session(spec, session)
    }

    fn tape(&self) -> PathBuf {
        self.scratch.path().join("tape")
    }
}

/// Everything that a client is told, in order. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    pub(crate) fn add(&self, message: &impl Serialize) {
        let message = serde_json::to_string(message).unwrap();
        self.0.lock().unwrap().push(message);
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// What was told in one directory, as it is told in another.
pub(crate) fn elsewhere(told: &[String], from: &Path, to: &Path) -> Vec<String> {
    let [from, to] = [from, to].map(|path| path.to_str().unwrap());
    let told = told.iter().map(|message| message.replace(from, to));
    told.collect()
}
