//! The descriptors that come with the crate.

use std::collections::BTreeSet;

use cassette_format::descriptor::{Descriptor, Registry};
use cassette_format::portable::{Audit, ContentError, Rules};
use cassette_format::schema::ProviderId;
use provider_adapters::{builtin, parse_json, parse_toml};

fn of(provider: &str) -> Descriptor {
    builtin()
        .by_provider(&ProviderId::from_recorded(provider))
        .unwrap()
        .clone()
}

#[test]
fn every_built_in_descriptor_registers() {
    let mut registry = Registry::new();
    for descriptor in builtin().iter() {
        registry.register(descriptor.clone()).unwrap();
    }
    assert_eq!(registry.iter().count(), 8);
}

#[test]
fn every_built_in_descriptor_comes_back_from_toml_and_json() {
    for descriptor in builtin().iter() {
        let toml = toml::to_string(descriptor).unwrap();
        assert_eq!(parse_toml(&toml).as_ref(), Ok(descriptor), "{toml}");
        let json = serde_json::to_string_pretty(descriptor).unwrap();
        assert_eq!(parse_json(&json).as_ref(), Ok(descriptor), "{json}");
    }
}

#[test]
fn every_built_in_pointer_and_result_is_valid() {
    for descriptor in builtin().iter() {
        let pointers = descriptor.ignored_fields.iter().map(|field| &field.pointer);
        for pointer in pointers.chain(descriptor.account_read.iter().map(|read| &read.pointer)) {
            assert!(
                pointer.starts_with('/') && !pointer.ends_with('/'),
                "{pointer}"
            );
            let mut escapes = pointer.split('~').skip(1);
            assert!(
                escapes.all(|rest| rest.starts_with(['0', '1'])),
                "{pointer}"
            );
        }
        for probe in descriptor
            .optional_probes
            .iter()
            .chain(&descriptor.startup_metadata)
        {
            let result: serde_json::Value = serde_json::from_str(&probe.result).unwrap();
            assert!(result.is_object(), "{}", probe.method);
        }
    }
}

/// What each protocol's schema requires of a result.
#[test]
fn every_stand_in_has_what_its_protocol_requires() {
    let required = [
        ("acp", "session/list", "sessions"),
        ("acp", "session/status", "status"),
        ("acp", "auth/status", "state"),
        ("acp", "providers/list", "providers"),
        ("claude-stream-json", "mcp_status", "mcpServers"),
        ("claude-stream-json", "get_context_usage", "categories"),
        ("claude-stream-json", "get_usage", "session"),
        ("claude-stream-json", "get_settings", "effective"),
        ("mcp", "tools/list", "tools"),
        ("mcp", "resources/list", "resources"),
        ("mcp", "resources/templates/list", "resourceTemplates"),
        ("mcp", "prompts/list", "prompts"),
    ];
    for (provider, method, member) in required {
        let probes = of(provider).optional_probes;
        let probe = probes.iter().find(|probe| probe.method == method).unwrap();
        let result: serde_json::Value = serde_json::from_str(&probe.result).unwrap();
        assert!(result.get(member).is_some(), "{provider} {method}");
    }
}

#[test]
fn no_built_in_list_names_anything_twice_or_blank() {
    for descriptor in builtin().iter() {
        let methods = |probes: &[cassette_format::descriptor::SyntheticAnswer]| {
            probes
                .iter()
                .map(|probe| probe.method.clone())
                .collect::<Vec<_>>()
        };
        for list in [
            descriptor.credential_methods.clone(),
            methods(&descriptor.optional_probes),
            methods(&descriptor.startup_metadata),
            descriptor.path_fields.clone(),
            descriptor.home_variables.clone(),
            descriptor.identity_fields.generated.clone(),
            descriptor.identity_fields.match_only.clone(),
        ] {
            let folded: BTreeSet<String> =
                list.iter().map(|name| name.trim().to_lowercase()).collect();
            assert_eq!(folded.len(), list.len(), "{}: {list:?}", descriptor.id);
            assert!(!folded.contains(""), "{}: {list:?}", descriptor.id);
        }
    }
}

#[test]
fn codex_has_the_values_of_the_reference_table_and_what_its_client_is_told_of_itself() {
    let expected = parse_toml(
        r#"
        id = "codex"
        target = "local:codex"
        schema-version = 4
        projection-version = 1
        framing = "lines"
        dialect = "json-rpc"
        credential-methods = ["account/login/start", "account/chatgptAuthTokens/refresh"]
        account-read = { method = "account/read", pointer = "/account/email" }
        identity-fields = { generated = ["clientUserMessageId", "clientId"] }
        path-fields = ["codexHome", "runtimeWorkspaceRoots"]
        home-variables = ["CODEX_HOME"]
        session-home = "codex-home"
        transcripts = { kind = "rollouts", directories = ["sessions", "archived_sessions"], traces = ["thread-writer-locks"] }
        optional-probes = [
            { method = "thread/read", result = '{}' },
            { method = "thread/goal/get", result = '{"goal":null}' },
        ]
        startup-metadata = [
            { method = "account/rateLimits/read", result = '{"rateLimits":{}}' },
            { method = "thread/goal/get", result = '{"goal":null}' },
        ]
        ignored-fields = [
            { method = "initialize", pointer = "/params/clientInfo/version" },
            { method = "initialize", pointer = "/params/clientInfo/title" },
        ]
        [[generated-fields]]
        method = "turn/start"
        parameter = "clientUserMessageId"
        prefix = "plan-decision:"
        portable = "plan-decision:<runtime-operation>"
        "#,
    );
    assert_eq!(Ok(of("codex")), expected);
}

#[test]
fn claude_code_has_the_values_of_the_reference_table_and_no_more() {
    let expected = parse_toml(
        r#"
        id = "claude-code"
        target = "local:claude-code"
        framing = "lines"
        dialect = "typed-envelope"
        environment-of-start = "excluded"
        home-variables = ["CLAUDE_CONFIG_DIR"]
        session-home = "claude-home"
        transcripts = { kind = "project-files", directory = "projects" }
        [identity-fields]
        generated = [
            "agentSessionId", "providerTurnId", "turnId", "promptCorrelationId",
            "goalOperationId", "operationId", "sourceGoalOperationId",
        ]
        match-only = ["providerSessionId"]
        "#,
    );
    assert_eq!(Ok(of("claude-code")), expected);
}

#[test]
fn tutti_agent_has_the_rollouts_of_codex_in_a_home_of_its_own() {
    let (tutti, codex) = (of("tutti-agent"), of("codex"));
    assert_eq!(tutti.transcripts, codex.transcripts);
    assert_eq!(tutti.session_home.as_deref(), Some("tutti-agent-home"));
}

#[test]
fn messages_that_renew_tokens_are_refused_by_their_type() {
    let audit = Audit::new(&of("claude-stream-json"), &Rules::default());
    for message in [
        r#"{"type":"update_environment_variables","variables":{"TOKEN":"s"}}"#,
        r#"{"type":"control_request","request":{"subtype":"claude_authenticate"}}"#,
    ] {
        let refused = audit.message(message.as_bytes()).unwrap_err();
        assert!(matches!(refused, ContentError::CredentialMethod { .. }));
    }
}

#[test]
fn nothing_of_a_raw_process_is_looked_at() {
    let audit = Audit::new(&of("raw"), &Rules::default());
    let message = br#"{"cwd":"/etc","email":"me@x","apiKey":"s"}"#;
    assert_eq!(audit.message(message), Ok(()));
}
