//! Every form of every value, cut at every offset: in streams, in messages, in
//! lines.

use cassette_format::json::write_string;
use cassette_format::portable::Direction;
use cassette_format::schema::ConnectionId;

use super::super::forms::needle_forms;
use super::super::{Reach, StreamedTexts};
use super::streams::{hits_of, replaced};
use super::{VALUES, contains, filter, found};

#[test]
fn every_form_is_found_in_a_stream_wherever_it_is_cut() {
    for value in VALUES {
        let filter = filter(&[value]);
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
            }
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(hits_of(&filter, &bytes).len(), 1);
        }
    }
}

#[test]
fn every_form_is_found_in_messages_wherever_it_is_cut() {
    let connection = ConnectionId::numbered(1);
    for value in VALUES {
        let filter = filter(&[value]);
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
            }
        }
    }
}

#[test]
fn every_form_without_line_ends_is_found_in_lines_wherever_it_is_cut() {
    let connection = ConnectionId::numbered(1);
    for value in VALUES {
        let filter = filter(&[value]);
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
            }
        }
    }
}
