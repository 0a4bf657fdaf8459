//! Lines of `frames.jsonl`: what reads as a chunk is written so that it reads as the same one, in
//! one form; what does not is told with its place.

use cassette_format::store::{FieldError, read_line, write_line};

/// Any bytes without a line feed.
pub fn frame_line(data: &[u8]) {
    let text = data.split(|byte| *byte == b'\n').next().unwrap_or_default();
    match read_line(text) {
        Ok(chunk) => {
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
        Err(error) => check_place(text, &error),
    }
}

fn check_place(text: &[u8], error: &FieldError) {
    assert_eq!(error.line, None, "of one line only the column is known");
    let columns = 1..=text.len() as u64 + 1;
    assert!(columns.contains(&error.column), "{error}");
    assert!(!error.to_string().contains('\n'));
}
