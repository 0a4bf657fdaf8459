//! Random values, forms and cuts. `PROPTEST_CASES=100000` for the long run.

use cassette_format::json::write_string;
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;
use proptest::prelude::*;
use proptest::sample::Index;

use super::super::forms::needle_forms;
use super::super::{Reach, SecretFilter, StreamedTexts};
use super::streams::{hits_of, replaced};
use super::{at_least, contains, filter, found};

/// Values of letters that repeat, of keys, of anything printable, of text.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{8,12}",
        "[A-Za-z0-9_-]{8,48}",
        "[!-~]{8,40}",
        "[!-~é€😀]{8,24}"
    ]
}

/// `text` cut at these offsets.
fn cut<'a>(text: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    ends.push(text.len());
    ends.sort_unstable();
    let mut start = 0;
    ends.into_iter()
        .map(|end| {
            let chunk = &text[start..end];
            start = end;
            chunk
        })
        .collect()
}

/// One of the forms of one of the values.
fn form(values: &[String], pick: Index) -> Vec<u8> {
    let forms: Vec<_> = values
        .iter()
        .flat_map(|value| needle_forms(value.as_bytes()))
        .collect();
    forms[pick.index(forms.len())].clone()
}

fn joined(filter: &SecretFilter, chunks: &[&[u8]]) -> Vec<(String, usize, usize)> {
    hits_of(filter, chunks)
        .into_iter()
        .map(|hit| (hit.name.to_string(), hit.start as usize, hit.end as usize))
        .collect()
}

proptest! {
    #![proptest_config(at_least(256))]

    #[test]
    fn no_cut_of_a_stream_hides_a_secret(
        values in prop::collection::vec(value(), 1..4),
        picks in [any::<Index>(), any::<Index>()],
        noise in ["[ab!-~]{0,12}", "[ab!-~]{0,12}", "[ab!-~]{0,12}"],
        cuts in prop::collection::vec(any::<Index>(), 0..5),
    ) {
        let filter = filter(&values);
        let forms = picks.map(|pick| form(&values, pick));
        let text = [noise[0].as_bytes(), &forms[0], noise[1].as_bytes(), &forms[1], noise[2].as_bytes()].concat();
        let whole = found(&filter, &text);
        let oracle = covered(&values, &text);
        let spans: Vec<_> = whole.iter().map(|(_, start, end)| (*start, *end)).collect();
        prop_assert_eq!(&spans, &oracle);
        prop_assert_eq!(joined(&filter, &cut(&text, &cuts)), whole.clone());
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        prop_assert!(joined(&filter, &bytes).iter().all(|hit| whole.iter().any(|all| all.1 <= hit.1 && hit.2 <= all.2)));
        // What is outside of the hits stays, in its chunk; the rest goes.
        let kept = replaced(&filter, &cut(&text, &cuts)).concat();
        let mut expected: Vec<u8> = Vec::new();
        let mut written = 0;
        for (name, start, end) in &whole {
            expected.extend(&text[written..*start]);
            expected.extend(format!("${{REDACTED:{name}}}").as_bytes());
            written = *end;
        }
        expected.extend(&text[written..]);
        prop_assert_eq!(kept, expected);
        let output = filter.replace(&text).unwrap().bytes;
        prop_assert_eq!(found(&filter, &output), []);
        for value in &values {
            prop_assert!(!contains(&output, value.as_bytes()));
        }
    }

    #[test]
    fn no_cut_into_messages_hides_a_secret(
        values in prop::collection::vec(value(), 1..3),
        pick in any::<Index>(),
        noise in ["[ab!-~]{0,12}", "[ab!-~]{0,12}"],
        cuts in prop::collection::vec(any::<Index>(), 1..5),
        session in 0..3_u8,
    ) {
        let filter = filter(&values);
        let text = [noise[0].as_bytes(), &form(&values, pick), noise[1].as_bytes()].concat();
        let text = String::from_utf8(text).unwrap();
        let mut texts = StreamedTexts::new(&filter);
        let connection = ConnectionId::numbered(1);
        let mut send = |session: u8, piece: &str| {
            let mut message = br#"{"method":"delta","params":{"text":"#.to_vec();
            write_string(&mut message, piece);
            message.extend(format!(r#","sessionId":"{session}"}}}}"#).as_bytes());
            texts.message(&connection, Direction::Inbound, &message);
        };
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        ends.push(text.len());
        ends.sort_unstable();
        ends.retain(|end| text.is_char_boundary(*end));
        ends.dedup();
        let mut start = 0;
        for end in &ends {
            send(session, &text[start..*end]);
            send(session + 1, "#");
            start = *end;
        }
        let whole = found(&filter, &text);
        let hits = texts.hits();
        let one_piece = |reach: Reach| hits.iter().any(|hit| hit.reach == reach);
        prop_assert!(!hits.is_empty(), "{:?}", whole);
        // A form of a value lies over a cut, or it lies in a piece.
        let finds = occurrences(&values, text.as_bytes());
        let over = finds.iter().any(|(from, to)| ends.iter().any(|cut| from < cut && cut < to));
        prop_assert_eq!(one_piece(Reach::SeveralTexts), over);
        let inside = finds.iter().any(|(from, to)| !ends.iter().any(|cut| from < cut && cut < to));
        prop_assert_eq!(one_piece(Reach::OneText), inside);
    }
}

/// Where each form of each value stands, searched for one by one.
fn occurrences(values: &[String], text: &[u8]) -> Vec<(usize, usize)> {
    let forms = values
        .iter()
        .flat_map(|value| needle_forms(value.as_bytes()));
    forms
        .flat_map(|form| {
            let length = form.len();
            let starts = (0..text.len()).filter(|start| text[*start..].starts_with(&form));
            starts
                .map(|start| (start, start + length))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The union of these.
fn covered(values: &[String], text: &[u8]) -> Vec<(usize, usize)> {
    let mut finds = occurrences(values, text);
    finds.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (start, end) in finds {
        match joined.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}
