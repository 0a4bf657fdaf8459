//! Taking members out of an object without touching the rest.

use std::iter::Peekable;

use super::readable_members::{ReadableMembers, State, readable_members};
use crate::json::{Span, string_eq};

/// The spans to cut so that the members `name` of the object at `span` are gone
/// and what is left is JSON, in document order, never overlapping. Of a member
/// that is not JSON, or is followed by what is none, all that follows is cut, to
/// the end of `bytes`.
pub(super) fn cuts<'b>(bytes: &'b [u8], span: Span, name: &'static str) -> Cuts<'b> {
    Cuts {
        bytes,
        name,
        members: Some(readable_members(bytes, span).peekable()),
        behind: None,
    }
}

/// The iterator of [`cuts`].
#[derive(Debug)]
pub(super) struct Cuts<'b> {
    bytes: &'b [u8],
    name: &'static str,
    /// None behind a cut to the end.
    members: Option<Peekable<ReadableMembers<'b>>>,
    /// Once a member stays, and a comma follows it: its end.
    behind: Option<usize>,
}

impl Iterator for Cuts<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        loop {
            let members = self.members.as_mut()?;
            let member = members.next()?;
            let end = member.value.span.end;
            let whole = member.state == State::Whole;
            if !string_eq(self.bytes, member.key, self.name) {
                self.behind = whole.then_some(end);
                continue;
            }
            let start = self.behind.unwrap_or(member.key.start);
            if !whole {
                self.members = None;
                return Some(Span::new(start, self.bytes.len()));
            }
            // With the comma before it, if something before it stays; else with
            // the comma behind it.
            return Some(match (self.behind, members.peek()) {
                (Some(_), _) => {
                    self.behind = Some(end);
                    Span::new(start, end)
                }
                (None, Some(after)) => Span::new(start, after.key.start),
                (None, None) => Span::new(start, end),
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
    fn a_break_elsewhere_does_not_keep_a_member() {
        assert_eq!(without(r#"{"a":tru,"env":1,"b":2}"#), r#"{"a":tru,"b":2}"#);
        assert_eq!(without(r#"{"env":1,"a":tru"#), r#"{"a":tru"#);
        assert_eq!(
            without(r#"{"a":1,"b":[2 {"c":3}],"env":1}"#),
            r#"{"a":1,"b":[2 {"c":3}],}"#
        );
    }

    #[test]
    fn of_what_breaks_off_nothing_is_left() {
        assert_eq!(without(r#"{"a":1,"env":{"KEY":"secr"#), r#"{"a":1"#);
        assert_eq!(without(r#"{"env":{"KEY":"s" "t"}},"a":1}"#), "{");
        assert_eq!(without(r#"{"a":1,"env":"secr"#), r#"{"a":1"#);
        assert_eq!(without(r#"{"env":"K="secret":"x"},"a":1}"#), "{");
        assert_eq!(without(r#"{"a":1,"env":}"#), r#"{"a":1"#);
        assert_eq!(without(r#"{"a":1,"env":{} K=secret,"b":2}"#), r#"{"a":1"#);
    }
}
