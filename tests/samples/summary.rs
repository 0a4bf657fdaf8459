//! Every capture recorded and counted: the sums are those of its manifest, the
//! messages those that a parser finds, however it is cut.

use std::collections::BTreeMap;

use cassette_format::json::{Framer, Framing, FramingLimits};
use cassette_format::store::{RawTape, ReadOptions, Tape, TapePrefix};
use cassette_format::summary::{DirectionSummary, Summary};
use serde_json::Value;

use crate::capture::{Capture, all};
use crate::recording::{Cuts, record};

/// What passed in one direction: messages, those that are no JSON, and how often each
/// method or type stands in the others.
type Found = (u64, u64, BTreeMap<String, u64>);

/// The same as a parser has it, from all bytes of a stream.
fn parsed(provider: &str, bytes: &[u8]) -> Found {
    let framing = match provider {
        "lsp" => Framing::ContentLength,
        _ => Framing::Lines,
    };
    let mut framer = Framer::new(framing, FramingLimits::new(usize::MAX));
    framer.push(bytes);
    let (mut messages, mut not_json, mut names) = (0, 0, BTreeMap::new());
    while let Some(message) = framer.next_message().unwrap() {
        messages += 1;
        let Ok(value) = serde_json::from_slice::<Value>(message.content()) else {
            not_json += 1;
            continue;
        };
        let batch = value.as_array().cloned();
        for value in batch.unwrap_or(vec![value]) {
            if let Some(name) = name(provider, &value) {
                *names.entry(name).or_default() += 1;
            }
        }
    }
    (messages, not_json, names)
}

fn name(provider: &str, message: &Value) -> Option<String> {
    if provider != "claude-stream-json" {
        return Some(message["method"].as_str()?.to_owned());
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match message["type"].as_str()? {
        "control_response" => None,
        "control_request" => text(&message["request"]["subtype"]),
        name => Some(match text(&message["subtype"]) {
            Some(subtype) => format!("{name}/{subtype}"),
            None => name.to_owned(),
        }),
    }
}

/// What the summary has, answers left out.
fn counted(direction: &DirectionSummary) -> Found {
    let mut names = BTreeMap::new();
    for method in &direction.methods {
        if let ("request" | "notification", Some(name)) = (method.kind.as_str(), &method.name) {
            *names.entry(name.clone()).or_default() += method.count;
        }
    }
    (direction.messages, direction.not_json, names)
}

/// How many answers there are in all, and how many to a request that was seen.
fn answers(direction: &DirectionSummary) -> (u64, u64) {
    let answers = direction.methods.iter();
    let answers = answers.filter(|it| matches!(it.kind.as_str(), "result" | "error"));
    answers.fold((0, 0), |(all, named), it| {
        let is_named = u64::from(it.name.is_some());
        (all + it.count, named + it.count * is_named)
    })
}

fn answered(direction: &DirectionSummary) -> u64 {
    let requests = direction.methods.iter();
    requests.filter_map(|it| Some(it.answers?.count)).sum()
}

fn check(capture: &Capture) {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("captured");
    let registry = provider_adapters::builtin();
    let Ok((outbound, stdout)) = record(capture, &dir, Cuts::AsCaptured) else {
        let left = TapePrefix::open(&dir, &ReadOptions::default()).unwrap();
        let summary = Summary::of_prefix(&left, &registry);
        assert_eq!(summary.total.stored_bytes, left.good_bytes());
        let frames = summary.total.frame_count;
        println!("{:<40} refused, {frames} frames left", capture.name);
        return;
    };
    let tape = Tape::open(&dir, &ReadOptions::default()).unwrap();
    let (summary, manifest) = (Summary::of(&tape, &registry), tape.manifest());
    assert_eq!(summary.total.frame_count, manifest.frame_count);
    assert_eq!(summary.total.payload_bytes, manifest.payload_bytes);
    assert_eq!(summary.total.stored_bytes, manifest.stored_bytes);
    assert_eq!(summary.frames_by_kind, manifest.frames_by_kind);
    let raw = RawTape::open(&dir, &ReadOptions::default()).unwrap();
    assert_eq!(Summary::of_raw(&raw, &registry), summary);

    let Some(messages) = &summary.connections[0].messages else {
        assert_eq!(capture.provider, "raw", "{}", capture.name);
        return;
    };
    assert_eq!(messages, &summary.messages);
    for (direction, bytes, other) in [
        (&messages.outbound, &outbound, &messages.inbound),
        (&messages.inbound, &stdout, &messages.outbound),
    ] {
        let found = parsed(capture.provider, bytes);
        assert_eq!(counted(direction), found, "{}", capture.name);
        assert_eq!(answered(direction), answers(other).1, "{}", capture.name);
        assert_eq!(direction.lost_framings, 0, "{}", capture.name);
    }
    let (all, named) = answers(&messages.inbound);
    println!(
        "{:<40} messages {:>4} out {:>5} in, answers {all:>3}, to no request {}, unnamed {}",
        capture.name,
        messages.outbound.messages,
        messages.inbound.messages,
        all - named,
        messages.inbound.unnamed + messages.outbound.unnamed,
    );

    let cut = scratch.path().join("cut");
    if outbound.len() + stdout.len() < 100_000 {
        record(capture, &cut, Cuts::Each(7)).unwrap();
        let tape = Tape::open(&cut, &ReadOptions::default()).unwrap();
        let cut = Summary::of(&tape, &registry).messages;
        assert_eq!(counted(&cut.outbound), counted(&messages.outbound));
        assert_eq!(counted(&cut.inbound), counted(&messages.inbound));
        assert_eq!(answers(&cut.inbound), answers(&messages.inbound));
    }
}

#[test]
fn every_capture_comes_to_the_sums_of_its_manifest_and_the_messages_of_a_parser() {
    let Some(captures) = all() else {
        return;
    };
    captures.iter().for_each(check);
}
