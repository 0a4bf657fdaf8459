//! OpenAI Codex app-server: one JSON-RPC object a line, without a `jsonrpc`
//! member. Values from the reference's descriptor table and from captured
//! traffic of version 0.171.0.

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, GeneratedField, IdentityFields, IgnoredField, MessageFraming,
    SyntheticAnswer, TargetId, TranscriptLayout,
};
use cassette_format::schema::ProviderId;

/// The descriptor of `codex`.
pub(crate) fn descriptor() -> Descriptor {
    let strings = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let answer = |method: &str, result: &str| SyntheticAnswer {
        method: method.into(),
        result: result.into(),
    };
    let ignored = |pointer: &str| IgnoredField {
        method: "initialize".into(),
        pointer: pointer.into(),
    };
    Descriptor {
        // Both put tokens on the wire.
        credential_methods: strings(&["account/login/start", "account/chatgptAuthTokens/refresh"]),
        // Read-only requests whose number depends on the client's timing.
        optional_probes: vec![
            answer("thread/read", "{}"),
            answer("thread/goal/get", r#"{"goal":null}"#),
        ],
        startup_metadata: vec![
            answer("account/rateLimits/read", r#"{"rateLimits":{}}"#),
            answer("thread/goal/get", r#"{"goal":null}"#),
        ],
        account_read: Some(AccountRead {
            method: "account/read".into(),
            pointer: "/account/email".into(),
        }),
        // Made anew by the host for each decision on a plan.
        generated_fields: vec![GeneratedField {
            method: "turn/start".into(),
            parameter: "clientUserMessageId".into(),
            prefix: "plan-decision:".into(),
            portable: "plan-decision:<runtime-operation>".into(),
        }],
        identity_fields: IdentityFields {
            generated: strings(&["clientUserMessageId"]),
            match_only: Vec::new(),
        },
        // The client's own release is no part of the conversation; its name is.
        ignored_fields: vec![
            ignored("/params/clientInfo/version"),
            ignored("/params/clientInfo/title"),
        ],
        home_variables: strings(&["CODEX_HOME"]),
        session_home: Some("codex-home".into()),
        transcripts: Some(TranscriptLayout::Rollouts {
            directories: strings(&["sessions", "archived_sessions"]),
        }),
        ..Descriptor::new(
            ProviderId::from_recorded("codex"),
            TargetId::named("local:codex"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}
