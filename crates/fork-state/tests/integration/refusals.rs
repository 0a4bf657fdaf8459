//! What no binding is made of, and what is said then.

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};

const PLACE: &str = "codex-home/sessions/2026/11/30/rollout-2026-11-30T07-18-15-t2.jsonl";

fn refused(target: Option<&[u8]>, source: Option<&[u8]>) -> String {
    let scratch = Scratch::new();
    // There is a home on both sides.
    scratch.put_source("config.toml", "");
    scratch.put_target("config.toml", "");
    if let Some(target) = target {
        scratch.put_target(&day("t2"), target);
    }
    if let Some(source) = source {
        scratch.put_source(&day("t2"), source);
    }
    scratch.refused()
}

#[test]
fn a_transcript_that_nobody_has_is_refused() {
    let told = "no transcript of session `t2` below one/codex-home";
    assert_eq!(refused(None, None), told);
    let none = Scratch::new();
    assert_eq!(
        none.refused(),
        "the source's home one/codex-home does not exist"
    );
}

#[test]
fn transcripts_that_go_different_ways_are_refused() {
    let rollout = Rollout::of("t2").records(1);
    let (one, other) = (
        rollout.clone().saying("one"),
        rollout.clone().saying("other"),
    );
    let told = format!("two/{PLACE} and one/{PLACE} go different ways");
    for (target, source) in [
        (&one, &other),
        (&one, &other.clone().records(1)),
        (&one.clone().records(1), &other),
    ] {
        assert_eq!(refused(Some(target.bytes()), Some(source.bytes())), told);
    }
}

#[test]
fn a_damaged_source_is_refused_with_the_place_of_the_damage() {
    let rollout = Rollout::of("t2").records(1);
    let at = rollout.len();
    for (behind, what) in [
        (
            &b"{\"ordinal\":2"[..],
            "the file ends inside its last record",
        ),
        (b"[]\n", "no json object: `[`"),
        (b"\0\0\0\n", "3 NUL bytes"),
    ] {
        let source = rollout.clone().then(behind);
        let damage = format!("record 3, byte {at}: {what}");
        let told = format!("one/{PLACE} is damaged: {damage}");
        assert_eq!(refused(None, Some(source.bytes())), told);
        // A beginning in the target changes nothing.
        assert_eq!(refused(Some(rollout.bytes()), Some(source.bytes())), told);
    }
}

#[test]
fn a_torn_target_without_a_source_is_refused() {
    let rollout = Rollout::of("t2").records(2);
    let damage = format!("record 2, byte {}", Rollout::of("t2").len());
    let torn = Rollout::of("t2").records(1);
    let damage = format!("{damage}: the file ends inside its last record");
    let told = format!("two/{PLACE} is damaged, and the source has no transcript: {damage}");
    assert_eq!(refused(Some(torn.cut(5)), None), told);
    let gone = Scratch::new();
    gone.put_target(&day("t2"), rollout.cut(5));
    assert_eq!(
        gone.refused(),
        "the source's home one/codex-home does not exist"
    );
}

#[test]
fn a_damaged_target_that_is_no_beginning_is_refused() {
    let whole = Rollout::of("t2").records(3);
    let at = Rollout::of("t2").len();
    let torn = Rollout::of("t2").saying("another");
    let told = format!(
        "two/{PLACE} is damaged and no beginning of the source's: record 2, byte {at}: \
         the file ends inside its last record"
    );
    assert_eq!(refused(Some(torn.cut(5)), Some(whole.bytes())), told);
}

#[test]
fn a_damaged_target_as_long_as_the_source_or_longer_is_refused() {
    let whole = Rollout::of("t2").records(1);
    let longer = whole.clone().then(b"{\"ordinal\"");
    let at = whole.len();
    let told = format!(
        "two/{PLACE} is damaged and no beginning of the source's: record 3, byte {at}: \
         the file ends inside its last record"
    );
    assert_eq!(refused(Some(longer.bytes()), Some(whole.bytes())), told);
}

#[test]
fn a_target_that_cannot_be_told_whose_it_is_is_refused() {
    let whole = Rollout::of("t2").records(3);
    let head = &Rollout::of("t2").bytes()[..20].to_vec();
    let told = format!(
        "two/{PLACE} is damaged where it would say whose it is: record 1, byte 0: \
         the file ends inside its last record"
    );
    assert_eq!(refused(Some(head), Some(whole.bytes())), told);
    let told = format!(
        "two/{PLACE} is damaged where it would say whose it is: record 0, byte 0: no record"
    );
    assert_eq!(refused(Some(b""), Some(whole.bytes())), told);
}

#[test]
fn a_source_that_cannot_be_told_whose_it_is_is_refused_if_there_is_no_other() {
    let head = &Rollout::of("t2").bytes()[..20].to_vec();
    let told =
        format!("one/{PLACE} is damaged: record 1, byte 0: the file ends inside its last record");
    assert_eq!(refused(None, Some(head)), told);
}

#[test]
fn a_rollout_that_names_its_session_by_no_text_is_refused() {
    let named = br#"{"type":"session_meta","payload":{"id":7}}
"#;
    let told = format!(
        "one/{PLACE} is damaged: record 1, byte 0: the session that it belongs to cannot be read"
    );
    assert_eq!(refused(None, Some(named)), told);
}
