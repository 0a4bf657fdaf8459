//! Every form of every value, cut at every offset: in streams, in messages, in
//! lines. `FAULT_ROUNDS` says of how many such cases there are at least, with values made
//! for it.

use cassette_format::json::write_string;
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::super::forms::needle_forms;
use super::super::{Reach, StreamedTexts};
use super::streams::{hits_of, replaced};
use super::{VALUES, contains, filter, found};

/// Calls `cases` with every value, then with made ones until it has told of as many cases
/// as are asked for.
fn of_every_value(mut cases: impl FnMut(&str) -> u64) {
    let wanted = std::env::var("FAULT_ROUNDS").ok();
    let wanted: u64 = wanted.map_or(0, |wanted| wanted.parse().unwrap());
    let (mut told, mut values) = (0, 0);
    let made = (0..).map(made);
    for value in VALUES.map(str::to_owned).into_iter().chain(made) {
        if values >= VALUES.len() && told >= wanted {
            break;
        }
        told += cases(&value);
        values += 1;
    }
    println!("faults: {told} cuts of all forms of {values} values, 0 not found");
}

/// Printable characters, as many as a key has and no two values alike.
fn made(number: u64) -> String {
    let mut state = number;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) >> 32
    };
    let length = 8 + next() % 33;
    let printable = (0..length).map(|_| char::from(b'!' + (next() % 94) as u8));
    printable.collect()
}

#[test]
fn every_form_is_found_in_a_stream_wherever_it_is_cut() {
    of_every_value(|value| {
        let (filter, mut cases) = (filter(&[value]), 0);
        for form in needle_forms(value.as_bytes()) {
            let text = [b"\x01\x01", &form[..], b"\x01\x01"].concat();
            let whole = found(&filter, &text);
            assert_eq!(whole, [("A".to_owned(), 2, 2 + form.len())]);
            for cut in 0..=text.len() {
                let (first, second) = text.split_at(cut);
                let hits = hits_of(&filter, &[first, second]);
                assert_eq!(hits.len(), 1);
                assert_eq!((hits[0].start, hits[0].end), (2, 2 + form.len() as u64));
                let output = replaced(&filter, &[first, second]);
                assert!(!contains(&output.concat(), &form), "{cut}");
                assert!(output[0].starts_with(&text[..cut.min(2)]));
                cases += 1;
            }
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(hits_of(&filter, &bytes).len(), 1);
        }
        cases
    });
}

#[test]
fn every_form_is_found_in_messages_wherever_it_is_cut() {
    let connection = ConnectionId::numbered(1);
    of_every_value(|value| {
        let (filter, mut cases) = (filter(&[value]), 0);
        for form in needle_forms(value.as_bytes()) {
            let form = String::from_utf8(form).unwrap();
            for cut in (1..form.len()).filter(|cut| form.is_char_boundary(*cut)) {
                let (first, second) = form.split_at(cut);
                let mut texts = StreamedTexts::new(&filter);
                for piece in [&format!("\u{1}{first}"), &format!("{second}\u{1}")] {
                    let mut message = br#"{"method":"delta","params":{"text":"#.to_vec();
                    write_string(&mut message, piece);
                    message.extend(b"}}");
                    texts.message(&connection, Direction::Inbound, &message);
                }
                // A half of a value of several lines may be a secret itself.
                let split = texts
                    .hits()
                    .iter()
                    .find(|hit| hit.reach == Reach::SeveralTexts);
                assert_eq!(split.unwrap().path, "$.params.text");
                cases += 1;
            }
        }
        cases
    });
}

#[test]
fn every_form_without_line_ends_is_found_in_lines_wherever_it_is_cut() {
    let connection = ConnectionId::numbered(1);
    of_every_value(|value| {
        let (filter, mut cases) = (filter(&[value]), 0);
        for form in needle_forms(value.as_bytes()) {
            for cut in (1..form.len()).filter(|_| !form.contains(&b'\n')) {
                let mut texts = StreamedTexts::new(&filter);
                texts.line(&connection, &[b"\x01", &form[..cut], b"\r\n"].concat());
                texts.line(&connection, &[&form[cut..], b"\n"].concat());
                let split = texts
                    .hits()
                    .iter()
                    .find(|hit| hit.reach == Reach::SeveralTexts);
                assert_eq!(split.unwrap().path, "line");
                cases += 1;
            }
        }
        cases
    });
}
