//! What is taken for a record is what other readers of JSON take for an object.

use cassette_format::json::Scanner;
use serde::de::IgnoredAny;

use super::*;

const SEEDS: [&[u8]; 7] = [
    br#"{"timestamp":"2026-11-30T07:18:15.000Z","ordinal":12,"type":"a","payload":{"id":"t"}}"#,
    br#"{"a":[1,-2.5e+10,0,1E5,0.1,-0],"b":{"c":{"d":[[],{},[{}]]}},"e":true,"f":false,"g":null}"#,
    br#"{"text":"an \"escaped\" text \\ \/ \b\f\n\r\t \u00e9\ud83d\ude00 \ud800 and so on and so on"}"#,
    b" { \"white\" : [ 1 , 2 ] , \"space\"\t: { } }\r",
    br#"{"":"","":{"":""}}"#,
    br#"{"no":"escapes in this text, which is longer than a block of sixty-four bytes is, by far"}"#,
    "{\"é\":\"日本語\u{2028}\u{7f}\"}".as_bytes(),
];

/// Bytes that matter to the grammar.
const ALPHABET: &[u8] = b"{}[]:,\"\\/ \t\r0123456789-+.eEtrufalsn\0\x1f\x7f\x80\xc3\xff\xef";

/// How many to try: `CASSETTE_MUTATIONS`, or few.
fn rounds() -> usize {
    let asked = std::env::var("CASSETTE_MUTATIONS").ok();
    asked.map_or(20_000, |rounds| rounds.parse().unwrap())
}

fn mutate(record: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(record.len() + 1);
        let byte = ALPHABET[dice.roll(ALPHABET.len())];
        match dice.roll(5) {
            0 => record.insert(at, byte),
            1 if at < record.len() => record[at] = byte,
            2 if at < record.len() => {
                record.remove(at);
            }
            3 => record.truncate(at),
            _ => {
                let part = record[at..]
                    .iter()
                    .take(dice.roll(12))
                    .copied()
                    .collect::<Vec<u8>>();
                let to = dice.roll(record.len() + 1);
                record.splice(to..to, part);
            }
        }
    }
}

#[test]
fn records_are_what_other_readers_take_for_objects() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut sound = 0;
    for round in 0..rounds() {
        let mut record = SEEDS[round % SEEDS.len()].to_vec();
        mutate(&mut record, &mut dice);
        let parts = record.chunks(dice.roll(9) * 8 + 1);
        let inspection = in_parts(RecordLayout::Rollout, None, parts);
        let is_object = record.trim_ascii_start().first() == Some(&b'{');
        let expected = is_object && serde_json::from_slice::<IgnoredAny>(&record).is_ok();
        let shown = String::from_utf8_lossy(&record);
        assert_eq!(inspection.report.is_sound(), expected, "{shown}");
        if is_object && !expected && std::str::from_utf8(&record).is_ok() {
            assert_place(&inspection, &record);
        }
        sound += usize::from(expected);
    }
    let shares = sound * 100 / rounds();
    assert!(
        (10..90).contains(&shares),
        "{shares} % of the records are sound"
    );
}

/// Damage is told where another scanner meets it.
fn assert_place(inspection: &Inspection, record: &[u8]) {
    let shown = String::from_utf8_lossy(record);
    let (kind, offset, _) = damages(inspection)[0];
    let mut scanner = Scanner::new(record);
    let end = scanner.skip_value().map(|_| scanner.offset());
    match (kind, end) {
        (DamageKind::TornTail, Err(error)) => {
            assert!(error.is_unexpected_end(), "{shown}");
        }
        (DamageKind::NotAnObject { .. } | DamageKind::NulRun { .. }, Err(error)) => {
            assert_eq!(offset, error.offset as u64, "{shown}");
        }
        (_, Ok(end)) => {
            let white = record[end..]
                .iter()
                .take_while(|byte| b" \t\r".contains(byte));
            let behind = (end + white.count()) as u64;
            assert!(
                offset == behind || kind == DamageKind::Splice && offset > behind,
                "{shown}"
            );
        }
        (DamageKind::Splice, Err(error)) => assert!(offset + 2 >= error.offset as u64, "{shown}"),
        (kind, Err(error)) => panic!("{kind:?} but {error}: {shown}"),
    }
}
