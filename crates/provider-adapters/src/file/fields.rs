//! The fields of a descriptor, from a file. Everything is read even where
//! something is wrong, so that all mistakes are told at once.

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, EnvironmentOfStart, GeneratedField, IdentityFields,
    IgnoredField, MessageFraming, Pipelining, Spelling, SyntheticAnswer, TargetId,
    TranscriptLayout,
};
use cassette_format::schema::{ProjectionVersion, ProviderId, SchemaVersion};

use super::MistakeKind;
use super::entry::{
    Choices, choice, directory_name, identity, json_text, list, one_of, pointer, relative_path,
    required, text, version,
};
use super::findings::Findings;
use super::names::Names;
use super::node::Node;
use super::table::{Field, Table};

const DESCRIPTOR: &[&str] = &[
    "id",
    "target",
    "schema-version",
    "projection-version",
    "framing",
    "dialect",
    "credential-methods",
    "optional-probes",
    "startup-metadata",
    "account-read",
    "generated-fields",
    "identity-fields",
    "environment-of-start",
    "ignored-fields",
    "path-fields",
    "spellings",
    "pipelining",
    "home-variables",
    "session-home",
    "transcripts",
];

const FRAMINGS: &Choices<MessageFraming> = &[
    ("lines", MessageFraming::Lines),
    ("content-length", MessageFraming::ContentLength),
    ("raw", MessageFraming::Raw),
];

const DIALECTS: &Choices<Dialect> = &[
    ("json-rpc", Dialect::JsonRpc),
    ("typed-envelope", Dialect::TypedEnvelope),
    ("stream-json", Dialect::StreamJson),
    ("opaque", Dialect::Opaque),
];

const ENVIRONMENTS: &Choices<EnvironmentOfStart> = &[
    ("kept", EnvironmentOfStart::Kept),
    ("excluded", EnvironmentOfStart::Excluded),
];

const SPELLINGS: &Choices<Spelling> = &[
    ("object-keys", Spelling::ObjectKeys),
    ("file-uris", Spelling::FileUris),
    ("cwd-slug", Spelling::CwdSlug),
    ("private-prefix", Spelling::PrivatePrefix),
    ("windows-forms", Spelling::WindowsForms),
];

const PIPELININGS: &Choices<Pipelining> = &[
    ("ordered", Pipelining::Ordered),
    ("any-order", Pipelining::AnyOrder),
];

/// The kinds of transcript layouts.
#[derive(Debug, Clone, Copy)]
enum LayoutKind {
    Rollouts,
    ProjectFiles,
}

const LAYOUTS: &Choices<LayoutKind> = &[
    ("rollouts", LayoutKind::Rollouts),
    ("project-files", LayoutKind::ProjectFiles),
];

/// The descriptor that a whole file is. `None`, or one that is not to be used,
/// where there are findings.
pub(super) fn descriptor(root: Node<'_>, findings: &mut Findings) -> Option<Descriptor> {
    let root = Field {
        path: String::new(),
        node: root,
    };
    let table = Table::open(&root, DESCRIPTOR, findings)?;
    let id = required(&table, "id", findings, identity);
    let target = required(&table, "target", findings, identity);
    let framing = required_choice(&table, "framing", FRAMINGS, findings);
    let dialect = required_choice(&table, "dialect", DIALECTS, findings);
    if let Some(field) = table.field("schema-version") {
        version(&field, SchemaVersion::CURRENT.get(), findings);
    }
    if let Some(field) = table.field("projection-version") {
        version(&field, ProjectionVersion::CURRENT.get(), findings);
    }
    let credential_methods = list(table.field("credential-methods"), findings, text);
    let optional_probes = answers(table.field("optional-probes"), framing, findings);
    let startup_metadata = answers(table.field("startup-metadata"), framing, findings);
    let account_read = optional(&table, "account-read", findings, account_read);
    let generated_fields = list(table.field("generated-fields"), findings, generated_field);
    let identity_fields = optional(&table, "identity-fields", findings, identity_fields);
    let environment_of_start = optional(&table, "environment-of-start", findings, |field, it| {
        environment_of_start(field, dialect, it)
    });
    let ignored_fields = list(table.field("ignored-fields"), findings, ignored_field);
    let path_fields = list(table.field("path-fields"), findings, text);
    let spellings = list(table.field("spellings"), findings, |field, findings| {
        choice(field, SPELLINGS, findings)
    });
    let pipelining = optional(&table, "pipelining", findings, |field, it| {
        choice(field, PIPELININGS, it)
    });
    let home_variables = list(table.field("home-variables"), findings, text);
    let session_home = optional(&table, "session-home", findings, directory_name);
    let transcripts = optional(&table, "transcripts", findings, transcripts);
    Some(Descriptor {
        id: ProviderId::from_recorded(id?),
        target: TargetId::named(target?),
        schema_version: SchemaVersion::CURRENT,
        projection_version: ProjectionVersion::CURRENT,
        framing: framing?,
        dialect: dialect?,
        credential_methods,
        optional_probes,
        startup_metadata,
        account_read,
        generated_fields,
        identity_fields: identity_fields.unwrap_or_default(),
        environment_of_start: environment_of_start.unwrap_or_default(),
        ignored_fields,
        path_fields,
        spellings: spellings.into_iter().collect(),
        pipelining: pipelining.unwrap_or_default(),
        home_variables,
        session_home,
        transcripts,
    })
}

