//! What the command line says.

use std::ffi::OsString;
use std::path::PathBuf;

use cassette_format::schema::{AgentSessionId, ProviderId};
use clap::{Args, Parser, Subcommand};

/// Record what a coding agent and its host say over stdio, and replay it without the agent.
#[derive(Debug, Parser)]
#[command(
    name = "cassette",
    version,
    about,
    arg_required_else_help = true,
    after_help = "Exit codes: record and replay end as the agent did, 128 + n for signal n; replay \
        ends with 120 when the client said something else than was recorded; 2 is wrong usage or \
        unreadable data."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command as it is, and record its stdio.
    Record(RecordArguments),
    /// Stand where the recorded command stood.
    Replay(ReplayArguments),
}

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The cassette's directory; `<command>.cassette` if not given.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a cassette that is there, once the new one is recorded.
    #[arg(long)]
    pub(crate) replace: bool,
    /// The kind of agent: acp, claude-code, claude-stream-json, codex, lsp, mcp, raw, tutti-agent.
    #[arg(long, value_name = "ID", default_value = "raw")]
    pub(crate) provider: ProviderId,
    /// The conversation that the agent serves.
    #[arg(long, value_name = "ID", default_value = "session-1")]
    pub(crate) session: AgentSessionId,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The cassette's directory.
    #[arg(value_name = "DIR")]
    pub(crate) cassette: PathBuf,
    /// Without the recorded pauses.
    #[arg(long)]
    pub(crate) fast_forward: bool,
    /// Ignored, so that `cassette replay DIR` stands where the agent's command stood.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    pub(crate) ignored: Vec<OsString>,
}
