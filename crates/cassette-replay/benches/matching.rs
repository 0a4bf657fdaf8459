//! A decision about one message: whether it is the recorded one, and what the agent's messages
//! become, in bytes a second.
//!
//! `cargo bench -p cassette-replay --bench matching [-- PART OF A NAME]`. The provider has
//! identities, generated fields and probes.
#![expect(clippy::unwrap_used, reason = "a benchmark may fail")]

use std::hint::black_box;
use std::time::Duration;

use cassette_format::descriptor::{
    Descriptor, Dialect, GeneratedField, IdentityFields, IgnoredField, MessageFraming,
};
use cassette_format::portable::{RootSources, Rules};
use cassette_replay::matching::{Correspondence, MatchRules, Matcher, MessageId, Side};
use criterion::{BenchmarkId, Criterion, Throughput};

const TOKEN: &str = "${SESSION_CWD:session-1:1}";

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut criterion = criterion.configure_from_args();
    for size in [600, 60_000] {
        judge(&mut criterion, size);
        rewrite(&mut criterion, size);
    }
    criterion.final_summary();
}

fn judge(criterion: &mut Criterion, size: usize) {
    let mut group = criterion.benchmark_group(format!("judge, {size} B"));
    for (name, expected, actual) in judged(size) {
        let (mut matcher, known) = (Matcher::new(rules()), known());
        group.throughput(Throughput::Bytes(actual.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| {
                let verdict = matcher.judge(black_box(&expected), black_box(&actual), &known);
                assert!(verdict.is_ok());
            });
        });
    }
    group.finish();
}

fn rewrite(criterion: &mut Criterion, size: usize) {
    let mut group = criterion.benchmark_group(format!("rewrite, {size} B"));
    for (name, message) in said(size) {
        let mut matcher = Matcher::new(rules());
        let known = if name.contains("no identity") {
            Correspondence::default()
        } else {
            known()
        };
        group.throughput(Throughput::Bytes(message.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| matcher.rewrite(black_box(&message), &known));
        });
    }
    group.finish();
}

fn judged(size: usize) -> [(&'static str, Vec<u8>, Vec<u8>); 5] {
    let recorded = request(size, ("1", TOKEN));
    let reordered = {
        let text = String::from_utf8(request(size, ("1", TOKEN))).unwrap();
        let rest = text
            .strip_prefix(r#"{"id":1,"method":"turn/start","#)
            .unwrap();
        let rest = rest.strip_suffix("}\n").unwrap();
        format!("{{{rest},\"method\":\"turn/start\",\"id\":7}}\n").into_bytes()
    };
    [
        ("equal bytes", recorded.clone(), recorded.clone()),
        (
            "equal but for the id",
            recorded.clone(),
            request(size, ("7", TOKEN)),
        ),
        ("members in disorder", recorded.clone(), reordered),
        (
            "paths mapped",
            recorded.clone(),
            request(size, ("1", "/srv/ci")),
        ),
        ("ids and paths", recorded, request(size, ("7", "/srv/ci"))),
    ]
}

fn said(size: usize) -> [(&'static str, Vec<u8>); 5] {
    let event = event(size, "x", "/tmp");
    [
        ("event, no identity known", event.clone()),
        ("answer, no identity known", answer(size, "/tmp")),
        ("event, identities known", event),
        ("event with paths", self::event(size, "x", TOKEN)),
        ("answer, id and path", answer(size, TOKEN)),
    ]
}

fn request(size: usize, (id, cwd): (&str, &str)) -> Vec<u8> {
    format!(
        "{{\"id\":{id},\"method\":\"turn/start\",\"params\":{{\"threadId\":\"0198c1f2-11aa\",\
         \"clientUserMessageId\":\"u-1\",\"cwd\":\"{cwd}/app\",\"sandbox\":{{\"type\":\"workspace\",\
         \"path\":\"{cwd}\",\"network\":false}},\"input\":[{}]}}}}\n",
        items(size)
    )
    .into_bytes()
}

fn event(size: usize, id: &str, cwd: &str) -> Vec<u8> {
    format!(
        "{{\"method\":\"item/completed\",\"params\":{{\"threadId\":\"0198c1f2-11aa\",\
         \"clientUserMessageId\":\"{id}\",\"cwd\":\"{cwd}\",\"items\":[{}]}}}}\n",
        items(size)
    )
    .into_bytes()
}

fn answer(size: usize, cwd: &str) -> Vec<u8> {
    format!(
        "{{\"id\":1,\"result\":{{\"cwd\":\"{cwd}\",\"items\":[{}]}}}}\n",
        items(size)
    )
    .into_bytes()
}

/// Texts and numbers that make up about as many bytes.
fn items(size: usize) -> String {
    let item = r#"{"type":"text","text":"Read the file \"main.rs\",\nthen say what it does.","elements":[1,2.5],"last":null}"#;
    vec![item; (size.saturating_sub(200) / item.len()).max(1)].join(",")
}

fn rules() -> MatchRules {
    let rules = Rules::default();
    let side = Side {
        sources: RootSources {
            variables: &[("HOME", "/home/ada")],
            cwd: Some("/srv/ci"),
            ..RootSources::default()
        },
        cwd_token: TOKEN,
        ..Side::new(&rules)
    };
    MatchRules::new(&descriptor(), &side)
}

fn known() -> Correspondence {
    let mut known = Correspondence::default();
    known.identities.bind("u-1", "u-1").unwrap();
    let id = |text: &str| MessageId::from_json(text).unwrap();
    known.bind_request(id("1"), id("7"));
    known
}

fn descriptor() -> Descriptor {
    let mut codex = Descriptor::new(
        "codex".parse().unwrap(),
        "local:codex".parse().unwrap(),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    );
    codex.identity_fields = IdentityFields {
        generated: vec!["clientUserMessageId".into()],
        match_only: Vec::new(),
    };
    codex.generated_fields = vec![GeneratedField {
        method: "turn/start".into(),
        parameter: "clientUserMessageId".into(),
        prefix: "plan-decision:".into(),
        portable: "plan-decision:<runtime-operation>".into(),
    }];
    codex.ignored_fields = vec![IgnoredField {
        method: "initialize".into(),
        pointer: "/params/clientInfo/version".into(),
    }];
    codex
}
