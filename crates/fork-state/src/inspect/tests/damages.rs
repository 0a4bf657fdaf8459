//! Each kind of damage and note: where it is told to be.

use cassette_format::json::Found;

use super::*;
use crate::inspect::nesting::MAX_DEPTH;

const HEAD: &str = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}\n";
/// Everything that a record may be made of.
const RECORD: &str = r#"{"timestamp":"2026 {x}","ordinal":12,"type":"a","payload":{"e":{},"l":[[],[1,-0.5e+3,{"k":null}],true],"text":"q\"\\\u00e9 {}","n":-10,"f":false}}"#;

fn not_an_object(found: Found) -> DamageKind {
    DamageKind::NotAnObject { found }
}

#[test]
fn whole_records_are_sound_whatever_surrounds_them() {
    for text in [
        format!("{HEAD}{RECORD}\n"),
        format!("{HEAD}{RECORD}"),
        format!(" \t{HEAD}\t{RECORD} \r\n"),
        format!("{HEAD}{{}}\r\n{{ }}\n{{\t\"a\" : [ 1 , 2 ]\r, \"b\":{{}} }}\n"),
    ] {
        let inspection = rollout(&text);
        assert_eq!(damages(&inspection), [], "{text}");
        assert_eq!(notes(&inspection), [], "{text}");
        assert!(inspection.report.is_sound());
        assert_eq!(inspection.report.size, text.len() as u64);
    }
}

#[test]
fn bytes_that_are_not_utf8_are_sound_in_texts_only() {
    assert_eq!(damages(&rollout(b"{\"a\":\"\xff\x80\xc0\"}\n")), []);
    assert_eq!(damages(&rollout(b"{\"a\xff\":1}\n")), []);
    let expected = [(not_an_object(Found::NonAscii), 5, 1)];
    assert_eq!(damages(&rollout(b"{\"a\":\xff}\n")), expected);
}

#[test]
fn a_record_that_is_cut_anywhere_is_a_torn_tail() {
    for cut in 1..RECORD.len() {
        let text = format!("{HEAD} {}", &RECORD[..cut]);
        let start = HEAD.len() as u64 + 1;
        let expected = [(DamageKind::TornTail, start, 2)];
        assert_eq!(damages(&rollout(&text)), expected, "{text}");
    }
}

#[test]
fn a_record_behind_one_that_is_cut_anywhere_is_a_splice() {
    for cut in 1..RECORD.len() {
        let text = format!("{HEAD}{}{RECORD}\n{RECORD}\n", &RECORD[..cut]);
        let place = (HEAD.len() + cut) as u64;
        let inspection = rollout(&text);
        assert_eq!(
            damages(&inspection),
            [(DamageKind::Splice, place, 2)],
            "{text}"
        );
        assert_eq!(inspection.report.records, 3);
    }
}

#[test]
fn a_splice_may_be_cut_or_repeated() {
    let torn = format!("{HEAD}{{\"a\":\"x{{\"b\":\"y");
    let place = HEAD.len() as u64 + 7;
    let expected = [
        (DamageKind::Splice, place, 2),
        (DamageKind::TornTail, place, 2),
    ];
    assert_eq!(damages(&rollout(torn)), expected);
    let twice = format!("{HEAD}{{\"a\":\"x{{\"b\":\"y{{\"c\":1}}\n");
    let expected = [(DamageKind::Splice, HEAD.len() as u64 + 14, 2)];
    assert_eq!(damages(&rollout(twice)), expected);
    let and_another = format!("{HEAD}{{\"a\":\"x{{\"b\":1}} {{\"c\":1}}\n");
    let expected = [
        (DamageKind::Splice, place, 2),
        (DamageKind::Concatenated, place + 8, 2),
    ];
    assert_eq!(damages(&rollout(and_another)), expected);
}

