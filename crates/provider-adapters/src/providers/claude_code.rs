//! Claude Code behind the host's sidecar: typed envelopes of version 7, one a
//! line. `claude_stream_json.rs` is the program's own protocol.
//!
//! All values are those of the reference table, and no more (see `codex.rs` for
//! why): no path fields beyond the common ones, no further spellings.

use cassette_format::descriptor::{
    Descriptor, Dialect, EnvironmentOfStart, IdentityFields, MessageFraming, TargetId,
    TranscriptLayout,
};
use cassette_format::schema::ProviderId;

use super::notation::texts;

/// The descriptor of `claude-code`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        // Reference table. Made by the host or the sidecar, anew each run; the
        // provider's own session is only ever compared.
        identity_fields: IdentityFields {
            generated: texts([
                "agentSessionId",
                "providerTurnId",
                "turnId",
                "promptCorrelationId",
                "goalOperationId",
                "operationId",
                "sourceGoalOperationId",
            ]),
            match_only: texts(["providerSessionId"]),
        },
        // Reference table. `start` carries the whole environment, keys included.
        environment_of_start: EnvironmentOfStart::Excluded,
        // Reference table; captured: else `$HOME/.claude`.
        home_variables: texts(["CLAUDE_CONFIG_DIR"]),
        // Reference table.
        session_home: Some("claude-home".into()),
        // Captured homes (2.1.332): `projects/<slug of the cwd>/<session id>.jsonl`.
        transcripts: Some(TranscriptLayout::ProjectFiles {
            directory: "projects".into(),
            subdirectory: None,
        }),
        ..Descriptor::new(
            // Reference table, all four.
            ProviderId::from_recorded("claude-code"),
            TargetId::named("local:claude-code"),
            MessageFraming::Lines,
            Dialect::TypedEnvelope,
        )
    }
}
