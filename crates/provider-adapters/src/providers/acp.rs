//! Agents that speak the Agent Client Protocol, version 1: JSON-RPC 2.0, one
//! object a line.
//!
//! Captured: opencode 1.18.33, claude-code-acp 0.16.2, codex-acp 0.16.0, Qwen
//! Code 0.15.10, Gemini CLI 0.61.0. "ACP schema": version 1 with its unstable
//! part, in `@agentclientprotocol/sdk` 2.4.0.

use std::collections::BTreeSet;

use cassette_format::descriptor::{
    Descriptor, Dialect, IdentityFields, MessageFraming, Spelling, TargetId,
};
use cassette_format::schema::ProviderId;

use super::notation::{answer, ignored, texts};

/// The descriptor of `acp`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        credential_methods: texts([
            // ACP schema: `_meta` is open, and agents take keys in it. A client
            // that signs in before it records needs not send it.
            "authenticate",
            // ACP schema, version 2: the same request under its new name.
            "auth/login",
            // ACP schema, unstable: `headers`, "may include authorization".
            "providers/set",
        ]),
        optional_probes: vec![
            // Captured in three agents. An empty list says that there is nothing
            // to resume: a client that offers old sessions shows none.
            answer("session/list", r#"{"sessions":[]}"#),
            // ACP schema, unstable: "MUST NOT have side effects". `saved` is what
            // a client must read into any status that it does not know.
            answer("session/status", r#"{"status":"saved"}"#),
            // ACP schema, unstable: "without changing it". `unknown` claims
            // neither that someone is signed in nor that no one is.
            answer("auth/status", r#"{"state":"unknown"}"#),
            // ACP schema, unstable: for display. No provider can be configured.
            answer("providers/list", r#"{"providers":[]}"#),
        ],
        identity_fields: IdentityFields {
            generated: texts([
                // Captured: made by the agent, but `session/load`, `resume` and
                // `fork` name one that the client kept from another run; the
                // updates then have to name that one.
                "sessionId",
                // ACP schema: made by the client, in its answer to
                // `terminal/create`; the agent names it from then on.
                "terminalId",
            ]),
            match_only: Vec::new(),
        },
        ignored_fields: vec![
            // Captured: `clientInfo {name, title, version}`. The client's release
            // is no part of the conversation, its name is.
            ignored("initialize", "/params/clientInfo/version"),
            ignored("initialize", "/params/clientInfo/title"),
            // ACP schema: the id of a request, and those are free.
            ignored("$/cancel_request", "/params/requestId"),
        ],
        path_fields: texts([
            // Captured: opencode, `rawInput.filePath` and `filepath`.
            "filePath",
            // Captured: Qwen Code, `rawInput.file_path`.
            "file_path",
            // ACP schema: of `session/new`, `load`, `resume`, `fork`, `list`.
            "additionalDirectories",
            // ACP schema: of resource links and embedded resources, `file://…`.
            "uri",
        ]),
        spellings: BTreeSet::from([
            // Captured: codex-acp, `rawInput.changes{"/abs/path": …}`.
            Spelling::ObjectKeys,
            // ACP schema: `uri`.
            Spelling::FileUris,
            // Captured homes: Claude Code and Qwen Code keep what belongs to a
            // directory below `projects/<slug of it>`.
            Spelling::CwdSlug,
        ]),
        // Captured: claude-code-acp and codex-acp have a variable each; Qwen Code
        // and Gemini CLI only HOME. HOME stands before opencode's, so that what
        // lies below it is told by it and not by a variable that another desktop
        // does not set.
        home_variables: texts([
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_STATE_HOME",
            "XDG_CACHE_HOME",
        ]),
        // No home and no transcripts: each agent has its own. An agent whose
        // sessions are to be forked gets a descriptor file of its own.
        ..Descriptor::new(
            ProviderId::from_recorded("acp"),
            TargetId::named("local:acp"),
            // ACP specification, transports: newline-delimited; captured.
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}
