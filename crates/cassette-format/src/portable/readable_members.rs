//! The members of an object as far as it can be read: also of one that breaks
//! off or breaks.

use crate::json::{Member, Scanner, Span, Token, TokenKind, Value, ValueKind};

/// Iterates over the members of the object at `span`; over none where another
/// kind of value stands there. An object or list that cannot be read to its end
/// is the last one, and reaches to the end of `span`.
pub(super) fn readable_members(bytes: &[u8], span: Span) -> ReadableMembers<'_> {
    let mut scanner = Scanner::within(bytes, span);
    let opens = matches!(
        scanner.next_token(),
        Ok(Some(Token {
            kind: TokenKind::BeginObject,
            ..
        }))
    );
    ReadableMembers {
        bytes: &bytes[..span.end.min(bytes.len())],
        scanner: opens.then_some(scanner),
    }
}

/// The iterator of [`readable_members`].
#[derive(Debug, Clone)]
pub(super) struct ReadableMembers<'b> {
    bytes: &'b [u8],
    /// None after the last one.
    scanner: Option<Scanner<'b>>,
}

impl Iterator for ReadableMembers<'_> {
    type Item = Member;

    fn next(&mut self) -> Option<Member> {
        let scanner = self.scanner.as_mut()?;
        let Ok(Some(Token {
            kind: TokenKind::Key,
            span: key,
        })) = scanner.next_token()
        else {
            self.scanner = None;
            return None;
        };
        let start = scanner.offset();
        if let Ok(Some(value)) = scanner.skip_value() {
            return Some(Member { key, value });
        }
        self.scanner = None;
        let kind = match self.bytes.get(start) {
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            _ => return None,
        };
        let span = Span::new(start, self.bytes.len());
        let value = Value { kind, span };
        Some(Member { key, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, &str)> {
        readable_members(text.as_bytes(), Span::whole(text.as_bytes()))
            .map(|Member { key, value }| {
                (
                    &text[key.start..key.end],
                    &text[value.span.start..value.span.end],
                )
            })
            .collect()
    }

    #[test]
    fn members_of_a_whole_object_are_all_read() {
        assert_eq!(
            read(r#" {"a":1, "a" : {"b":2}} x"#),
            [("\"a\"", "1"), ("\"a\"", "{\"b\":2}")]
        );
        assert_eq!(read("[1]"), []);
        assert_eq!(read("{}"), []);
    }

    #[test]
    fn an_object_that_breaks_is_read_up_to_there() {
        assert_eq!(
            read(r#"{"a":1,"b":{"c":[2"#),
            [("\"a\"", "1"), ("\"b\"", "{\"c\":[2")]
        );
        assert_eq!(
            read(r#"{"a":{"b":x},"c":3}"#),
            [("\"a\"", "{\"b\":x},\"c\":3}")]
        );
        assert_eq!(read(r#"{"a":"unfinished"#), []);
        assert_eq!(read(r#"{"a":1,"b"}"#), [("\"a\"", "1")]);
    }
}
