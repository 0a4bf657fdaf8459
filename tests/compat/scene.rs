//! A conversation as data, and its recording.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cassette_format::descriptor::Registry;
use cassette_format::process::{Frame, Inheritance, Launch, LaunchSpec, SessionContext};
use cassette_record::{Clock, RecordOptions, Recorder, Tap};
use provider_adapters::read_descriptor;

use crate::golden::folder;

/// Where the recorded agents worked.
pub(crate) const CWD: &str = "/home/dev/projects/demo";
/// The home they were given.
pub(crate) const HOME: &str = "/home/dev";

/// Where one worked that ran on Windows.
pub(crate) const WINDOWS_CWD: &str = r"C:\Users\dev\projects\demo";
/// The home it was given.
pub(crate) const WINDOWS_HOME: &str = r"C:\Users\dev";

/// The providers of all scenes: the built-in ones, and one whose paths have Windows forms.
pub(crate) fn registry() -> Registry {
    let mut registry = provider_adapters::builtin();
    let windows_forms = read_descriptor(&folder().join("windows-forms.toml")).unwrap();
    registry.register(windows_forms).unwrap();
    registry
}

/// A recorded process.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) provider: &'static str,
    pub(crate) agent_session: &'static str,
    pub(crate) root_session: Option<&'static str>,
    /// The working directory and the home.
    pub(crate) directories: (&'static str, &'static str),
}

impl Process {
    /// A process whose session is a root.
    pub(crate) const fn root(provider: &'static str, agent_session: &'static str) -> Self {
        Self {
            provider,
            agent_session,
            root_session: None,
            directories: (CWD, HOME),
        }
    }

    fn launch(&self) -> Launch {
        let mut session = SessionContext::new(
            self.provider.parse().unwrap(),
            self.agent_session.parse().unwrap(),
        );
        session.root_session = self.root_session.map(|root| root.parse().unwrap());
        let mut spec = LaunchSpec::new(["agent"])
            .in_directory(self.directories.0)
            .with_variable("HOME", self.directories.1);
        spec.inheritance = Inheritance::Clear;
        Launch::for_session(spec, session)
    }
}

/// What passes.
#[derive(Debug)]
pub(crate) enum Step {
    /// From the host to this process.
    Host(usize, Vec<u8>),
    /// From this process to the host.
    Agent(usize, Frame),
    /// Milliseconds pass.
    Wait(u64),
}

/// What passes between a host and one or more processes.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) processes: Vec<Process>,
    pub(crate) steps: Vec<Step>,
    pub(crate) options: RecordOptions,
}

impl Scene {
    pub(crate) fn new(name: &'static str, processes: Vec<Process>) -> Self {
        Self {
            name,
            processes,
            steps: Vec::new(),
            options: RecordOptions::default(),
        }
    }

    pub(crate) fn host(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.host_of(0, bytes)
    }

    pub(crate) fn host_of(mut self, process: usize, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Host(process, bytes.into()));
        self
    }

    pub(crate) fn agent(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.frame_of(0, Frame::stdout(bytes.into()))
    }

    pub(crate) fn frame(self, frame: Frame) -> Self {
        self.frame_of(0, frame)
    }

    pub(crate) fn frame_of(mut self, process: usize, frame: Frame) -> Self {
        self.steps.push(Step::Agent(process, frame));
        self
    }

    pub(crate) fn wait(mut self, milliseconds: u64) -> Self {
        self.steps.push(Step::Wait(milliseconds));
        self
    }

    /// Records it into a directory that is not there yet.
    pub(crate) fn record(self, dir: &Path) {
        let now = Arc::new(AtomicU64::new(0));
        let clock = Arc::clone(&now);
        let mut options = self.options;
        options.clock = Some(Clock::from_fn(move || {
            Duration::from_millis(clock.load(Ordering::Relaxed))
        }));
        let recorder = Recorder::create(dir, registry(), options).unwrap();
        let taps: Vec<Tap> = self
            .processes
            .iter()
            .map(|process| recorder.tap(&process.launch()).unwrap())
            .collect();
        for step in self.steps {
            match step {
                Step::Host(process, bytes) => taps[process].outbound(&bytes).unwrap(),
                Step::Agent(process, frame) => drop(taps[process].inbound(&frame).unwrap()),
                Step::Wait(milliseconds) => drop(now.fetch_add(milliseconds, Ordering::Relaxed)),
            }
        }
        for tap in &taps {
            tap.close().unwrap();
        }
        recorder.finish().unwrap();
    }
}
