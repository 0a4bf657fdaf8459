//! `cassette redact`: a copy of a cassette without the secrets that leaked into it.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use cassette_format::store::ReadOptions;
use cassette_record::{RedactOptions, Secrets, redact};
use serde::Serialize;

use crate::arguments::RedactArguments;
use crate::results::{self, SCHEMA};
use crate::secrets_file;
use crate::sys;

/// Makes the copy, and says whose values were taken out.
pub(crate) fn run(arguments: &RedactArguments) -> anyhow::Result<ExitCode> {
    sys::outlive_size_limit();
    let secrets = secrets(arguments)?;
    let named: Vec<String> = secrets.names().map(ToString::to_string).collect();
    let options = RedactOptions {
        secrets,
        registry: provider_adapters::builtin(),
        read: ReadOptions::default(),
    };
    let (from, to) = (&arguments.from, &arguments.to);
    let report = redact(from, to, &options)?;
    let found: Vec<String> = report.names.iter().map(ToString::to_string).collect();
    let is_missing = |name: &String| !found.contains(name);
    let redacted = Redacted {
        schema: SCHEMA,
        command: "redact",
        from: from.display().to_string(),
        to: to.display().to_string(),
        frames: report.frames,
        count: report.count,
        not_found: named.into_iter().filter(is_missing).collect(),
        found,
    };
    results::print(arguments.output.form(), &redacted)?;
    Ok(ExitCode::SUCCESS)
}

/// The values of the variables and of the lines that the user names.
fn secrets(arguments: &RedactArguments) -> anyhow::Result<Secrets> {
    let mut secrets = Secrets::new();
    for name in &arguments.secrets {
        ensure!(
            !name.contains('='),
            "--secret takes the name of an environment variable, not its value"
        );
        let value = std::env::var_os(name);
        let value = value.with_context(|| format!("environment variable {name} is not set"))?;
        secrets.add(name, value.as_encoded_bytes())?;
    }
    for file in &arguments.secret_files {
        secrets_file::read(file, &mut secrets)?;
    }
    ensure!(!secrets.is_empty(), "no secret is given");
    Ok(secrets)
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Redacted {
    schema: u32,
    command: &'static str,
    from: String,
    to: String,
    frames: u64,
    count: u64,
    found: Vec<String>,
    not_found: Vec<String>,
}

impl Display for Redacted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { to, count, .. } = self;
        write!(f, "redacted to {to}: {count} places")?;
        for (what, names) in [("of", &self.found), ("not found:", &self.not_found)] {
            if !names.is_empty() {
                write!(f, ", {what} {}", names.join(" "))?;
            }
        }
        Ok(())
    }
}
