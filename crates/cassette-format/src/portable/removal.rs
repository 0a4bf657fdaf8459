//! Taking members out of an object without touching the rest.

use std::iter::Peekable;

use super::readable_members::{ReadableMembers, readable_members};
use crate::json::{Span, string_eq};

/// The spans to cut so that the members `name` of the object at `span` are gone
/// and what is left is JSON, in document order, never overlapping. Of a member
/// that cannot be read to its end all that follows is cut.
pub(super) fn cuts<'b>(bytes: &'b [u8], span: Span, name: &'static str) -> Cuts<'b> {
    Cuts {
        bytes,
        name,
        members: readable_members(bytes, span).peekable(),
        behind: None,
    }
}

/// The iterator of [`cuts`].
#[derive(Debug)]
pub(super) struct Cuts<'b> {
    bytes: &'b [u8],
    name: &'static str,
    members: Peekable<ReadableMembers<'b>>,
    /// Once a member stays: the end of the member before.
    behind: Option<usize>,
}

impl Iterator for Cuts<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            let member = self.members.next()?;
            let end = member.value.span.end;
            if !string_eq(self.bytes, member.key, self.name) {
                self.behind = Some(end);
                continue;
            }
            // With the comma before it, if something before it stays; else with
            // the comma behind it.
            return Some(match (self.behind, self.members.peek()) {
                (Some(before), _) => {
                    self.behind = Some(end);
                    Span::new(before, end)
                }
                (None, Some(after)) => Span::new(member.key.start, after.key.start),
                (None, None) => Span::new(member.key.start, end),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Edits;

    fn without(text: &str) -> String {
        let bytes = text.as_bytes();
        let mut edits = Edits::new();
        for cut in cuts(bytes, Span::whole(bytes), "env") {
            edits.replace(cut, b"");
        }
        String::from_utf8(edits.apply(bytes).unwrap().bytes.into_owned()).unwrap()
    }

    #[test]
    fn what_is_left_is_json() {
        assert_eq!(without(r#"{"env":{}}"#), "{}");
        assert_eq!(without(r#"{ "env" : {} , "a":1 }"#), r#"{ "a":1 }"#);
        assert_eq!(without(r#"{"a":1, "env":{"b":2}}"#), r#"{"a":1}"#);
        assert_eq!(
            without(r#"{"env":1,"env":2,"a":3,"env":4,"env":5,"b":6}"#),
            r#"{"a":3,"b":6}"#
        );
        assert_eq!(without(r#"{"env":1,"env":2}"#), "{}");
    }

    #[test]
    fn of_what_breaks_off_nothing_is_left() {
        assert_eq!(without(r#"{"a":1,"env":{"KEY":"secr"#), r#"{"a":1"#);
        assert_eq!(without(r#"{"env":{"KEY":"s" "t"}},"a":1}"#), "{");
    }
}
