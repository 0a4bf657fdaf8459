//! What taking secrets out must not do to a message: it stays JSON if it was.

use cassette_format::json::Scanner;

/// Whether `before` is a JSON message and `after`, made of it, is none: a secret was a
/// number there, or reached over quotes and brackets.
///
/// A message is an object or a list. A bare number or string on a line is as likely to
/// be text.
pub(crate) fn is_broken(before: &[u8], after: &[u8]) -> bool {
    is_message(before) && !is_message(after)
}

/// Whether bytes are an object or a list, or several values that begin with one.
pub(crate) fn is_message(bytes: &[u8]) -> bool {
    let begins = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
    begins && is_json(bytes)
}

fn is_json(bytes: &[u8]) -> bool {
    let mut scanner = Scanner::new(bytes);
    loop {
        match scanner.skip_value() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_and_lists_can_break() {
        assert!(is_broken(br#" {"pin":1}"#, br#" {"pin":${A}}"#));
        assert!(is_broken(br#"[1]"#, br#"${A}"#));
        assert!(is_broken(br#"{"a":1}{"b":2}"#, br#"{"a":1}${A}"#));
        assert!(!is_broken(br#"{"a":"1"}"#, br#"{"a":"${A}"}"#));
        assert!(!is_broken(b"1234", b"${A}"));
        assert!(!is_broken(b"", b""));
        assert!(!is_broken(br#"{"a":1"#, b"${A}"));
        assert!(!is_broken(br#"{"a":1} tail"#, b"${A} tail"));
    }
}