#[test]
fn what_only_looks_like_a_splice_is_told_where_it_fails() {
    for (line, at, found) in [
        (r#"{"a":"x{"b" 1}"#, 9, Found::Letter),
        (r#"{"a":#,"payload":{"x":{"y":1}}}"#, 5, Found::Symbol),
        (r#"{"a":1}}"#, 7, Found::Structural('}')),
        (r#"{"a":1},{"b":2},"#, 7, Found::Structural(',')),
        (r#"x {"b":2}"#, 0, Found::Letter),
        (r#"{"a":"b"#, 7, Found::Control(b'\n')),
    ] {
        let inspection = rollout(format!("{HEAD}{line}\n{RECORD}\n"));
        let expected = [(not_an_object(found), HEAD.len() as u64 + at, 2)];
        assert_eq!(damages(&inspection), expected, "{line}");
    }
}

#[test]
fn records_on_one_line_are_concatenated() {
    let text = format!("{HEAD}{{}}{{}} \t{{\"a\":1}}\n{RECORD}\n");
    let start = HEAD.len() as u64;
    let expected = [
        (DamageKind::Concatenated, start + 2, 2),
        (DamageKind::Concatenated, start + 6, 2),
    ];
    let inspection = rollout(text);
    assert_eq!(damages(&inspection), expected);
    assert_eq!(inspection.report.records, 3);
    let expected = [
        (DamageKind::Concatenated, start + 2, 2),
        (DamageKind::TornTail, start + 2, 2),
    ];
    assert_eq!(damages(&rollout(format!("{HEAD}{{}}{{\"a"))), expected);
}

#[test]
fn nul_bytes_are_told_with_their_number() {
    let start = HEAD.len() as u64;
    for (line, at, length) in [
        ("\0\0\0", 0, 3),
        (" \0\n", 1, 1),
        ("{\"a\":\"x\0\0\",\"b\":\0}\n", 7, 2),
        ("{\"a\0\n", 3, 1),
        ("{\"a\\\0\n", 4, 1),
        ("{\"a\":1}\0\0\0\0", 7, 4),
        ("{\"a\":\0", 5, 1),
    ] {
        let inspection = rollout(format!("{HEAD}{line}"));
        let expected = [(DamageKind::NulRun { length }, start + at, 2)];
        assert_eq!(damages(&inspection), expected, "{line:?}");
    }
}

#[test]
fn lines_that_are_no_objects_are_told_with_what_they_are() {
    for (line, found) in [
        ("[1]", Found::Structural('[')),
        ("\"a\"", Found::Structural('"')),
        ("1", Found::Digit),
        ("null", Found::Letter),
        ("-1", Found::Symbol),
        ("\u{feff}{}", Found::ByteOrderMark),
        ("\u{feef}{}", Found::NonAscii),
        ("\u{fe}", Found::NonAscii),
        ("}", Found::Structural('}')),
        ("\u{b}{}", Found::Control(11)),
    ] {
        let inspection = rollout(format!("{HEAD}{line}\n{RECORD}\n"));
        let expected = [(not_an_object(found), HEAD.len() as u64, 2)];
        assert_eq!(damages(&inspection), expected, "{line:?}");
        assert_eq!(inspection.report.records, 3);
    }
}

#[test]
fn control_bytes_in_texts_are_damage() {
    for byte in 1..0x20 {
        let inspection = rollout([b"{\"a\":\"x".as_slice(), &[byte], b"\"}\n"].concat());
        let expected = [(not_an_object(Found::Control(byte)), 7, 1)];
        assert_eq!(damages(&inspection)[..1], expected, "{byte:#x}");
    }
    assert_eq!(damages(&rollout("{\"a\":\"\u{7f}\"}\n")), []);
}

#[test]
fn levels_beyond_the_limit_are_damage() {
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        format!("{{\"a\":{open}{close}}}\n{{}}\n")
    };
    assert_eq!(damages(&rollout(nested(MAX_DEPTH))), []);
    let expected = [(DamageKind::TooDeep, MAX_DEPTH as u64 + 4, 1)];
    let inspection = rollout(nested(MAX_DEPTH + 1));
    assert_eq!(damages(&inspection), expected);
    assert_eq!(inspection.report.records, 2);
}

#[test]
fn a_transcript_without_a_record_is_empty() {
    assert_eq!(damages(&rollout("")), [(DamageKind::Empty, 0, 0)]);
    let blank = rollout("\n \t");
    assert_eq!(damages(&blank), [(DamageKind::Empty, 0, 0)]);
    let expected = [(NoteKind::BlankLine, 0, 0), (NoteKind::BlankLine, 1, 0)];
    assert_eq!(notes(&blank), expected);
}

#[test]
fn every_damage_is_told_up_to_a_hundred() {
    let inspection = rollout(format!("{HEAD}{}{RECORD}\n", "x\n\n".repeat(130)));
    let report = &inspection.report;
    assert_eq!((report.damages.len(), report.more_damages), (100, 30));
    assert_eq!((report.notes.len(), report.more_notes), (100, 30));
    assert_eq!(report.damages[99].record, 101);
    assert_eq!(report.damages[99].offset, HEAD.len() as u64 + 99 * 3);
    assert_eq!(report.records, 132);
}

#[test]
fn ordinals_are_noted_by_line() {
    let text = format!(
        "{HEAD}{{\"ordinal\":1}}\n{{\"ordinal\":1,\"x\":0}}\n{{\"ordinal\":0}}\n\
         {{\"ordinal\":2}}\n\n{{\"ordinal\":\"3\"}}\n{{\"x\":{{\"ordinal\":0}}}}\n"
    );
    let start = HEAD.len() as u64;
    let expected = [
        (NoteKind::OrdinalDuplicate, start + 14, 3),
        (NoteKind::OrdinalBackward, start + 34, 4),
        (NoteKind::SecondWriter, start + 48, 5),
        (NoteKind::BlankLine, start + 62, 5),
    ];
    let inspection = rollout(text);
    assert_eq!(notes(&inspection), expected);
    assert!(inspection.report.is_sound());
}

#[test]
fn damages_and_notes_are_shown_as_sentences() {
    let shown = |text: &str| rollout(text).report.damages[0].to_string();
    assert_eq!(
        shown("{\"a"),
        "record 1, byte 0: the file ends inside its last record"
    );
    assert_eq!(shown("{}\n[]\n"), "record 2, byte 3: no json object: `[`");
    assert_eq!(
        shown("{\"a\n"),
        "record 1, byte 3: the line ends inside an object"
    );
    assert_eq!(shown("\0\0"), "record 1, byte 0: 2 NUL bytes");
    let note = rollout("{}\n\n").report.notes[0].to_string();
    assert_eq!(note, "record 1, byte 3: a blank line");
}
