//! `cassette fork`: a forked session's transcript in its own home.

mod arguments;
mod inspected;

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use cassette_format::schema::ProviderId;
use fork_state::{
    Action, BindOptions, Binder, Binding, BoundFile, DirectoryStore, GivenHomes, Outcome,
    RuntimeStore,
};
use serde::Serialize;

pub(crate) use arguments::ForkArguments;
use arguments::{ForkCommand, PlaceArguments};

use crate::failure::Hinted;
use crate::results::{self, SCHEMA};
use crate::sys;

/// The command that writes nothing.
const PLAN: &str = "fork plan";

/// Plans or makes a binding, or looks into transcripts.
pub(crate) fn run(arguments: &ForkArguments) -> anyhow::Result<ExitCode> {
    match &arguments.command {
        ForkCommand::Plan(place) => plan(place),
        ForkCommand::Bind(place) => bind(place),
        ForkCommand::Inspect(files) => inspected::run(files),
    }
}

fn plan(place: &PlaceArguments) -> anyhow::Result<ExitCode> {
    with_binder(place, |binder| {
        let plan = binder.plan(&place.request())?;
        tell(PLAN, plan.binding(), place)
    })
}

fn bind(place: &PlaceArguments) -> anyhow::Result<ExitCode> {
    sys::outlive_size_limit();
    with_binder(place, |binder| {
        let binding = binder.bind(&place.request())?;
        tell("fork bind", &binding, place)
    })
}

type AnyBinder<'a> = Binder<'a, dyn RuntimeStore + 'a>;

fn with_binder(
    place: &PlaceArguments,
    act: impl FnOnce(&AnyBinder<'_>) -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let providers = provider_adapters::builtin();
    let given;
    let kept;
    let store: &dyn RuntimeStore = match &place.homes.state {
        None => {
            given = GivenHomes::new(place.given_homes());
            &given
        }
        Some(state) => {
            kept = DirectoryStore::new(state)?;
            &kept
        }
    };
    act(&Binder::new(store, &providers).with_options(BindOptions::default()))
}

fn tell(
    command: &'static str,
    binding: &Binding,
    place: &PlaceArguments,
) -> anyhow::Result<ExitCode> {
    if binding.outcome == Outcome::Unsupported {
        return Err(unknown_transcripts(&place.provider));
    }
    let told = Told {
        schema: SCHEMA,
        command,
        outcome: outcome(binding.outcome),
        files: binding.files.iter().map(TranscriptFile::of).collect(),
        left_out: binding.left_out.clone(),
    };
    results::print(place.output.form(), &told)?;
    Ok(ExitCode::SUCCESS)
}

/// Nothing is known of where this provider keeps transcripts.
fn unknown_transcripts(provider: &ProviderId) -> anyhow::Error {
    let text = format!("nothing is known of the transcripts of `{provider}`");
    let hint = "`cassette providers` lists the kinds of agent, and `cassette providers show ID` has \
        `transcripts` of those that are known";
    Hinted::new(text, hint).into()
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    schema: u32,
    command: &'static str,
    outcome: &'static str,
    files: Vec<TranscriptFile>,
    left_out: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TranscriptFile {
    session: String,
    action: &'static str,
    source: Option<String>,
    target: String,
    bytes: u64,
    sha256: String,
}

impl TranscriptFile {
    fn of(file: &BoundFile) -> Self {
        let source = file.source.as_ref();
        Self {
            session: file.session.to_string(),
            action: match file.action {
                Action::Kept => "kept",
                Action::Copied => "copied",
                Action::Replaced => "replaced",
                _ => "other",
            },
            source: source.map(|path| path.display().to_string()),
            target: file.target.display().to_string(),
            bytes: file.bytes,
            sha256: file.sha256.to_string(),
        }
    }
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::AlreadyBound => "already-bound",
        Outcome::TargetAhead => "target-ahead",
        Outcome::Copied => "copied",
        Outcome::Repaired => "repaired",
        Outcome::SourceGone => "source-gone",
        Outcome::NoRolloutYet => "no-rollout-yet",
        Outcome::Unsupported => "unsupported",
        _ => "other",
    }
}

impl Told {
    /// What a binding would do.
    fn planned(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let said = match self.outcome {
            "already-bound" => "nothing would change: the target has exactly this transcript",
            "target-ahead" => "nothing would change: the target has this transcript and goes on",
            "copied" => "the transcript would be brought",
            "repaired" => "the target has a beginning of the transcript, which would be replaced",
            "source-gone" => "nothing would change: the source has it no more, the target has it",
            "no-rollout-yet" => {
                "nothing would be brought: the agent has not written a transcript yet"
            }
            other => other,
        };
        f.write_str(said)?;
        for file in &self.files {
            let action = match file.action {
                "kept" => "keep",
                "copied" => "copy",
                "replaced" => "replace",
                other => other,
            };
            write!(
                f,
                "\n  would {action} {} ({} bytes)",
                file.target, file.bytes
            )?;
        }
        if !self.left_out.is_empty() {
            write!(f, "\n  would leave out: {}", self.left_out.join(" "))?;
        }
        Ok(())
    }
}

impl Display for Told {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.command == PLAN {
            return self.planned(f);
        }
        let said = match self.outcome {
            "already-bound" => "the target has exactly this transcript",
            "target-ahead" => "the target has this transcript and goes on",
            "copied" => "the transcript is brought",
            "repaired" => "the target has a beginning of the transcript, which is replaced",
            "source-gone" => "the source has it no more, the target has it",
            "no-rollout-yet" => "the agent has not written a transcript yet",
            other => other,
        };
        write!(f, "{}: {said}", self.outcome)?;
        for file in &self.files {
            let (action, target, bytes) = (file.action, &file.target, file.bytes);
            write!(f, "\n  {action} {target} ({bytes} bytes)")?;
        }
        if !self.left_out.is_empty() {
            write!(f, "\n  left out: {}", self.left_out.join(" "))?;
        }
        Ok(())
    }
}
