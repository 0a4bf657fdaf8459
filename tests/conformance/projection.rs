//! Projection vectors: single messages through the recording side's rewrite.

use cassette_format::json::{Span, members};
use cassette_format::portable::{
    Audit, Direction, FieldClass, FieldClasses, HomeTokens, Projection, RootSources, Roots, Rules,
    map_path,
};
use cassette_format::schema::ProviderId;
use serde_json::{Value, json};

use crate::class;
use crate::outcome::same;
use crate::payload;
use crate::vector::{Outcome, Vector};

/// What stands for the working directory in these vectors.
const TOKEN: &str = "${SESSION_CWD:s:1}";

pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    let input = &vector.input;
    let actual = match input["mode"].as_str().unwrap_or_default() {
        "lines" => lines(input),
        "path-map" => path_map(input),
        "path-field" => {
            let classes = FieldClasses::default();
            let key = input["key"].as_str().unwrap();
            json!({"isPathField": classes.of(key) == FieldClass::Path})
        }
        "audit-value" => audit_value(input),
        _ => return Outcome::NotCovered,
    };
    same("outcome", expect, &actual).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

fn lines(input: &Value) -> Value {
    let spec = &input["spec"];
    let text = |name: &str| spec[name].as_str();
    let registry = provider_adapters::builtin();
    let provider = ProviderId::from_recorded(text("provider").unwrap_or_default());
    let Some(descriptor) = registry.by_provider(&provider) else {
        return json!({"error": "unknown-provider"});
    };
    let variables = spec["env"].as_array().into_iter().flatten();
    let variables: Vec<(&str, &str)> = variables
        .filter_map(|variable| variable.as_str().unwrap().split_once('='))
        .collect();
    let sources = RootSources {
        variables: &variables,
        cwd: text("cwd"),
        protocol_cwd: text("protocolCwd"),
        ..RootSources::default()
    };
    let roots = Roots::new(descriptor, &sources, TOKEN, HomeTokens::Shared);
    let homes = json!(roots.homes());
    let mut projection = Projection::new(descriptor, roots, Rules::default());
    let messages = input["messages"].as_array().unwrap().iter();
    let results: Vec<Value> = messages
        .map(|message| {
            let bytes = payload::bytes(&message["data"]);
            let direction = match message["dir"].as_str() {
                Some("outbound") => Direction::Outbound,
                _ => Direction::Inbound,
            };
            match projection.message(direction, &bytes) {
                Err(error) => json!({"error": class::of_content(&error)}),
                Ok(projected) if *projected == *bytes => json!({"changed": false}),
                Ok(projected) => {
                    json!({"changed": true, "text": String::from_utf8_lossy(&projected)})
                }
            }
        })
        .collect();
    json!({"homeRoots": homes, "results": results})
}

fn path_map(input: &Value) -> Value {
    let text = |name: &str| input[name].as_str().unwrap();
    match map_path(text("path"), text("old"), text("new")) {
        Some(mapped) => json!({"changed": true, "mapped": mapped}),
        None => json!({"changed": false, "mapped": text("path")}),
    }
}

fn audit_value(input: &Value) -> Value {
    let json = input["json"].as_str().unwrap().as_bytes();
    // A value alone, whatever the provider: an envelope tells nothing here.
    assert_eq!(
        members(json, Span::whole(json))
            .filter(Result::is_err)
            .count(),
        0
    );
    let registry = provider_adapters::builtin();
    let codex = registry
        .by_provider(&ProviderId::from_recorded("codex"))
        .unwrap();
    match Audit::new(codex, &Rules::default()).message(json) {
        Ok(()) => json!({"ok": true}),
        Err(error) => json!({"error": class::of_content(&error)}),
    }
}
