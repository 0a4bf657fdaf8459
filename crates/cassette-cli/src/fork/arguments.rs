//! What the command line says of forks.

use std::path::PathBuf;

use cassette_format::schema::{AgentSessionId, ProviderId};
use clap::{Args, Subcommand};
use fork_state::{ForkRequest, ProviderSessionId};

use crate::arguments::OutputArguments;

#[derive(Debug, Args)]
pub(crate) struct ForkArguments {
    #[command(subcommand)]
    pub(crate) command: ForkCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ForkCommand {
    /// Tell what binding a fork would do; write nothing.
    Plan(PlaceArguments),
    /// Bring the transcript of a forked session into its own home, exactly or not at all.
    Bind(PlaceArguments),
    /// Tell what transcripts hold, and whether they are sound.
    Inspect(FilesArguments),
}

#[derive(Debug, Args)]
#[command(
    after_help = "The homes are given by their paths (--source-home, --target-home), or as those of two sessions of a \
    host that keeps them at DIR/agent/runs/SESSION/HOME (--state, --source, --target). The provider must not be running."
)]
pub(crate) struct PlaceArguments {
    /// The kind of agent.
    #[arg(long, value_name = "ID", default_value = "codex")]
    pub(crate) provider: ProviderId,
    /// The provider's session that came of the fork, such as a thread id.
    #[arg(long = "thread", value_name = "ID")]
    pub(crate) target_thread: ProviderSessionId,
    /// The provider's session that was forked; another one than that of --thread.
    #[arg(long = "source-thread", value_name = "ID")]
    source_thread: Option<ProviderSessionId>,
    /// The directory that the fork works in, for providers that keep transcripts by it.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) homes: HomesArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct HomesArguments {
    /// The home that has the transcript, such as ~/.codex.
    #[arg(long, value_name = "DIR", required_unless_present = "state")]
    source_home: Option<PathBuf>,
    /// The home that is to have it; it is made.
    #[arg(long, value_name = "DIR", required_unless_present = "state")]
    target_home: Option<PathBuf>,
    /// A host's state directory.
    #[arg(
        long,
        value_name = "DIR",
        requires_all = ["source", "target"],
        conflicts_with_all = ["source_home", "target_home"]
    )]
    pub(crate) state: Option<PathBuf>,
    /// The host's session that was forked.
    #[arg(long, value_name = "SESSION", requires = "state")]
    source: Option<AgentSessionId>,
    /// The host's session that came of it.
    #[arg(long, value_name = "SESSION", requires = "state")]
    target: Option<AgentSessionId>,
    /// The host's workspace.
    #[arg(long, value_name = "ID", default_value = "default")]
    workspace: String,
}

#[derive(Debug, Args)]
pub(crate) struct FilesArguments {
    /// The kind of agent.
    #[arg(long, value_name = "ID", default_value = "codex")]
    pub(crate) provider: ProviderId,
    /// The transcripts.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

impl PlaceArguments {
    pub(crate) fn request(&self) -> ForkRequest {
        ForkRequest {
            provider: self.provider.clone(),
            workspace: self.homes.workspace.clone(),
            source_session: self.source_session(),
            target_session: self.target_session(),
            source_provider_session: self.source_thread(),
            target_provider_session: self.target_thread.clone(),
            target_cwd: self.cwd.clone(),
        }
    }

    /// The homes that are given by their paths.
    pub(crate) fn given_homes(&self) -> impl Iterator<Item = (AgentSessionId, PathBuf)> {
        let HomesArguments {
            source_home,
            target_home,
            ..
        } = &self.homes;
        let source = source_home
            .clone()
            .map(|home| (self.source_session(), home));
        let target = target_home
            .clone()
            .map(|home| (self.target_session(), home));
        source.into_iter().chain(target)
    }

    /// The session that was forked. Nothing is looked for by its name: where it is not given,
    /// any other than the target's is.
    fn source_thread(&self) -> ProviderSessionId {
        let given = self.source_thread.clone();
        let other =
            || ProviderSessionId::from_recorded(format!("source of {}", self.target_thread));
        given.unwrap_or_else(other)
    }

    /// Homes that are given by their paths belong to sessions of these names.
    fn source_session(&self) -> AgentSessionId {
        let given = self.homes.source.clone();
        given.unwrap_or_else(|| AgentSessionId::from_recorded("source"))
    }

    fn target_session(&self) -> AgentSessionId {
        let given = self.homes.target.clone();
        given.unwrap_or_else(|| AgentSessionId::from_recorded("target"))
    }
}
