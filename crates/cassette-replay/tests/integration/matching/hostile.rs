//! Messages that were made to break a player.

use super::side::{Side, TOKEN};

const MANY: usize = 100_000;

fn object(keys: impl Iterator<Item = String>) -> String {
    let members: Vec<String> = keys.map(|key| format!("\"{key}\":0")).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn very_many_members_match_in_any_order() {
    let forward = object((0..MANY).map(|n| format!("k{n}")));
    let backward = object((0..MANY).rev().map(|n| format!("k{n}")));
    assert!(Side::new().matches(&forward, &backward));
    let short = object((1..MANY).map(|n| format!("k{n}")));
    let difference = Side::new().judge(&forward, &short).unwrap_err();
    assert_eq!(difference.count(), 1);
}

#[test]
fn very_many_members_with_one_name_are_one() {
    let many = object((0..MANY).map(|_| "k".to_owned()));
    assert!(Side::new().matches(&many, r#"{"k":0}"#));
    let escaped = object((0..MANY).map(|n| if n % 2 == 0 { "k" } else { "\\u006b" }.to_owned()));
    assert!(Side::new().matches(&escaped, &many));
}

#[test]
fn very_many_names_that_hold_directories_match() {
    let side = Side::new().spelling(&[cassette_format::descriptor::Spelling::ObjectKeys]);
    let recorded = object((0..MANY).map(|n| format!("{TOKEN}/{n}")));
    let sent = object((0..MANY).rev().map(|n| format!("/new/{n}")));
    assert!(side.matches(&recorded, &sent));
}

#[test]
fn very_many_identities_are_held_against_each_other() {
    let list = |prefix: &str| {
        let items = (0..MANY).map(|n| format!(r#"{{"turnId":"{prefix}{n}"}}"#));
        format!("[{}]", items.collect::<Vec<_>>().join(","))
    };
    let matched = Side::new().judge(&list("a"), &list("b")).unwrap();
    assert_eq!(matched.identities.len(), MANY);
}

#[test]
fn very_many_differences_are_counted_not_kept() {
    let list = |value: &str| format!("[{}]", vec![value; MANY].join(","));
    let difference = Side::new().judge(&list("1"), &list("2")).unwrap_err();
    assert_eq!(difference.count(), MANY);
    assert!(difference.departures().len() <= 8);
    assert!(difference.to_string().len() < 2_000);
}

#[test]
fn nested_objects_in_disorder_are_compared_once() {
    let nested = |front: bool| {
        (0..500).fold("0".to_owned(), |inner, _| {
            if front {
                format!(r#"{{"a":1,"b":{inner}}}"#)
            } else {
                format!(r#"{{"b":{inner},"a":1}}"#)
            }
        })
    };
    assert!(Side::new().matches(&nested(true), &nested(false)));
    let changed = nested(false).replacen(":0", ":5", 1);
    assert_eq!(
        Side::new()
            .judge(&nested(true), &changed)
            .unwrap_err()
            .count(),
        1
    );
}

#[test]
fn what_is_deeper_than_512_levels_matches_byte_for_byte() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let side = Side::new();
    assert!(side.matches(&nested(512), &format!(" {}", nested(512))));
    assert!(!side.matches(&nested(513), &format!(" {}", nested(513))));
    assert!(side.matches(&nested(1_000_000), &nested(1_000_000)));
    assert!(!side.matches(&nested(1_000_000), &nested(999_999)));
    assert!(!side.matches("[1]", &nested(1_000_000)));
}

#[test]
fn a_path_of_tokens_is_compared_fast() {
    let recorded = "${REDACTED:A}x".repeat(MANY);
    let sent = "yx".repeat(MANY);
    let message = |text: &str| format!(r#"{{"path":"{text}"}}"#);
    assert!(Side::new().matches(&message(&recorded), &message(&sent)));
    assert!(!Side::new().matches(&message(&recorded), &message(&sent[..sent.len() - 2])));
}

#[test]
fn a_long_message_is_looked_for_among_many_short_ones() {
    let side = Side::new();
    let long = format!(r#"{{"method":"x","l":[{}0]}}"#, "0,".repeat(MANY));
    let mut matcher = cassette_replay::matching::Matcher::new(side.match_rules());
    let mut search = matcher.search(long.as_bytes(), &side.known);
    for number in 0..MANY {
        let other = format!(r#"{{"method":"x","l":[{number}]}}"#);
        assert!(search.similarity(other.as_bytes()) < 500);
    }
}
