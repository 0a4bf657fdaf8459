//! The fields of a descriptor, from a file. Everything is read even where
//! something is wrong, so that all mistakes are told at once.

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, EnvironmentOfStart, GeneratedField, IdentityFields,
    IgnoredField, MessageFraming, Pipelining, Spelling, SyntheticAnswer, TargetId,
    TranscriptLayout,
};
use cassette_format::schema::{ProjectionVersion, ProviderId, SchemaVersion};

use super::entry::{
    Choices, choice, directory_name, json_text, list, one_of, pointer, relative_path, required,
    text, version,
};
use super::findings::Findings;
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
    let id = required(&table, "id", findings, text);
    let target = required(&table, "target", findings, text);
    let framing = required_choice(&table, "framing", FRAMINGS, findings);
    let dialect = required_choice(&table, "dialect", DIALECTS, findings);
    if let Some(field) = table.field("schema-version") {
        version(&field, SchemaVersion::CURRENT.get(), findings);
    }
    if let Some(field) = table.field("projection-version") {
        version(&field, ProjectionVersion::CURRENT.get(), findings);
    }
    let credential_methods = list(table.field("credential-methods"), findings, text);
    let optional_probes = list(table.field("optional-probes"), findings, synthetic_answer);
    let startup_metadata = list(table.field("startup-metadata"), findings, synthetic_answer);
    let account_read = optional(&table, "account-read", findings, account_read);
    let generated_fields = list(table.field("generated-fields"), findings, generated_field);
    let identity_fields = optional(&table, "identity-fields", findings, identity_fields);
    let environment_of_start = optional(&table, "environment-of-start", findings, |field, it| {
        choice(field, ENVIRONMENTS, it)
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

fn synthetic_answer(field: &Field<'_>, findings: &mut Findings) -> Option<SyntheticAnswer> {
    let table = Table::open(field, &["method", "result"], findings)?;
    let method = required(&table, "method", findings, text);
    let result = required(&table, "result", findings, json_text);
    Some(SyntheticAnswer {
        method: method?,
        result: result?,
    })
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
    Some(IdentityFields {
        generated: list(table.field("generated"), findings, text),
        match_only: list(table.field("match-only"), findings, text),
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
        Some(LayoutKind::Rollouts) => &["kind", "directories"],
        Some(LayoutKind::ProjectFiles) => &["kind", "directory", "subdirectory"],
        None => &["kind", "directories", "directory", "subdirectory"],
    };
    let table = Table::open(field, known, findings)?;
    match required_choice(&table, "kind", LAYOUTS, findings)? {
        LayoutKind::Rollouts => {
            let directories = table.required("directories", "a list", findings)?;
            let directories = list(Some(directories), findings, relative_path);
            Some(TranscriptLayout::Rollouts { directories })
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
    read: impl Fn(&Field<'a>, &mut Findings) -> Option<T>,
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
