//! What the command line says.

use std::ffi::OsString;
use std::path::PathBuf;

use cassette_format::schema::{AgentSessionId, ProviderId};
use clap::{Args, Parser, Subcommand};

use crate::results::Form;

/// Record what a coding agent and its host say over stdio, and replay it without the agent.
#[derive(Debug, Parser)]
#[command(
    name = "cassette",
    version,
    about,
    arg_required_else_help = true,
    after_help = "Exit codes: record and replay end as the agent did, 128 + n for signal n; replay \
        ends with 120 when the client said something else than was recorded; checking commands end \
        with 1 when they have found something; 2 is wrong usage or unreadable data."
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
    /// Check that cassettes are whole and as they were recorded.
    Verify(CheckArguments),
    /// Tell what a cassette holds, in numbers.
    Inspect(InspectArguments),
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

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The cassettes' directories.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) cassettes: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The cassette's directory.
    #[arg(value_name = "DIR")]
    pub(crate) cassette: PathBuf,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

/// How a result is printed.
#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// Print one JSON object instead of a text.
    #[arg(long)]
    json: bool,
}

impl OutputArguments {
    pub(crate) const fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}
