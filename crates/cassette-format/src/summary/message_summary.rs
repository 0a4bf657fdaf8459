//! What passed in messages: by direction, by what they are, by method.

use serde::Serialize;

use super::AnswerTimes;

/// The messages of a connection, or of all connections of a tape.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MessageSummary {
    /// From the host to the process.
    pub outbound: DirectionSummary,
    /// From the process to the host.
    pub inbound: DirectionSummary,
}

/// The messages of one direction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DirectionSummary {
    /// Messages as the framing cuts them; a batch is one. The last line counts
    /// without its line feed if it is JSON.
    pub messages: u64,
    /// Those of them that are not JSON from beginning to end; blank lines too.
    pub not_json: u64,
    /// Values of the others that are none of the dialect's messages: with neither
    /// method nor answer, without `type`, no object.
    pub unnamed: u64,
    /// Bytes after the last message, of one that never ended.
    pub unfinished_bytes: u64,
    /// Streams that lost their framing, and in which every line counts as a message
    /// from there on.
    pub lost_framings: u64,
    /// Requests whose answers were not looked for, since too many waited or the id
    /// is too long.
    pub unfollowed_requests: u64,
    /// What there is of each method, by kind and name.
    pub methods: Vec<MethodSummary>,
    /// What is in none of these entries.
    pub other_methods: OtherMethods,
}

/// The messages of one method that are of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct MethodSummary {
    /// What they are.
    pub kind: MessageKind,
    /// The method; of an answer that of its request, none where that is not known.
    /// The method of a control request is its `subtype`; other messages with a
    /// `type` are named by that and, behind a slash, their `subtype`.
    ///
    /// Decoded, so that it may hold any character, also those that steer a terminal;
    /// [`Display`](std::fmt::Display) of a summary escapes them.
    pub name: Option<String>,
    /// How many; each one of a batch counts.
    pub count: u64,
    /// Their bytes, each from its first bracket to its last.
    pub bytes: u64,
    /// How they were answered; none where they are no requests.
    pub answers: Option<AnswerTimes>,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum MessageKind {
    /// It has a method and an id, and asks for an answer.
    Request,
    /// It has a method, or a `type`, and asks for none.
    Notification,
    /// It answers a request with what was asked for.
    Result,
    /// It answers a request with an error.
    Error,
}

/// Messages of methods that found no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OtherMethods {
    /// How many; each one of a batch counts.
    pub count: u64,
    /// Their bytes, each from its first bracket to its last.
    pub bytes: u64,
}

impl MessageKind {
    /// The name in the JSON form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Notification => "notification",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}
