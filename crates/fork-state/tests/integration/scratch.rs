//! Two homes in a scratch directory, and bindings from one to the other.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use cassette_format::descriptor::{
    Descriptor, Dialect, MessageFraming, Registry, TargetId, TranscriptLayout,
};
use cassette_format::schema::AgentSessionId;
use fork_state::{BindError, BindOptions, Binder, Binding, DirectoryStore, ForkRequest, Plan};
use tempfile::TempDir;

use crate::tree::{files, tree};

/// Where Codex puts the rollout of a session on one day.
pub(crate) fn day(id: &str) -> String {
    format!("sessions/2026/11/30/rollout-2026-11-30T07-18-15-{id}.jsonl")
}

/// Two homes, of the host's sessions `one` and `two`.
#[derive(Debug)]
pub(crate) struct Scratch {
    folder: TempDir,
    home: &'static str,
    pub(crate) options: BindOptions,
    pub(crate) request: ForkRequest,
}

impl Scratch {
    /// Homes of Codex, and the request to bind `t2`, a fork of `t1`.
    pub(crate) fn new() -> Self {
        Self::of("codex", "codex-home")
    }

    /// Homes of another provider of [`providers`].
    pub(crate) fn of(provider: &str, home: &'static str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            home,
            options: BindOptions::default(),
            request: ForkRequest {
                provider: provider.parse().unwrap(),
                workspace: "app".into(),
                source_session: AgentSessionId::from_recorded("one"),
                target_session: AgentSessionId::from_recorded("two"),
                source_provider_session: "t1".parse().unwrap(),
                target_provider_session: "t2".parse().unwrap(),
                target_cwd: None,
            },
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root().join("state")
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.state().join("agent/runs/one").join(self.home)
    }

    pub(crate) fn target(&self) -> PathBuf {
        self.state().join("agent/runs/two").join(self.home)
    }

    /// Writes a file below the source's home, and its directories.
    pub(crate) fn put_source(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        put(&self.source().join(path), bytes.as_ref())
    }

    /// Writes a file below the target's home, and its directories.
    pub(crate) fn put_target(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        put(&self.target().join(path), bytes.as_ref())
    }

    pub(crate) fn target_bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.target().join(path)).unwrap()
    }

    pub(crate) fn plan(&self) -> Result<Plan, BindError> {
        self.with(|binder| binder.plan(&self.request))
    }

    pub(crate) fn apply(&self, plan: &Plan) -> Result<Binding, BindError> {
        self.with(|binder| binder.apply(plan))
    }

    pub(crate) fn bind(&self) -> Result<Binding, BindError> {
        self.with(|binder| binder.bind(&self.request))
    }

    fn with<T>(&self, act: impl FnOnce(&Binder<'_, DirectoryStore>) -> T) -> T {
        let (store, providers) = (DirectoryStore::new(self.state()).unwrap(), providers());
        act(&Binder::new(&store, &providers).with_options(self.options.clone()))
    }

    /// The plan, then the binding, which does what the plan says and nothing else to
    /// any file.
    pub(crate) fn bound(&self) -> Binding {
        let before = tree(self.root());
        let plan = self.plan().unwrap();
        assert_eq!(tree(self.root()), before, "a plan writes nothing");
        let source = tree(&self.source());
        let binding = self.bind().unwrap();
        assert_eq!(&binding, plan.binding());
        assert_eq!(tree(&self.source()), source, "the source is read only");
        self.expect_nothing_left();
        binding
    }

    /// What the refusal says, of the plan and of the binding, with paths below the
    /// scratch directory. Every file is as it was.
    pub(crate) fn refused(&self) -> String {
        let before = files(self.root());
        let planned = self.told(&self.plan().map(drop).unwrap_err());
        let bound = self.told(&self.bind().map(drop).unwrap_err());
        assert_eq!(files(self.root()), before);
        assert_eq!(planned, bound);
        bound
    }

    /// An error with what it comes from, with paths below the scratch directory.
    pub(crate) fn told(&self, error: &dyn Error) -> String {
        let mut told = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            told = format!("{told}: {error}");
            source = error.source();
        }
        let real = self.root().canonicalize().unwrap();
        told.replace(&format!("{}/", real.display()), "")
            .replace(&format!("{}/", self.root().display()), "")
            .replace("state/agent/runs/", "")
    }

    /// No binding left a temporary file anywhere.
    pub(crate) fn expect_nothing_left(&self) {
        let is_left = |path: &&PathBuf| path.to_string_lossy().contains(".cassette-fork-");
        let tree = tree(self.root());
        assert_eq!(tree.keys().find(is_left), None);
    }
}

pub(crate) fn put(path: &Path, bytes: &[u8]) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    path.to_owned()
}

/// Providers of every layout: `codex`, `claude-code`, and one with its files in a
/// directory below that of the project.
pub(crate) fn providers() -> Registry {
    let mut providers = Registry::new();
    let rollouts = TranscriptLayout::Rollouts {
        directories: vec!["sessions".into(), "archived_sessions".into()],
        traces: vec!["thread-writer-locks".into()],
    };
    let projects = |subdirectory: Option<&str>| TranscriptLayout::ProjectFiles {
        directory: "projects".into(),
        subdirectory: subdirectory.map(str::to_owned),
    };
    for (provider, home, layout) in [
        ("codex", Some("codex-home"), Some(rollouts.clone())),
        ("claude-code", Some("claude-home"), Some(projects(None))),
        ("chats", Some(".qwen"), Some(projects(Some("chats")))),
        ("no-layout", Some("home"), None),
        ("no-home", None, Some(rollouts)),
    ] {
        let target = TargetId::named(format!("local:{provider}"));
        let provider = provider.parse().unwrap();
        let mut descriptor =
            Descriptor::new(provider, target, MessageFraming::Lines, Dialect::JsonRpc);
        descriptor.session_home = home.map(str::to_owned);
        descriptor.transcripts = layout;
        providers.register(descriptor).unwrap();
    }
    providers
}
