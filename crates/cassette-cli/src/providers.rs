//! `cassette providers`: the providers that are known, and descriptor files.

use std::fmt::{self, Display, Formatter};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use cassette_format::descriptor::Descriptor;
use cassette_format::schema::ProviderId;
use provider_adapters::{DescriptorFileError, builtin, read_descriptor};
use serde::Serialize;

use crate::arguments::{ProvidersArguments, ProvidersCommand};
use crate::checks::FOUND;
use crate::descriptors;
use crate::results::{self, Form, SCHEMA};

/// Lists the providers, shows one, or checks a descriptor file.
pub(crate) fn run(arguments: &ProvidersArguments) -> anyhow::Result<ExitCode> {
    let form = arguments.output.form();
    match &arguments.command {
        None | Some(ProvidersCommand::List) => list(form),
        Some(ProvidersCommand::Show { provider }) => show(provider, form),
        Some(ProvidersCommand::Check { file }) => check(file, form),
    }
}

fn list(form: Form) -> anyhow::Result<ExitCode> {
    let list = List {
        schema: SCHEMA,
        command: "providers",
        providers: builtin().iter().cloned().collect(),
    };
    results::print(form, &list)?;
    Ok(ExitCode::SUCCESS)
}

fn show(provider: &ProviderId, form: Form) -> anyhow::Result<ExitCode> {
    let registry = builtin();
    let found = registry.by_provider(provider);
    let found = found.with_context(|| {
        format!("provider `{provider}` is not known, `cassette providers` lists those that are")
    })?;
    let shown = Shown {
        schema: SCHEMA,
        command: "providers show",
        provider: found.clone(),
    };
    results::print(form, &shown)?;
    Ok(ExitCode::SUCCESS)
}

fn check(file: &Path, form: Form) -> anyhow::Result<ExitCode> {
    let mistakes = match read_descriptor(file) {
        Ok(descriptor) => match descriptors::check(file, descriptor) {
            Ok(()) => Vec::new(),
            Err(clash) => vec![format!("{clash:#}")],
        },
        Err(
            error @ (DescriptorFileError::Mistakes { .. } | DescriptorFileError::NotText { .. }),
        ) => error.to_string().lines().map(str::to_owned).collect(),
        Err(error) => return Err(error.into()),
    };
    let is_fine = mistakes.is_empty();
    let checked = Checked {
        schema: SCHEMA,
        command: "providers check",
        file: file.display().to_string(),
        verdict: if is_fine { "ok" } else { "failed" },
        mistakes,
    };
    results::print(form, &checked)?;
    Ok(ExitCode::from(if is_fine { 0 } else { FOUND }))
}

#[derive(Debug, Serialize)]
struct List {
    schema: u32,
    command: &'static str,
    providers: Vec<Descriptor>,
}

#[derive(Debug, Serialize)]
struct Shown {
    schema: u32,
    command: &'static str,
    provider: Descriptor,
}

#[derive(Debug, Serialize)]
struct Checked {
    schema: u32,
    command: &'static str,
    file: String,
    verdict: &'static str,
    mistakes: Vec<String>,
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:<20}{:<28}framing, dialect", "provider", "target")?;
        for known in &self.providers {
            let (id, target) = (known.id.to_string(), known.target.to_string());
            let (framing, dialect) = (word(&known.framing), word(&known.dialect));
            write!(f, "\n{id:<20}{target:<28}{framing}, {dialect}")?;
        }
        Ok(())
    }
}

impl Display for Shown {
    /// A descriptor file.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let file = serde_json::to_string_pretty(&self.provider).map_err(|_| fmt::Error)?;
        f.write_str(&file)
    }
}

impl Display for Checked {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.mistakes.is_empty() {
            return write!(f, "{}: {}", self.file, self.verdict);
        }
        f.write_str(&self.mistakes.join("\n"))
    }
}

/// The word that stands for a value in a descriptor file.
fn word(value: &impl Serialize) -> String {
    let word = serde_json::to_string(value).unwrap_or_default();
    word.trim_matches('"').to_owned()
}
