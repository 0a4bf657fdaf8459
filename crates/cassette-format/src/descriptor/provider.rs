//! One provider.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::TranscriptLayout;
use crate::schema::{BlankIdentity, ProjectionVersion, ProviderId, SchemaVersion};

/// All that is special about one provider.
///
/// Methods of credentials and probes, identity fields and home variables
/// compare without case; the account-read method and generated fields with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Descriptor {
    /// Its name, such as `codex`.
    pub id: ProviderId,
    /// Where it runs, such as `local:codex`.
    pub target: TargetId,
    /// The cassette layout it was written for.
    #[serde(default = "current_schema")]
    pub schema_version: SchemaVersion,
    /// The portability rules it was written for.
    #[serde(default = "current_projection")]
    pub projection_version: ProjectionVersion,
    /// How its messages are told apart.
    pub framing: MessageFraming,
    /// What its messages are.
    pub dialect: Dialect,
    /// Methods whose messages carry credentials: recording refuses them.
    #[serde(default)]
    pub credential_methods: Vec<String>,
    /// Requests that a client may or may not make, and what answers one that
    /// was not recorded.
    #[serde(default)]
    pub optional_probes: Vec<SyntheticAnswer>,
    /// Requests at the start that are answered at once.
    #[serde(default)]
    pub startup_metadata: Vec<SyntheticAnswer>,
    /// The request whose answer holds the account's e-mail.
    #[serde(default)]
    pub account_read: Option<AccountRead>,
    /// Request fields that the host makes anew each time.
    #[serde(default)]
    pub generated_fields: Vec<GeneratedField>,
    /// Fields that hold identities which differ from run to run.
    #[serde(default)]
    pub identity_fields: IdentityFields,
    /// Whether the environment in a `start` request is left out of the tape.
    #[serde(default)]
    pub environment_of_start: EnvironmentOfStart,
    /// Request fields that matching does not look at when both sides have them.
    #[serde(default)]
    pub ignored_fields: Vec<IgnoredField>,
    /// Keys that hold paths, beyond the common ones; compared trimmed and without
    /// case, so `root_dir` has to be listed beside `rootDir`.
    #[serde(default)]
    pub path_fields: Vec<String>,
    /// Further spellings of a directory that are made portable, beside a path
    /// as it is.
    #[serde(default)]
    pub spellings: BTreeSet<Spelling>,
    /// Whether requests that were sent without waiting match in any order.
    #[serde(default)]
    pub pipelining: Pipelining,
    /// Variables that name its home directory, in order.
    #[serde(default)]
    pub home_variables: Vec<String>,
    /// The name of the home directory that a host keeps for each session.
    #[serde(default)]
    pub session_home: Option<String>,
    /// How transcripts lie in that home.
    #[serde(default)]
    pub transcripts: Option<TranscriptLayout>,
}

impl Descriptor {
    /// A provider with nothing special about it.
    #[must_use]
    pub fn new(
        id: ProviderId,
        target: TargetId,
        framing: MessageFraming,
        dialect: Dialect,
    ) -> Self {
        Self {
            id,
            target,
            schema_version: SchemaVersion::CURRENT,
            projection_version: ProjectionVersion::CURRENT,
            framing,
            dialect,
            credential_methods: Vec::new(),
            optional_probes: Vec::new(),
            startup_metadata: Vec::new(),
            account_read: None,
            generated_fields: Vec::new(),
            identity_fields: IdentityFields::default(),
            environment_of_start: EnvironmentOfStart::default(),
            ignored_fields: Vec::new(),
            path_fields: Vec::new(),
            spellings: BTreeSet::new(),
            pipelining: Pipelining::default(),
            home_variables: Vec::new(),
            session_home: None,
            transcripts: None,
        }
    }
}

/// Where a provider runs, such as `local:codex`. Compares without case.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(String);

