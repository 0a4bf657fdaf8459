//! From an error to what is said of it, a hint, and an exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use cassette_format::portable::{ContentError, HOME_TOKEN};
use cassette_format::process::{Failure, StartError};
use cassette_format::store::{self, OpenError};
use cassette_record::{
    AuditError, CopyError, CreateError, FinishError, RecordError, RecoverError, RedactError,
};
use cassette_replay::matching::DepartureKind;
use cassette_replay::{Mismatch, PlayError};
use fork_state::{BindError, PlaceError, RequestError};

use crate::agent_exit;

/// Usage, or data that cannot be read.
pub(crate) const UNUSABLE: u8 = 2;

/// What helps where a provider is not known that somebody wrote a descriptor for.
const OWN_PROVIDER: &str = "--descriptor FILE adds a provider that is not built in";

/// Says on standard error what went wrong, and what may help.
#[expect(
    clippy::print_stderr,
    reason = "the place where the command reports errors"
)]
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(unwritable) = error.downcast_ref::<io::Error>()
        && unwritable.kind() == io::ErrorKind::BrokenPipe
    {
        // Whoever read the output has seen enough.
        return ExitCode::from(agent_exit::unwritable(unwritable));
    }
    eprintln!("cassette: {error:#}");
    say_hint(hint(error));
    ExitCode::from(UNUSABLE)
}

/// Says what is wrong with the command line, or the help that it asks for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // Whoever does not read it has the exit code.
    let _unread = error.print();
    let mut words = std::env::args_os().skip(1);
    let is_record = words.next().is_some_and(|word| word == "record");
    let is_separated = words.any(|word| word == "--");
    if error.use_stderr() && is_record && !is_separated {
        say_hint(Some(
            "the command stands behind `--`: cassette record -o DIR -- CMD",
        ));
    }
    ExitCode::from(if error.use_stderr() { UNUSABLE } else { 0 })
}

/// Says on standard error what may help, if anything does.
#[expect(
    clippy::print_stderr,
    reason = "the place where the command reports errors"
)]
pub(crate) fn say_hint(hint: Option<&str>) {
    if let Some(hint) = hint {
        eprintln!("hint: {hint}");
    }
}

/// An error of the command itself, and what may help.
#[derive(Debug)]
pub(crate) struct Hinted {
    text: String,
    hint: &'static str,
}

impl Hinted {
    /// What went wrong, and what may help.
    pub(crate) const fn new(text: String, hint: &'static str) -> Self {
        Self { text, hint }
    }
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Hinted {}

/// The first hint that an error of the chain has, the outermost first.
pub(crate) fn hint(error: &anyhow::Error) -> Option<&'static str> {
    error.chain().find_map(|error| {
        let found = error
            .downcast_ref()
            .map(|hinted: &Hinted| Some(hinted.hint));
        let found = found.or_else(|| error.downcast_ref().map(of_create));
        let found = found.or_else(|| error.downcast_ref().map(of_start));
        let found = found.or_else(|| error.downcast_ref().map(of_finish));
        let found = found.or_else(|| error.downcast_ref().map(of_copy));
        let found = found.or_else(|| error.downcast_ref().map(of_recover));
        let found = found.or_else(|| error.downcast_ref().map(of_redact));
        let found = found.or_else(|| error.downcast_ref().map(of_bind));
        let found = found.or_else(|| error.downcast_ref().map(of_audit));
        let found = found.or_else(|| error.downcast_ref().map(of_open));
        let found = found.or_else(|| error.downcast_ref().map(of_failure));
        found.flatten()
    })
}

fn of_create(error: &CreateError) -> Option<&'static str> {
    match error {
        CreateError::Files(store::CreateError::Occupied { .. }) => {
            Some("give another directory with -o, or replace it with --replace")
        }
        _ => None,
    }
}

fn of_start(error: &StartError) -> Option<&'static str> {
    match error {
        StartError::UnknownProvider { .. } => {
            Some("`cassette providers` lists those that are, --descriptor FILE adds one")
        }
        StartError::Spawn { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
            Some("it is there, and may not be executed: `chmod +x` it, or name its interpreter")
        }
        StartError::CommandNotFound { searched, .. } if searched.is_empty() => {
            Some("it is looked for from the directory in which this is started")
        }
        StartError::CommandNotFound { .. } => {
            Some("give its path, or install it; `cassette doctor` tells which agents are found")
        }
        _ => None,
    }
}

