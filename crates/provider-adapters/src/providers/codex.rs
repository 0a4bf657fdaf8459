//! OpenAI Codex app-server (`codex app-server`, captured: 0.171.0): one JSON-RPC
//! object a line, without a `jsonrpc` member.
//!
//! All values are those of the reference table, and what a client would otherwise
//! be told of the recorded directories and of its own messages. No spellings: the
//! conformance vectors show what is *not* rewritten, such as a `file://` URI in `cwd`.

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, GeneratedField, IdentityFields, MessageFraming, TargetId,
    TranscriptLayout,
};
use cassette_format::schema::ProviderId;

use super::notation::{answer, ignored, texts};

/// The descriptor of `codex`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        // Reference table. Captured protocol: the first carries an API key or
        // tokens in its parameters, the second tokens in its answer.
        credential_methods: texts(["account/login/start", "account/chatgptAuthTokens/refresh"]),
        // Reference table. Read-only requests whose number and place depend on
        // the client's timing. The protocol has some thirty more of them
        // (`thread/list`, `model/list` …); the reference knows these two.
        optional_probes: vec![
            // Not a valid `thread/read` result, which has a `thread`: the
            // reference's choice. A client that reads it finds nothing there.
            answer("thread/read", "{}"),
            // A thread without a goal, which is what a fresh one is.
            answer("thread/goal/get", r#"{"goal":null}"#),
        ],
        // Reference table. Asked at the start, for display.
        startup_metadata: vec![
            // No limits are known: nothing to display.
            answer("account/rateLimits/read", r#"{"rateLimits":{}}"#),
            answer("thread/goal/get", r#"{"goal":null}"#),
        ],
        // Reference table for the method; where the e-mail stands: the vectors.
        account_read: Some(AccountRead {
            method: "account/read".into(),
            pointer: "/account/email".into(),
        }),
        // Reference table. Made anew by the host for each decision on a plan.
        generated_fields: vec![GeneratedField {
            method: "turn/start".into(),
            parameter: "clientUserMessageId".into(),
            prefix: "plan-decision:".into(),
            portable: "plan-decision:<runtime-operation>".into(),
        }],
        identity_fields: IdentityFields {
            generated: texts([
                // Reference table. The one identity of a message that the client makes.
                "clientUserMessageId",
                // Captured: the same one, in the items that tell of the message.
                "clientId",
            ]),
            match_only: Vec::new(),
        },
        // Reference behaviour: the client's release is no part of the
        // conversation, its name is.
        ignored_fields: vec![
            ignored("initialize", "/params/clientInfo/version"),
            ignored("initialize", "/params/clientInfo/title"),
        ],
        // Captured. Not `instructionSources`, nor a sandbox's `writableRoots`: they
        // may lie outside of both directories, and would have the recording refused.
        path_fields: texts([
            // The answer to `initialize`.
            "codexHome",
            // Of a thread and its environments: its working directory, if the
            // client names no other ones.
            "runtimeWorkspaceRoots",
        ]),
        // Reference table; captured: else `$HOME/.codex`.
        home_variables: texts(["CODEX_HOME"]),
        // Reference table.
        session_home: Some("codex-home".into()),
        // Captured homes: `sessions/YYYY/MM/DD/rollout-…-<thread id>.jsonl`;
        // archiving moves the file to `archived_sessions/`.
        transcripts: Some(TranscriptLayout::Rollouts {
            directories: texts(["sessions", "archived_sessions"]),
            // Captured: a lock of each thread that was loaded.
            traces: texts(["thread-writer-locks"]),
        }),
        ..Descriptor::new(
            // Reference table, all four.
            ProviderId::from_recorded("codex"),
            TargetId::named("local:codex"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}
