//! Claude Code's own protocol (`claude -p --input-format stream-json
//! --output-format stream-json`): one object a line, told apart by `type`;
//! control requests and responses both ways.
//!
//! Captured: 2.1.332. "Agent SDK schema": the control messages as the Claude
//! Agent SDK declares them, only read.

use std::collections::BTreeSet;

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, IdentityFields, MessageFraming, Spelling, TargetId,
    TranscriptLayout,
};
use cassette_format::schema::ProviderId;

use super::notation::{answer, texts};

/// What a client is told of the context that was not recorded: empty, and not
/// of size zero, since clients divide by it.
const EMPTY_CONTEXT: &str = r#"{"categories":[],"totalTokens":0,"maxTokens":200000,"rawMaxTokens":200000,"percentage":0,"gridRows":[],"model":"","memoryFiles":[],"mcpTools":[],"agents":[],"isAutoCompactEnabled":false,"apiUsage":null}"#;

/// What a client is told of its use that was not recorded: none, and no limits.
const NO_USAGE: &str = r#"{"session":{"total_cost_usd":0,"total_api_duration_ms":0,"total_duration_ms":0,"total_lines_added":0,"total_lines_removed":0,"model_usage":{}},"subscription_type":null,"rate_limits_available":false,"rate_limits":null,"behaviors":null}"#;

/// The descriptor of `claude-stream-json`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        credential_methods: texts([
            // Agent SDK schema: the two steps of a sign-in, with an authorisation
            // code in the second.
            "claude_authenticate",
            "claude_oauth_callback",
            // Agent SDK schema: a message, no control request; its `variables`
            // renew tokens.
            "update_environment_variables",
        ]),
        optional_probes: vec![
            // Agent SDK schema. No server is shown; calls of tools do not ask it.
            answer("mcp_status", r#"{"mcpServers":[]}"#),
            // Agent SDK schema. A client that compacts by it never sees a need.
            answer("get_context_usage", EMPTY_CONTEXT),
            // Agent SDK schema; protocol notes. As if the account had no limits to
            // show.
            answer("get_usage", NO_USAGE),
            // Agent SDK schema. As if no setting were made anywhere: a client
            // that shows settings shows none.
            answer("get_settings", r#"{"effective":{},"sources":[]}"#),
        ],
        // Captured: the answer to the control request `initialize` has `account`;
        // its `email` when someone is logged in: protocol notes, not captured.
        account_read: Some(AccountRead {
            method: "initialize".into(),
            pointer: "/account/email".into(),
        }),
        identity_fields: IdentityFields {
            generated: texts([
                // Captured: chosen by the client with `--session-id`, else by the
                // agent; the client sends it back or leaves it empty.
                "session_id",
                // Agent SDK schema: a client may name its own messages; captured:
                // `--replay-user-messages` echoes them.
                "uuid",
                // Captured: those of the client's messages, in what tells of them.
                "user_message_uuid",
                "user_message_uuids",
                "command_uuid",
            ]),
            match_only: Vec::new(),
        },
        // Captured unless noted. `messaging_socket_path` is left out: it lies in
        // the temporary directory and would have every recording refused.
        path_fields: texts([
            // `system/init`.
            "original_cwd",
            "additional_directories",
            // `system/init`: `memory_paths.auto`, slug of the cwd inside.
            "auto",
            // The answer to `initialize`.
            "user_output_styles_dir",
            // Tool calls and results.
            "file_path",
            "filePath",
            "persistedOutputPath",
            // Protocol notes: `can_use_tool` and its `permission_suggestions`.
            "blocked_path",
            "directories",
            // Protocol notes: `hook_callback`.
            "transcript_path",
        ]),
        // Captured: `…/projects/-srv-agents-work-x/memory/`.
        spellings: BTreeSet::from([Spelling::CwdSlug]),
        // Captured: else `$HOME/.claude`.
        home_variables: texts(["CLAUDE_CONFIG_DIR"]),
        // Captured homes: the name of a user's own.
        session_home: Some(".claude".into()),
        // Captured homes: `projects/<slug of the cwd>/<session id>.jsonl`.
        transcripts: Some(TranscriptLayout::ProjectFiles {
            directory: "projects".into(),
            subdirectory: None,
        }),
        ..Descriptor::new(
            ProviderId::from_recorded("claude-stream-json"),
            TargetId::named("local:claude-stream-json"),
            MessageFraming::Lines,
            Dialect::StreamJson,
        )
    }
}
