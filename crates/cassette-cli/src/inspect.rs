//! `cassette inspect`: what a cassette holds, in numbers.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use cassette_format::schema::Manifest;
use cassette_format::store::{RawTape, ReadOptions};
use cassette_format::summary::Summary;
use serde::Serialize;

use crate::arguments::InspectArguments;
use crate::escaped::escaped;
use crate::results::{self, SCHEMA};

/// Prints what the cassette holds, complete or not, and judges nothing.
pub(crate) fn run(arguments: &InspectArguments) -> anyhow::Result<ExitCode> {
    let registry = arguments.descriptors.registry()?;
    let tape = RawTape::open(&arguments.cassette, &ReadOptions::default())?;
    let manifest = tape.manifest();
    let inspection = Inspection {
        schema: SCHEMA,
        command: "inspect",
        cassette: arguments.cassette.display().to_string(),
        status: manifest.status.as_str().to_owned(),
        schema_version: manifest.schema_version.get(),
        projection_version: manifest.projection_version.get(),
        origin: Origin::of(manifest),
        summary: Summary::of_raw(&tape, &registry),
    };
    results::print(arguments.output.form(), &inspection)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspection {
    schema: u32,
    command: &'static str,
    cassette: String,
    status: String,
    schema_version: u64,
    projection_version: u64,
    origin: Origin,
    summary: Summary,
}

/// What the cassette says of how it came to be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Origin {
    kind: Option<String>,
    tool: Option<String>,
    recorded_at: Option<String>,
    redactions: u64,
}

impl Origin {
    fn of(manifest: &Manifest) -> Self {
        let said = &manifest.annotations;
        let tool = said.tool.as_ref();
        let redactions = said.redactions.as_ref();
        Self {
            kind: said
                .origin
                .as_ref()
                .map(|origin| origin.as_str().to_owned()),
            tool: tool.map(|tool| format!("{} {}", tool.name, tool.version)),
            recorded_at: said.recorded_at.clone(),
            redactions: redactions.map_or(0, |redactions| redactions.count),
        }
    }
}

impl Display for Inspection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Origin {
            kind,
            tool,
            recorded_at,
            redactions,
        } = &self.origin;
        write!(f, "{}: {}", self.cassette, escaped(&self.status))?;
        let words = [("", kind), ("by ", tool), ("at ", recorded_at)];
        for (before, word) in words {
            let mut word = word.iter();
            word.try_for_each(|word| write!(f, ", {before}{}", escaped(word)))?;
        }
        if *redactions > 0 {
            write!(f, ", {redactions} redactions")?;
        }
        write!(f, "\n{}", self.summary)
    }
}
