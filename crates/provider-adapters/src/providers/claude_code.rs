//! Claude Code behind the host's sidecar: typed envelopes of version 7, one a
//! line. Values from the reference's descriptor table.

use cassette_format::descriptor::{
    Descriptor, Dialect, EnvironmentOfStart, IdentityFields, MessageFraming, TargetId,
    TranscriptLayout,
};
use cassette_format::schema::ProviderId;

/// The descriptor of `claude-code`.
pub(crate) fn descriptor() -> Descriptor {
    let strings = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Descriptor {
        // All made by the host or the sidecar, anew each run.
        identity_fields: IdentityFields {
            generated: strings(&[
                "agentSessionId",
                "providerTurnId",
                "turnId",
                "promptCorrelationId",
                "goalOperationId",
                "operationId",
                "sourceGoalOperationId",
            ]),
            match_only: strings(&["providerSessionId"]),
        },
        // `start` carries the whole environment, keys included.
        environment_of_start: EnvironmentOfStart::Excluded,
        home_variables: strings(&["CLAUDE_CONFIG_DIR"]),
        session_home: Some("claude-home".into()),
        transcripts: Some(TranscriptLayout::ProjectFiles {
            directory: "projects".into(),
            subdirectory: None,
        }),
        ..Descriptor::new(
            ProviderId::from_recorded("claude-code"),
            TargetId::named("local:claude-code"),
            MessageFraming::Lines,
            Dialect::TypedEnvelope,
        )
    }
}