impl TargetId {
    /// The target with this name; any text is taken.
    pub fn named(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text that comparisons use: trimmed and in lower case.
    #[must_use]
    pub fn normalized(&self) -> String {
        self.0.trim().to_lowercase()
    }
}

impl PartialEq for TargetId {
    fn eq(&self, other: &Self) -> bool {
        self.normalized() == other.normalized()
    }
}

impl Eq for TargetId {}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim())
    }
}

impl FromStr for TargetId {
    type Err = BlankIdentity;

    fn from_str(text: &str) -> Result<Self, BlankIdentity> {
        if text.trim().is_empty() {
            return Err(BlankIdentity { what: "target" });
        }
        Ok(Self(text.to_owned()))
    }
}

/// How messages are told apart in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MessageFraming {
    /// One message a line, ended by a line feed.
    Lines,
    /// A `Content-Length` header, then that many bytes.
    ContentLength,
    /// Not at all: each piece as it was written.
    Raw,
}

/// What the messages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Dialect {
    /// JSON-RPC: requests have `method`, answers `result` or `error` and the
    /// request's `id`.
    JsonRpc,
    /// Envelopes: requests have `type` and `id`, answers the `type` `ok` or
    /// `error` and the request's `id`.
    TypedEnvelope,
    /// Messages with a `type`; requests and answers are `control_request` and
    /// `control_response` with a `request_id`. The method of a control request is
    /// its `request.subtype`, of any other message its `type`; the result of a
    /// `control_response` is its `response.response`.
    StreamJson,
    /// None that is known: nothing is a message with fields.
    Opaque,
}

/// A request and the result that stands in for an answer that was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SyntheticAnswer {
    /// The method.
    pub method: String,
    /// The result, as JSON text.
    pub result: String,
}

/// The request whose answer holds the account's e-mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AccountRead {
    /// The method, with case.
    pub method: String,
    /// Where the e-mail stands in the result, as an RFC 6901 pointer.
    pub pointer: String,
}

/// A request field that the host makes anew each time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GeneratedField {
    /// The method, with case.
    pub method: String,
    /// The parameter.
    pub parameter: String,
    /// How such a value starts.
    pub prefix: String,
    /// What is recorded in its place.
    pub portable: String,
}

/// Fields that hold identities which differ from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IdentityFields {
    /// Made by the host: mapped in both directions.
    #[serde(default)]
    pub generated: Vec<String>,
    /// Only compared: they may differ, consistently.
    #[serde(default)]
    pub match_only: Vec<String>,
}

/// Whether `payload.env` of a `start` request is left out of the tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnvironmentOfStart {
    /// Kept as any other field.
    #[default]
    Kept,
    /// Left out.
    Excluded,
}

/// A request field that matching does not look at when both sides have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct IgnoredField {
    /// The method.
    pub method: String,
    /// The field, as an RFC 6901 pointer from the message.
    pub pointer: String,
}

/// A spelling of a directory other than the path itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Spelling {
    /// Keys of objects: `{"/srv/a.rs": …}`.
    ObjectKeys,
    /// URIs, percent-encoded: `file:///srv/a%20b.rs`.
    FileUris,
    /// A directory's name made of the working directory, every UTF-16 unit
    /// outside `A-Z a-z 0-9` as `-`: `…/projects/-work-app/…`.
    CwdSlug,
    /// `/private` before a path, as macOS resolves `/tmp` and `/var`.
    PrivatePrefix,
    /// Windows forms: a drive letter of the other case, `\\?\` before it, `/` and
    /// `\` mixed.
    WindowsForms,
}

/// Whether requests that were sent without waiting match in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pipelining {
    /// In the recorded order only.
    #[default]
    Ordered,
    /// In any order within a run of outbound messages.
    AnyOrder,
}

const fn current_schema() -> SchemaVersion {
    SchemaVersion::CURRENT
}

const fn current_projection() -> ProjectionVersion {
    ProjectionVersion::CURRENT
}
