//! Audit vectors: a tape directory through the audit.

use std::fs;

use cassette_format::portable::Rules;
use cassette_format::store::ReadOptions;
use cassette_record::{AuditError, Finding, FindingKind, audit};
use serde_json::{Value, json};

use crate::class;
use crate::outcome::same;
use crate::vector::{Outcome, Vector};

pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    for (name, text) in vector.input["files"].as_object().into_iter().flatten() {
        fs::write(scratch.path().join(name), text.as_str().unwrap()).unwrap();
    }
    let (options, rules) = (ReadOptions::default(), Rules::default());
    let found = audit(
        scratch.path(),
        &provider_adapters::builtin(),
        &options,
        &rules,
    );
    let actual = verdict(found.as_deref());
    same("outcome", expect, &actual).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

/// What an audit comes to: its first finding.
pub(crate) fn verdict(audited: Result<&[Finding], &AuditError>) -> Value {
    match audited {
        Ok([]) => json!({"ok": true}),
        Ok([first, ..]) => json!({"error": match &first.kind {
            FindingKind::Content(error) => class::of_content(error),
            FindingKind::UndecodableData => "invalid-base64",
            FindingKind::UnlistedConnection => "unregistered-connection",
            _ => "(no class)",
        }}),
        Err(AuditError::Open(error)) => json!({"error": class::of_open(error)}),
        Err(AuditError::UnknownProvider { .. }) => json!({"error": "unknown-provider"}),
        Err(_) => json!({"error": "(no class)"}),
    }
}
