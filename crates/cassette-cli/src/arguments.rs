//! What the command line says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cassette_format::descriptor::Registry;
use cassette_format::process::Speed;
use cassette_format::schema::{AgentSessionId, ConnectionId, ProviderId};
use cassette_record::RecoverMode;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::descriptors;
use crate::duration;
use crate::fork::ForkArguments;
use crate::results::Form;

/// Record what a coding agent and its host say over stdio, and replay it without the agent.
#[derive(Debug, Parser)]
#[command(
    name = "cassette",
    version,
    about,
    arg_required_else_help = true,
    after_help = "Exit codes: record and replay end as the agent did, 128 + n for signal n; replay \
        ends with 120 when the client said something else than was recorded, record --fail-closed \
        and --require-complete with 121 when the recording has failed; checking commands end with 1 when they have found something; 2 is wrong usage or unreadable data."
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
    /// Show the conversation of a cassette, a line for each message.
    Show(ShowArguments),
    /// Check that cassettes are whole and as they were recorded.
    Verify(CheckArguments),
    /// Tell what a cassette holds, in numbers.
    Inspect(InspectArguments),
    /// Check that cassettes hold nothing personal, no credentials, no paths of one machine.
    Audit(CheckArguments),
    /// Make a complete cassette of what a crash left of one.
    Recover(RecoverArguments),
    /// Make a copy of a cassette without secrets that leaked into it.
    Redact(RedactArguments),
    /// Bring the transcript of a forked session into its own home.
    Fork(ForkArguments),
    /// List the providers, show one, or check a descriptor file.
    Providers(ProvidersArguments),
    /// Print what a shell reads to complete the command line.
    Completions(CompletionsArguments),
    /// Show what all of this is by doing it: a small agent is recorded, replayed, killed …
    Demo(DemoArguments),
    /// Tell what of this machine matters to recording and replaying.
    Doctor(DoctorArguments),
    /// The agent of the demo.
    #[command(hide = true)]
    DemoAgent,
}

#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// The cassette's directory; `<command>.cassette` if not given.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a cassette that is there, once the new one is recorded.
    #[arg(long)]
    pub(crate) replace: bool,
    /// The kind of agent: acp, claude-code, claude-stream-json, codex, lsp, mcp, raw, tutti-agent;
    /// guessed from the command if not given.
    #[arg(long, value_name = "ID")]
    pub(crate) provider: Option<ProviderId>,
    /// Stop the command when it cannot be recorded any more, and end with 121.
    #[arg(long)]
    pub(crate) fail_closed: bool,
    /// Leave the command alone, and end with 121 when the cassette is not complete.
    #[arg(long)]
    pub(crate) require_complete: bool,
    /// Record `${REDACTED:<NAME>}` where the value of a secret variable stands; else the recording
    /// fails there.
    #[arg(long)]
    pub(crate) redact_secrets: bool,
    /// End every process that the command has started, daemons too, also when this one is
    /// killed (Linux).
    #[arg(long)]
    pub(crate) supervised: bool,
    /// The conversation that the agent serves.
    #[arg(long, value_name = "ID", default_value = "session-1")]
    pub(crate) session: AgentSessionId,
    #[command(flatten)]
    pub(crate) descriptors: DescriptorArguments,
    #[command(flatten)]
    pub(crate) roots: RootArguments,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Options stand before DIR; what stands behind it is ignored, so that `cassette replay DIR` stands \
    where the agent's command stood."
)]
pub(crate) struct ReplayArguments {
    /// Without the recorded pauses.
    #[arg(long, conflicts_with_all = ["speed", "idle_cap"])]
    pub(crate) fast_forward: bool,
    /// How fast time passes: 0.25, 0.5, 1, 2 or 4 times as fast as it did.
    #[arg(long, value_name = "N", value_parser = speed)]
    pub(crate) speed: Option<Speed>,
    /// The longest pause, such as 500ms or 2s.
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    pub(crate) idle_cap: Option<Duration>,
    /// The connection that is played, where the cassette holds several.
    #[arg(long, value_name = "ID")]
    pub(crate) connection: Option<ConnectionId>,
    #[command(flatten)]
    pub(crate) descriptors: DescriptorArguments,
    #[command(flatten)]
    pub(crate) roots: RootArguments,
    #[command(flatten)]
    pub(crate) report: ReportArguments,
    /// The cassette's directory, and what the agent's command was given, which is ignored.
    #[arg(
        required = true,
        trailing_var_arg = true,
        value_names = ["DIR", "IGNORED"]
    )]
    cassette: Vec<PathBuf>,
}

impl ReplayArguments {
    /// The cassette's directory.
    pub(crate) fn cassette(&self) -> &Path {
        self.cassette
            .first()
            .map_or(Path::new(""), PathBuf::as_path)
    }

