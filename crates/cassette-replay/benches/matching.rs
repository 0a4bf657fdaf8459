//! What a decision about one message costs: whether it is the recorded one, and what
//! the agent's messages become.
//!
//! `cargo bench -p cassette-replay --bench matching [PART OF A NAME]`. Messages of 600 bytes and of
//! 60 kilobytes; the provider has identities, generated fields and probes.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints figures and may end"
)]

use std::hint::black_box;
use std::time::Instant;

use cassette_format::descriptor::{
    Descriptor, Dialect, GeneratedField, IdentityFields, IgnoredField, MessageFraming,
};
use cassette_format::portable::{RootSources, Rules};
use cassette_replay::matching::{Correspondence, MatchRules, Matcher, MessageId, Side};

const ROUNDS: usize = 31;
const BYTES_A_ROUND: usize = 2 << 20;
const TOKEN: &str = "${SESSION_CWD:session-1:1}";

fn main() {
    println!(
        "{:<34} {:>8} {:>12} {:>12} {:>10}",
        "message", "bytes", "min [ns]", "median [ns]", "ns a byte"
    );
    for size in [600, 60_000] {
        for (name, expected, actual) in judged(size) {
            let mut matcher = Matcher::new(rules());
            let known = known();
            report(name, actual.len(), || {
                let verdict = matcher.judge(black_box(&expected), black_box(&actual), &known);
                usize::from(verdict.is_ok())
            });
        }
        for (name, message) in said(size) {
            let mut matcher = Matcher::new(rules());
            let known = if name.contains("no identity") {
                Correspondence::default()
            } else {
                known()
            };
            report(name, message.len(), || {
                let edits = matcher.rewrite(black_box(&message), &known);
                edits.map_or(1, |edits| edits.len())
            });
        }
    }
}

/// Sorted rounds of one operation.
fn report(name: &str, bytes: usize, mut run: impl FnMut() -> usize) {
    let asked = std::env::args().skip(1).find(|it| !it.starts_with("--"));
    if asked.is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let repeat = (BYTES_A_ROUND / bytes).max(1);
    let mut rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..repeat {
                assert_ne!(black_box(run()), 0);
            }
            start.elapsed().as_nanos() as f64 / repeat as f64
        })
        .collect();
    rounds.sort_unstable_by(f64::total_cmp);
    let (least, median) = (rounds[0], rounds[ROUNDS / 2]);
    println!(
        "{name:<34} {bytes:>8} {least:>12.0} {median:>12.0} {:>10.2}",
        median / bytes as f64
    );
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
        ("judge: equal bytes", recorded.clone(), recorded.clone()),
        (
            "judge: equal but for the id",
            recorded.clone(),
            request(size, ("7", TOKEN)),
        ),
        ("judge: members in disorder", recorded.clone(), reordered),
        (
            "judge: paths mapped",
            recorded.clone(),
            request(size, ("1", "/srv/ci")),
        ),
        (
            "judge: ids and paths",
            recorded,
            request(size, ("7", "/srv/ci")),
        ),
    ]
}

fn said(size: usize) -> [(&'static str, Vec<u8>); 5] {
    let event = event(size, "x", "/tmp");
    [
        ("rewrite: event, no identity known", event.clone()),
        ("rewrite: answer, no identity known", answer(size, "/tmp")),
        ("rewrite: event, identities known", event),
        ("rewrite: event with paths", self::event(size, "x", TOKEN)),
        ("rewrite: answer, id and path", answer(size, TOKEN)),
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
