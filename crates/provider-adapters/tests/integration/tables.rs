//! A descriptor as a table of the documentation.

use std::fmt::Write;

use cassette_format::descriptor::{Descriptor, IgnoredField, SyntheticAnswer, TranscriptLayout};
use serde_json::Value;

/// What a descriptor says, one field a row; fields at their default are left out.
pub(super) fn table(descriptor: &Descriptor) -> String {
    let fields = serde_json::to_value(descriptor).unwrap();
    let named = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
    let mut rows = vec![
        ("target", code(&[descriptor.target.as_str()])),
        ("messages", code(&[&named("framing"), &named("dialect")])),
        (
            "refused: credential methods",
            code(&descriptor.credential_methods),
        ),
        (
            "made portable: further path fields",
            code(&descriptor.path_fields),
        ),
        (
            "made portable: spellings",
            code(&strings(&fields["spellings"])),
        ),
    ];
    let account = descriptor.account_read.as_ref();
    let account =
        account.map(|read| format!("`{}` in the answer to `{}`", read.pointer, read.method));
    rows.push((
        "made portable: e-mail of the account",
        account.unwrap_or_default(),
    ));
    let generated = descriptor.generated_fields.iter();
    let generated = generated.map(|field| {
        format!(
            "`{}` of `{}`: `{}…` → `{}`",
            field.parameter, field.method, field.prefix, field.portable
        )
    });
    rows.push(("made portable: generated fields", joined(generated)));
    if named("environment-of-start") == "excluded" {
        rows.push(("left out", "`payload.env` of `start`".into()));
    }
    rows.push((
        "identities made anew",
        code(&descriptor.identity_fields.generated),
    ));
    rows.push((
        "identities only compared",
        code(&descriptor.identity_fields.match_only),
    ));
    rows.push(("ignored in matching", ignored(&descriptor.ignored_fields)));
    rows.push(("optional probes", answers(&descriptor.optional_probes)));
    rows.push(("startup metadata", answers(&descriptor.startup_metadata)));
    if named("pipelining") == "any-order" {
        rows.push(("requests sent side by side", "match in any order".into()));
    }
    rows.push(("home variables", code(&descriptor.home_variables)));
    rows.push(("session home", code(descriptor.session_home.as_slice())));
    rows.push((
        "transcripts",
        descriptor
            .transcripts
            .as_ref()
            .map(layout)
            .unwrap_or_default(),
    ));
    let mut table = String::from("| field | value |\n| --- | --- |\n");
    for (name, value) in rows.into_iter().filter(|(_, value)| !value.is_empty()) {
        writeln!(table, "| {name} | {} |", value.replace('|', "\\|")).unwrap();
    }
    table
}

/// All providers, one a row.
pub(super) fn overview<'a>(descriptors: impl Iterator<Item = &'a Descriptor>) -> String {
    let mut table =
        String::from("| provider | framing | dialect | home |\n| --- | --- | --- | --- |\n");
    for descriptor in descriptors {
        let fields = serde_json::to_value(descriptor).unwrap();
        let named = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
        writeln!(
            table,
            "| [`{0}`](#{0}) | `{1}` | `{2}` | {3} |",
            descriptor.id,
            named("framing"),
            named("dialect"),
            code(&descriptor.home_variables),
        )
        .unwrap();
    }
    table
}

fn code(texts: &[impl AsRef<str>]) -> String {
    joined(texts.iter().map(|text| format!("`{}`", text.as_ref())))
}

/// A pointer that is one of several methods in a row stands once.
fn ignored(fields: &[IgnoredField]) -> String {
    let groups = fields.chunk_by(|one, next| one.pointer == next.pointer);
    joined(groups.map(|group| {
        let methods = group.iter().map(|field| format!("`{}`", field.method));
        format!("`{}` of {}", group[0].pointer, joined(methods))
    }))
}

fn joined(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

fn answers(answers: &[SyntheticAnswer]) -> String {
    joined(
        answers
            .iter()
            .map(|answer| format!("`{}` → `{}`", answer.method, answer.result)),
    )
}

fn layout(layout: &TranscriptLayout) -> String {
    match layout {
        TranscriptLayout::Rollouts {
            directories,
            traces,
        } => {
            let traces = if traces.is_empty() {
                String::new()
            } else {
                format!("; sessions without one are named in {}", code(traces))
            };
            format!("rollouts below {}{traces}", code(directories))
        }
        TranscriptLayout::ProjectFiles {
            directory,
            subdirectory,
        } => {
            let below = subdirectory
                .as_deref()
                .map(|name| format!("{name}/"))
                .unwrap_or_default();
            format!("`{directory}/<slug of the cwd>/{below}<session id>.jsonl`")
        }
        other => panic!("no words for {other:?}"),
    }
}
