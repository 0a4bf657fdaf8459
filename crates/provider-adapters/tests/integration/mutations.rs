//! Whatever a file holds, it is read or told of: no panic, every place in the
//! text, in order, once.

use std::collections::BTreeSet;

use cassette_format::descriptor::Descriptor;
use proptest::prelude::*;
use provider_adapters::{DescriptorMistakes, MAX_MISTAKES, parse_json, parse_toml};

const COMPLETE: &str = include_str!("files/complete.toml");
const MISTAKEN: &str = include_str!("files/six_mistakes.toml");

/// One change of a text, at a place between 0 and 1 of its length.
#[derive(Debug, Clone)]
enum Change {
    Cut(f64),
    Insert(f64, String),
    Remove(f64, usize),
    Double(f64, f64),
}

fn change() -> impl Strategy<Value = Change> {
    let place = || 0.0..1.0_f64;
    let pieces = prop_oneof![
        Just("\"".to_owned()),
        Just("'''".to_owned()),
        Just("[[optional-probes]]\n".to_owned()),
        Just("[transcripts]\n".to_owned()),
        Just("\nid = 1\n".to_owned()),
        Just("{".to_owned()),
        Just("]".to_owned()),
        Just(",".to_owned()),
        Just("null".to_owned()),
        Just(" = [{a.b = 1}]\n".to_owned()),
        Just("\\u0000".to_owned()),
        "\\PC{0,6}",
        any::<char>().prop_map(String::from),
    ];
    prop_oneof![
        place().prop_map(Change::Cut),
        (place(), pieces).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (place(), 1..40_usize).prop_map(|(at, len)| Change::Remove(at, len)),
        (place(), place()).prop_map(|(from, to)| Change::Double(from, to)),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for change in changes {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a place in a short text"
        )]
        let place = |at: f64| (at * characters.len() as f64) as usize;
        match change {
            Change::Cut(at) => characters.truncate(place(*at)),
            Change::Insert(at, piece) => {
                let at = place(*at);
                characters.splice(at..at, piece.chars());
            }
            Change::Remove(at, len) => {
                let at = place(*at);
                let end = (at + len).min(characters.len());
                characters.drain(at..end);
            }
            Change::Double(from, to) => {
                let (from, to) = (place(from.min(*to)), place(from.max(*to)));
                let piece = characters[from..to].to_vec();
                characters.splice(to..to, piece);
            }
        }
    }
    characters.into_iter().collect()
}

/// Places lie in the text and are in order, and nothing is told twice.
fn check(text: &str, outcome: Result<Descriptor, DescriptorMistakes>) {
    let Err(mistakes) = outcome else { return };
    let places: Vec<_> = mistakes.iter().map(|it| (it.line, it.column)).collect();
    assert!(places.is_sorted(), "{places:?}");
    let lines: Vec<&str> = text.split('\n').collect();
    for (line, column) in places {
        let length = lines[line - 1].chars().count();
        assert!((1..=length + 1).contains(&column), "{line}:{column}");
    }
    let told: BTreeSet<String> = mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), mistakes.len());
    assert_ne!(mistakes.len(), 0);
}

proptest! {
    #[test]
    fn changed_toml_is_read_or_told_of(
        complete in any::<bool>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let text = changed(if complete { COMPLETE } else { MISTAKEN }, &changes);
        check(&text, parse_toml(&text));
    }

    #[test]
    fn changed_json_is_read_or_told_of(
        pretty in any::<bool>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let whole = parse_toml(COMPLETE).unwrap();
        let json = if pretty {
            serde_json::to_string_pretty(&whole)
        } else {
            serde_json::to_string(&whole)
        };
        let text = changed(&json.unwrap(), &changes);
        check(&text, parse_json(&text));
    }

    #[test]
    fn any_text_is_read_or_told_of(text in "(\\PC|[\\n\"'={}\\[\\],.#]){0,80}") {
        check(&text, parse_toml(&text));
        check(&text, parse_json(&text));
    }
}

#[test]
fn deep_and_wide_files_are_told_of_in_time() {
    for deep in ["[", "{\"id\":", "{\"optional-probes\":["] {
        let text = deep.repeat(100_000);
        check(&text, parse_json(&text));
    }
    let nested = format!("{{\"id\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
    check(&nested, parse_json(&nested));
    let toml = format!("id = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    check(&toml, parse_toml(&toml));
    let wide: String = (0..5_000).map(|at| format!("key{at} = 1\n")).collect();
    let mistakes = parse_toml(&wide).unwrap_err();
    assert_eq!((mistakes.len(), mistakes.more()), (MAX_MISTAKES, 4_904));
}
