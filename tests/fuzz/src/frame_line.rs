//! Lines of `frames.jsonl`: what reads as a chunk is written so that it reads as the same one, in
//! one form; what does not is told with its place.

use cassette_format::schema::Chunk;
use cassette_format::store::{FieldError, FieldProblem, read_line, write_line};

use crate::plain::{PlainLine, plain};

/// Any bytes without a line feed.
pub fn frame_line(data: &[u8]) {
    let text = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match read_line(text) {
        Ok(chunk) => {
            if let Some(plain) = plain::<PlainLine>(text) {
                check_meaning(&chunk, &plain.expect("reads otherwise too"));
            }
            let mut line = Vec::new();
            let length = write_line(&mut line, &chunk).expect("is not longer than the limit");
            assert_eq!(length, line.len() as u64);
            assert_eq!(line.pop(), Some(b'\n'));
            assert!(!line.contains(&b'\n'));
            assert_eq!(read_line(&line).as_ref(), Ok(&chunk));
            let mut again = Vec::new();
            write_line(&mut again, &read_line(&line).unwrap()).unwrap();
            again.pop();
            assert_eq!(again, line);
        }
        Err(error) => {
            check_place(text, &error);
            // It takes these for unknown members.
            let miscased = matches!(error.problem, FieldProblem::Miscased { .. });
            let is_base64 = error.pointer != "/data";
            if let Some(Ok(plain)) = plain::<PlainLine>(text) {
                assert!(miscased || !is_base64, "{error}: {plain:?}");
            }
        }
    }
}

fn check_meaning(chunk: &Chunk, plain: &PlainLine) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    assert_eq!(chunk.connection_id.as_str(), text(&plain.connection_id));
    assert_eq!(chunk.chunk_seq.get(), plain.chunk_seq.unwrap_or(0));
    assert_eq!(chunk.global_seq.get(), plain.global_seq.unwrap_or(0));
    assert_eq!(chunk.elapsed.get(), plain.elapsed_ms.unwrap_or(0));
    assert_eq!(chunk.kind.as_str(), text(&plain.kind));
    assert_eq!(chunk.exit_code, plain.exit_code);
    assert_eq!(chunk.message, text(&plain.message));
    let digits = text(&plain.data).replace(['\r', '\n'], "");
    assert_eq!(Some(&chunk.data), decoded(digits.as_bytes()).as_ref());
}

/// Base64, digit by digit; spare bits of the last one are not looked at.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|it| **it == b'=').count();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for digit in &text[..text.len() - padding] {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.extend(u8::try_from(bits >> held & 0xff));
        }
    }
    Some(bytes)
}

fn check_place(text: &[u8], error: &FieldError) {
    assert_eq!(error.line, None, "of one line only the column is known");
    let columns = 1..=text.len() as u64 + 1;
    assert!(columns.contains(&error.column), "{error}");
    assert!(!error.to_string().contains('\n'));
}
