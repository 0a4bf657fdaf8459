//! Matching vectors: single decisions of a player.

use cassette_format::json::{Framer, Framing, FramingLimits, Scanner};
use cassette_format::portable::{RootSources, Rules};
use cassette_format::schema::ProviderId;
use cassette_replay::matching::{
    Correspondence, Envelope, MatchRules, Matched, Matcher, MessageId, Side,
};
use serde_json::{Map, Value, json};

use crate::outcome::same;
use crate::payload;
use crate::vector::{Outcome, Vector};

pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    let input = &vector.input;
    let actual = match input["mode"].as_str().unwrap_or_default() {
        "match" => judge(input),
        "inbound" => inbound(input),
        "request" => request(input),
        "synthetic" => synthetic(input),
        "replay-home" => replay_home(input),
        _ => return Outcome::NotCovered,
    };
    same("outcome", expect, &actual).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

fn judge(input: &Value) -> Value {
    let mut matcher = Matcher::new(rules(input));
    let known = known(input);
    let expected = payload::bytes(&input["expected"]);
    let actual = payload::bytes(&input["actual"]);
    let equal = expected == actual;
    let Ok(matched) = matcher.judge(&expected, &actual, &known) else {
        return json!({"accepted": false, "bytesEqual": equal, "matched": false});
    };
    let mut outcome =
        json!({"accepted": true, "bytesEqual": equal, "matched": holds_json(&actual)});
    if outcome["matched"] == json!(true) {
        outcome["identities"] = learned(&matched);
        outcome["responseIds"] = matched
            .request_ids
            .iter()
            .map(|(recorded, sent)| (recorded.to_string(), json!(sent.to_string())))
            .collect::<Map<_, _>>()
            .into();
    }
    outcome
}

/// Identities as they are compared: a generated value as its portable one.
fn learned(matched: &Matched) -> Value {
    let identities = matched.identities.iter();
    let identities = identities.map(|(recorded, sent)| (recorded.clone(), json!(sent)));
    let generated = matched.generated.iter();
    let generated = generated.map(|(portable, _)| (portable.clone(), json!(portable)));
    identities.chain(generated).collect::<Map<_, _>>().into()
}

/// Whether there is at least one value, and nothing else.
fn holds_json(bytes: &[u8]) -> bool {
    let mut scanner = Scanner::new(bytes);
    let mut count = 0;
    while let Ok(value) = scanner.skip_value() {
        match value {
            Some(_) => count += 1,
            None => return count > 0,
        }
    }
    false
}

fn inbound(input: &Value) -> Value {
    let mut matcher = Matcher::new(rules(input));
    let known = known(input);
    let mut skipped: Vec<MessageId> = ids(&input["skippedIds"]).collect();
    let data = payload::bytes(&input["data"]);
    let mut framer = Framer::new(Framing::Lines, FramingLimits::new(data.len() + 1));
    framer.push(&data);
    framer.finish();
    let mut said = Vec::new();
    while let Some(message) = framer.next_message().unwrap() {
        let envelope = matcher.rules().envelope(message.bytes);
        if let Envelope::Answer { id: Some(id), .. } = &envelope
            && let Some(at) = skipped.iter().position(|skipped| skipped == id)
        {
            skipped.remove(at);
            continue;
        }
        let edits = matcher.rewrite(message.bytes, &known);
        let edits = edits.unwrap_or_default();
        said.extend_from_slice(&edits.apply(message.bytes).unwrap().bytes);
    }
    let left: Vec<_> = skipped.iter().map(ToString::to_string).collect();
    json!({"data": payload::of(&said), "skippedIdsLeft": left})
}

fn request(input: &Value) -> Value {
    let rules = rules(input);
    let data = payload::bytes(&input["data"]);
    let Some(request) = rules.request(&data) else {
        return json!({"isRequest": false});
    };
    json!({
        "isRequest": true,
        "method": request.method,
        "id": request.id.map(|id| id.to_string()).unwrap_or_default(),
        "credential": request.carries_credentials,
        "optionalProbe": request.optional_probe.is_some(),
    })
}

fn synthetic(input: &Value) -> Value {
    let rules = rules(input);
    let data = payload::bytes(&input["data"]);
    let request = rules.request(&data);
    let probe = request.and_then(|request| Some((request.optional_probe?, request)));
    let Some((probe, request)) = probe else {
        return json!({"absorbed": false, "synthetic": []});
    };
    let answer = rules.synthetic_answer(&request, &probe.result);
    let answers: Vec<_> = answer.iter().map(|answer| payload::of(answer)).collect();
    json!({"absorbed": true, "synthetic": answers})
}

fn replay_home(input: &Value) -> Value {
    let spec = &input["spec"];
    let variables = spec["env"].as_array().into_iter().flatten();
    let variables: Vec<(&str, &str)> = variables
        .filter_map(|variable| variable.as_str().unwrap().split_once('='))
        .collect();
    let sources = RootSources {
        variables: &variables,
        cwd: spec["cwd"].as_str(),
        protocol_cwd: spec["protocolCwd"].as_str(),
        ..RootSources::default()
    };
    let rules = Rules::default();
    let side = Side {
        sources,
        fallback_home: input["home"].as_str().unwrap_or_default(),
        ..Side::new(&rules)
    };
    json!({"replayHome": of_provider(&spec["provider"], &side).replay_home()})
}

/// The rules of a vector that names its directories.
fn rules(input: &Value) -> MatchRules {
    let text = |name: &str| input[name].as_str();
    let rules = Rules::default();
    let home = text("replayHome").unwrap_or_default();
    let side = Side {
        sources: RootSources {
            variables: &[("HOME", home)],
            protocol_cwd: text("replayCwd"),
            ..RootSources::default()
        },
        cwd_token: text("recordedCwd").unwrap_or_default(),
        ..Side::new(&rules)
    };
    of_provider(&input["provider"], &side)
}

fn of_provider(provider: &Value, side: &Side<'_>) -> MatchRules {
    let registry = provider_adapters::builtin();
    let provider = ProviderId::from_recorded(provider.as_str().unwrap());
    MatchRules::new(registry.by_provider(&provider).unwrap(), side)
}

fn known(input: &Value) -> Correspondence {
    let mut known = Correspondence::default();
    for (recorded, sent) in input["knownIdentities"].as_object().into_iter().flatten() {
        let sent = sent.as_str().unwrap();
        known.identities.bind(recorded, sent).unwrap();
    }
    for (recorded, sent) in input["responseIds"].as_object().into_iter().flatten() {
        let id = |text: &str| MessageId::from_json(text).unwrap();
        known.bind_request(id(recorded), id(sent.as_str().unwrap()));
    }
    known
}

fn ids(list: &Value) -> impl Iterator<Item = MessageId> + '_ {
    let texts = list.as_array().into_iter().flatten();
    texts.map(|text| MessageId::from_json(text.as_str().unwrap()).unwrap())
}
