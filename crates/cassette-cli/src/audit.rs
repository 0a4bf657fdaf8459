//! `cassette audit`: whether cassettes hold what may not be on a tape.

use std::path::Path;
use std::process::ExitCode;

use cassette_format::descriptor::{Dialect, Registry};
use cassette_format::portable::Rules;
use cassette_format::store::{CassetteDir, ReadOptions};
use cassette_record::{Finding, FindingKind, audit};

use crate::arguments::CheckArguments;
use crate::checks::{self, Checked};
use crate::escaped::escaped;

/// Audits the cassettes, complete or not, and says what was found in each.
pub(crate) fn run(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let registry = arguments.descriptors.registry()?;
    let what = (arguments.cassettes.as_slice(), arguments.output.form());
    checks::run("audit", what, |cassette| look_at(cassette, &registry))
}

fn look_at(cassette: &Path, registry: &Registry) -> Checked {
    let (options, rules) = (ReadOptions::default(), Rules::default());
    match audit(cassette, registry, &options, &rules) {
        Ok(findings) => {
            let checked = Checked::found(cassette, findings.iter().map(text).collect());
            match unjudged(cassette, (registry, &options)) {
                None => checked,
                Some(note) => checked.with_note(note),
            }
        }
        Err(error) => Checked::unreadable(cassette, error),
    }
}

/// What is said of connections that have no messages to look at.
fn unjudged(cassette: &Path, (registry, options): (&Registry, &ReadOptions)) -> Option<String> {
    let manifest = CassetteDir::new(cassette).manifest(options).ok()?;
    let connections = manifest.connections.iter();
    let opaque = connections.filter(|record| {
        let known = registry.by_provider(&record.provider);
        known.is_some_and(|known| known.dialect == Dialect::Opaque)
    });
    let said = opaque.map(|record| {
        let connection = escaped(record.connection_id.as_str());
        let provider = escaped(record.provider.as_str());
        format!("{connection} is `{provider}`: nothing was looked for in it")
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn text(finding: &Finding) -> String {
    let what = match &finding.kind {
        FindingKind::Content(error) => error.to_string(),
        FindingKind::UndecodableData => "data is no base64".to_owned(),
        FindingKind::UnlistedConnection => "the manifest does not list the connection".to_owned(),
        _ => "cannot be on a tape".to_owned(),
    };
    let connection = escaped(finding.connection_id.as_str());
    format!("line {} of {connection}: {}", finding.line, escaped(&what))
}