/// Requests, each with a result that can be sent as it is.
fn answers(
    field: Option<Field<'_>>,
    framing: Option<MessageFraming>,
    findings: &mut Findings,
) -> Vec<SyntheticAnswer> {
    let mut names = Names::default();
    list(field, findings, |field, findings| {
        let table = Table::open(field, &["method", "result"], findings)?;
        let method = required(&table, "method", findings, |field, findings| {
            let method = text(field, findings)?;
            names.take(field, &method, findings);
            Some(method)
        });
        let result = required(&table, "result", findings, |field, findings| {
            let result = json_text(field, findings)?;
            if framing == Some(MessageFraming::Lines) && result.contains(['\n', '\r']) {
                findings.add(field.node.offset, &field.path, MistakeKind::SeveralLines);
            }
            Some(result)
        });
        Some(SyntheticAnswer {
            method: method?,
            result: result?,
        })
    })
}

/// Whether the environment is left out, which one dialect has a place for.
fn environment_of_start(
    field: &Field<'_>,
    dialect: Option<Dialect>,
    findings: &mut Findings,
) -> Option<EnvironmentOfStart> {
    let chosen = choice(field, ENVIRONMENTS, findings)?;
    let knows = dialect.is_none_or(|dialect| dialect == Dialect::TypedEnvelope);
    if chosen == EnvironmentOfStart::Excluded && !knows {
        let expected = "typed-envelope";
        let kind = MistakeKind::OtherDialect { expected };
        findings.add(field.node.offset, &field.path, kind);
    }
    Some(chosen)
}

fn account_read(field: &Field<'_>, findings: &mut Findings) -> Option<AccountRead> {
    let table = Table::open(field, &["method", "pointer"], findings)?;
    let method = required(&table, "method", findings, text);
    let pointer = required(&table, "pointer", findings, pointer);
    Some(AccountRead {
        method: method?,
        pointer: pointer?,
    })
}

fn generated_field(field: &Field<'_>, findings: &mut Findings) -> Option<GeneratedField> {
    let known = &["method", "parameter", "prefix", "portable"];
    let table = Table::open(field, known, findings)?;
    let method = required(&table, "method", findings, text);
    let parameter = required(&table, "parameter", findings, text);
    let prefix = required(&table, "prefix", findings, text);
    let portable = required(&table, "portable", findings, text);
    Some(GeneratedField {
        method: method?,
        parameter: parameter?,
        prefix: prefix?,
        portable: portable?,
    })
}

fn identity_fields(field: &Field<'_>, findings: &mut Findings) -> Option<IdentityFields> {
    let table = Table::open(field, &["generated", "match-only"], findings)?;
    let mut names = Names::default();
    let mut names = |field: &Field<'_>, findings: &mut Findings| {
        let name = text(field, findings)?;
        names.take(field, &name, findings);
        Some(name)
    };
    Some(IdentityFields {
        generated: list(table.field("generated"), findings, &mut names),
        match_only: list(table.field("match-only"), findings, &mut names),
    })
}

fn ignored_field(field: &Field<'_>, findings: &mut Findings) -> Option<IgnoredField> {
    let table = Table::open(field, &["method", "pointer"], findings)?;
    let method = required(&table, "method", findings, text);
    let pointer = required(&table, "pointer", findings, pointer);
    Some(IgnoredField {
        method: method?,
        pointer: pointer?,
    })
}

fn transcripts(field: &Field<'_>, findings: &mut Findings) -> Option<TranscriptLayout> {
    // Which other names there are depends on the kind, so that is looked at first.
    let of_kind = |members: Vec<super::node::Member<'_>>| {
        let kind = members
            .iter()
            .find(|member| member.name == "kind")?
            .value
            .text()?;
        LAYOUTS
            .iter()
            .find(|(name, _)| *name == kind)
            .map(|(_, kind)| *kind)
    };
    let known: &[&str] = match field.node.members().and_then(of_kind) {
        Some(LayoutKind::Rollouts) => &["kind", "directories", "traces"],
        Some(LayoutKind::ProjectFiles) => &["kind", "directory", "subdirectory"],
        None => &["kind", "directories", "traces", "directory", "subdirectory"],
    };
    let table = Table::open(field, known, findings)?;
    match required_choice(&table, "kind", LAYOUTS, findings)? {
        LayoutKind::Rollouts => {
            let field = table.required("directories", "a list", findings)?;
            if field.node.elements().is_some_and(|them| them.is_empty()) {
                let expected = "at least one directory";
                let kind = MistakeKind::Blank { expected };
                findings.add(field.node.offset, &field.path, kind);
            }
            let directories = list(Some(field), findings, relative_path);
            let traces = list(table.field("traces"), findings, relative_path);
            Some(TranscriptLayout::Rollouts {
                directories,
                traces,
            })
        }
        LayoutKind::ProjectFiles => {
            let directory = required(&table, "directory", findings, relative_path);
            let subdirectory = optional(&table, "subdirectory", findings, relative_path);
            Some(TranscriptLayout::ProjectFiles {
                directory: directory?,
                subdirectory,
            })
        }
    }
}

fn optional<'a, T>(
    table: &Table<'a>,
    name: &str,
    findings: &mut Findings,
    read: impl FnOnce(&Field<'a>, &mut Findings) -> Option<T>,
) -> Option<T> {
    table.field(name).and_then(|field| read(&field, findings))
}

fn required_choice<T: Copy>(
    table: &Table<'_>,
    name: &str,
    choices: &Choices<T>,
    findings: &mut Findings,
) -> Option<T> {
    let field = table.required(name, one_of(choices), findings)?;
    choice(&field, choices, findings)
}
