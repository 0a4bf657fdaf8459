//! Taking members out of an object without touching the rest.

use crate::json::{Member, Span, Value, members, string_eq};

/// The spans to cut so that the members `name` of the object `value` are gone
/// and what is left is JSON, in document order, never overlapping.
pub(super) fn cuts(bytes: &[u8], value: Value, name: &str) -> Vec<Span> {
    let all: Vec<Member> = members(bytes, value.span).flatten().collect();
    let mut cuts = Vec::new();
    let mut kept_before = false;
    for (at, member) in all.iter().enumerate() {
        if !string_eq(bytes, member.key, name) {
            kept_before = true;
            continue;
        }
        // With the comma before it, if something before it stays; else with the
        // comma behind it.
        let cut = match (
            kept_before,
            at.checked_sub(1).map(|at| all[at]),
            all.get(at + 1),
        ) {
            (true, Some(before), _) => Span::new(before.value.span.end, member.value.span.end),
            (_, _, Some(after)) => Span::new(member.key.start, after.key.start),
            _ => Span::new(member.key.start, member.value.span.end),
        };
        cuts.push(cut);
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Edits, ValueKind};

    fn without(text: &str) -> String {
        let bytes = text.as_bytes();
        let value = Value {
            kind: ValueKind::Object,
            span: Span::whole(bytes),
        };
        let mut edits = Edits::new();
        for cut in cuts(bytes, value, "env") {
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
}