fn of_finish(error: &FinishError) -> Option<&'static str> {
    match error {
        FinishError::Secret { .. } => {
            Some("`cassette redact FROM TO --secret NAME` makes a complete copy without it")
        }
        _ => None,
    }
}

fn of_copy(error: &CopyError) -> Option<&'static str> {
    match error {
        CopyError::Create(store::CreateError::Occupied { .. }) => {
            Some("give another directory for the new cassette")
        }
        _ => None,
    }
}

fn of_recover(error: &RecoverError) -> Option<&'static str> {
    match error {
        RecoverError::NotWhole { .. } => {
            Some("--mode tail takes what is before them, --mode salvage all that can be read")
        }
        _ => None,
    }
}

fn of_redact(error: &RedactError) -> Option<&'static str> {
    match error {
        RedactError::NotWhole { .. } => Some("`cassette recover FROM TO --mode tail` first"),
        _ => None,
    }
}

fn of_bind(error: &BindError) -> Option<&'static str> {
    match error {
        BindError::Request(RequestError::TargetCwd) => {
            Some("--cwd DIR names the directory that the fork works in")
        }
        BindError::Changed { .. } | BindError::Place(PlaceError::Changed { .. }) => {
            Some("the agent must not be running in either home")
        }
        BindError::DamagedSource { .. }
        | BindError::DamagedTarget { .. }
        | BindError::DamagedDiverged { .. }
        | BindError::DamagedUnverifiable { .. } => {
            Some("`cassette fork inspect FILE` tells all of the damage")
        }
        _ => None,
    }
}

fn of_audit(error: &AuditError) -> Option<&'static str> {
    match error {
        AuditError::UnknownProvider { .. } => Some(OWN_PROVIDER),
        _ => None,
    }
}

fn of_open(error: &OpenError) -> Option<&'static str> {
    match error {
        OpenError::Missing { .. } => Some(
            "a cassette is a directory that holds manifest.json and frames.jsonl; `cassette record -o DIR -- CMD` makes one",
        ),
        OpenError::Digest { .. } => Some(
            "the frames were changed after they were recorded, by hand, by a merge, or by an editor's \
             or git's line ends: get them back, record anew, or take them as they are now: \
             `cassette recover FROM TO --mode tail`",
        ),
        OpenError::UnknownProvider { .. } => Some(OWN_PROVIDER),
        OpenError::Status { .. } => {
            Some("`cassette recover FROM TO` makes a complete cassette of what is there")
        }
        _ => None,
    }
}

/// Of what the layer below has kept.
fn of_failure(failure: &Failure) -> Option<&'static str> {
    let record = failure.downcast_ref().map(of_record);
    record.flatten()
}

fn of_record(error: &RecordError) -> Option<&'static str> {
    match error {
        RecordError::Secret { .. } => {
            Some("--redact-secrets records ${REDACTED:<NAME>} where the value stands")
        }
        RecordError::Content { source, .. } => match source {
            ContentError::NonPortablePath { .. } => Some(
                "start it in the directory that the path is in, or name that with --root DIR: paths \
                 below it are recorded portably",
            ),
            _ => Some(
                "credentials and account data are never recorded: log in before, or leave the field \
                 empty",
            ),
        },
        _ => None,
    }
}

/// What may help when a client did not say what was recorded.
pub(crate) fn of_play(error: &PlayError) -> Option<&'static str> {
    match error {
        PlayError::Chunk(_) | PlayError::Data(_) => {
            Some("`cassette verify DIR` tells what is wrong with the cassette")
        }
        PlayError::Mismatch(mismatch) if is_foreign_path(mismatch) => Some(
            "a path below a further directory was recorded, and one that is below none was sent: \
             `cassette replay --root DIR` takes those below DIR too",
        ),
        PlayError::Bytes(_) => Some(
            "it was recorded as `raw`, so the very same bytes are needed: recorded with --provider ID, \
             messages are compared",
        ),
        _ => Some(
            "`cassette show DIR` shows what was recorded; if the client is right, record it anew",
        ),
    }
}

/// Whether an absolute path was sent where one below a home was recorded.
fn is_foreign_path(mismatch: &Mismatch) -> bool {
    let mut departures = mismatch.difference.departures().iter();
    departures.any(|departure| match &departure.kind {
        DepartureKind::Value { expected, found } => {
            expected.contains(HOME_TOKEN) && found.starts_with("\"/")
        }
        _ => false,
    })
}
