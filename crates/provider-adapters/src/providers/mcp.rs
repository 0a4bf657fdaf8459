//! Model Context Protocol servers over stdio: JSON-RPC 2.0, one object a line.
//!
//! Captured: the reference servers of TypeScript (2026.8.31) and Python
//! (2026.10). "MCP specification": version 2025-06-18, by chapter. "rmcp": the Rust
//! client 3.11.0, which also speaks version 2026-07-28.

use std::collections::BTreeSet;

use cassette_format::descriptor::{
    Descriptor, Dialect, IdentityFields, IgnoredField, MessageFraming, Pipelining, Spelling,
    TargetId,
};
use cassette_format::schema::ProviderId;

use super::notation::{answer, ignored, texts};

/// Requests of a client that does without `initialize`.
const SELF_CONTAINED: [&str; 10] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// The descriptor of `mcp`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        // No credential methods: MCP specification, authorization: over stdio
        // credentials come from the environment, not from messages.
        //
        // Lists are probes because clients keep them, and ask or do not ask. An
        // empty one stands in only where the tape has no answer to the same
        // request: a client that asks there for the first time then sees a server
        // without tools and calls none, which the tape tells as messages that
        // were never sent. Without a `nextCursor` each is the last page.
        optional_probes: vec![
            // MCP specification, ping: "an empty response". It hides nothing.
            answer("ping", "{}"),
            // MCP specification, tools; captured.
            answer("tools/list", r#"{"tools":[]}"#),
            // MCP specification, resources.
            answer("resources/list", r#"{"resources":[]}"#),
            answer("resources/templates/list", r#"{"resourceTemplates":[]}"#),
            // MCP specification, prompts.
            answer("prompts/list", r#"{"prompts":[]}"#),
        ],
        // MCP specification, progress: made by who asks, named in each
        // notification. Tokens that are numbers are compared as they are.
        identity_fields: IdentityFields {
            generated: texts(["progressToken"]),
            match_only: Vec::new(),
        },
        ignored_fields: ignored_fields(),
        // MCP specification, roots ("MUST be a `file://` URI") and resources.
        // What a tool calls its paths is up to each server: `path` is common and
        // captured, others belong in the caller's rules.
        path_fields: texts(["uri"]),
        spellings: BTreeSet::from([Spelling::FileUris]),
        // JSON-RPC 2.0 and captured clients: calls are made side by side, in
        // whatever order their turns come.
        pipelining: Pipelining::AnyOrder,
        // No home: servers keep their state where their arguments say.
        ..Descriptor::new(
            ProviderId::from_recorded("mcp"),
            TargetId::named("local:mcp"),
            // MCP specification, transports: "delimited by newlines".
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}

fn ignored_fields() -> Vec<IgnoredField> {
    let mut fields = vec![
        // MCP specification, lifecycle: `clientInfo {name, title, version}`.
        // The client's release is no part of the conversation, its name is.
        ignored("initialize", "/params/clientInfo/version"),
        ignored("initialize", "/params/clientInfo/title"),
        // MCP specification, cancellation: the id of a request, and those are free.
        ignored("notifications/cancelled", "/params/requestId"),
    ];
    // Captured: rmcp says with each request who it is, where it has not said it once.
    let version = "/params/_meta/io.modelcontextprotocol~1clientInfo/version";
    fields.extend(SELF_CONTAINED.map(|method| ignored(method, version)));
    fields
}