    /// The first option of this very command that stands behind the directory.
    pub(crate) fn misplaced(&self) -> Option<String> {
        let own = Self::augment_args(clap::Command::new("replay"));
        let is_own = |name: &str| own.get_arguments().any(|own| own.get_long() == Some(name));
        let ignored = self.cassette.iter().skip(1);
        let words = ignored.filter_map(|word| word.to_str());
        let mut options = words.filter_map(|word| word.strip_prefix("--"));
        options.find_map(|option| {
            let name = option.split_once('=').map_or(option, |(name, _)| name);
            is_own(name).then(|| name.to_owned())
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The cassettes' directories.
    #[arg(required = true, value_name = "DIR")]
    pub(crate) cassettes: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) descriptors: DescriptorArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The cassette's directory.
    #[arg(value_name = "DIR")]
    pub(crate) cassette: PathBuf,
    #[command(flatten)]
    pub(crate) descriptors: DescriptorArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Each line has the time in seconds, the connection where there are several, who speaks \
    (-> host, <- agent, 2> standard error, -- what is beside the conversation), what it is, method, id, and \
    what it has to say, of which the middle is left out where it is long."
)]
pub(crate) struct ShowArguments {
    /// The cassette's directory, or its frames.jsonl alone.
    #[arg(value_name = "DIR")]
    pub(crate) cassette: PathBuf,
    /// Only messages of this method, and their answers.
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Only what has this text in it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,
    /// Only this connection.
    #[arg(long, value_name = "ID")]
    pub(crate) connection: Option<ConnectionId>,
    /// Whole messages as they are on the tape, not shortened.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Without times, so that two recordings can be compared.
    #[arg(long)]
    pub(crate) no_times: bool,
    #[command(flatten)]
    pub(crate) descriptors: DescriptorArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RecoverArguments {
    /// The damaged cassette's directory, which is not changed.
    #[arg(value_name = "FROM")]
    pub(crate) from: PathBuf,
    /// The new cassette's directory.
    #[arg(value_name = "TO")]
    pub(crate) to: PathBuf,
    /// How much is taken.
    #[arg(long, value_enum, default_value_t = Mode::Strict)]
    pub(crate) mode: Mode,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

/// How much of a damaged cassette is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// All of it or nothing.
    Strict,
    /// Its beginning, up to the first line that is not sound.
    Tail,
    /// Every line that can be read, for looking at.
    Salvage,
}

impl From<Mode> for RecoverMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Strict => Self::Strict,
            Mode::Tail => Self::Tail,
            Mode::Salvage => Self::Salvage,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RedactArguments {
    /// The cassette's directory, which is not changed and still holds the secrets.
    #[arg(value_name = "FROM")]
    pub(crate) from: PathBuf,
    /// The new cassette's directory.
    #[arg(value_name = "TO")]
    pub(crate) to: PathBuf,
    /// The environment variable whose value is taken out; may be given several times.
    #[arg(
        long = "secret",
        value_name = "NAME",
        required_unless_present = "secret_files"
    )]
    pub(crate) secrets: Vec<String>,
    /// A file of lines NAME=VALUE whose values are taken out.
    #[arg(long = "secrets-from", value_name = "FILE")]
    pub(crate) secret_files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ProvidersArguments {
    #[command(subcommand)]
    pub(crate) command: Option<ProvidersCommand>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// List the providers.
    List,
    /// Show what is known of a provider, as a descriptor file in JSON.
    Show {
        /// The provider.
        #[arg(value_name = "ID")]
        provider: ProviderId,
    },
    /// Check a descriptor file, TOML or JSON as its name ends.
    Check {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Work in DIR and leave everything there for looking at; else in a temporary directory, which
    /// is removed.
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

/// Providers beside the built-in ones.
#[derive(Debug, Args)]
pub(crate) struct DescriptorArguments {
    /// A descriptor file of a provider that is not built in; may be given several times.
    #[arg(long = "descriptor", value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl DescriptorArguments {
    /// The built-in providers and those of the files.
    pub(crate) fn registry(&self) -> anyhow::Result<Registry> {
        descriptors::registry(&self.files)
    }
}

/// Directories that are others on another machine.
#[derive(Debug, Args)]
pub(crate) struct RootArguments {
    /// A directory beside the working directory and the home in which paths are portable; may be
    /// given several times.
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
}

impl RootArguments {
    /// The directories as protocols name them.
    pub(crate) fn named(&self) -> Vec<String> {
        let absolute = self.roots.iter().map(|root| {
            let absolute = std::path::absolute(root);
            absolute.unwrap_or_else(|_| root.clone())
        });
        absolute.map(|root| root.display().to_string()).collect()
    }
}

/// Where the verdict goes of a command whose standard streams are the agent's.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Write the verdict to FILE as one JSON object; goes before CASSETTE_REPORT=FILE in the
    /// environment.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// How a result is printed.
#[derive(Debug, Args)]
pub(crate) struct OutputArguments {
    /// Print one JSON object instead of a text.
    #[arg(long, global = true)]
    json: bool,
}

impl OutputArguments {
    pub(crate) const fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}

fn speed(text: &str) -> Result<Speed, String> {
    let factor: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    Speed::try_from(factor).map_err(|error| error.to_string())
}
