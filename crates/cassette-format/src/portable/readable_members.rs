//! The members of an object as far as they can be recognised: also of one that
//! breaks off or breaks.

use crate::json::{Reader, Span, Standing, Token, TokenKind, Value, ValueKind};

/// Iterates over the members of the object at `span`; over none where another
/// kind of value stands there.
pub(super) fn readable_members(bytes: &[u8], span: Span) -> ReadableMembers<'_> {
    let mut reader = Reader::within(bytes, span);
    let opens = matches!(
        reader.next(),
        Some(Token {
            kind: TokenKind::BeginObject,
            ..
        })
    );
    ReadableMembers {
        end: span.end.min(bytes.len()),
        reader: opens.then_some(reader),
        ahead: None,
        state: State::Whole,
    }
}

/// A member of an object that need not be JSON.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadableMember {
    pub(super) key: Span,
    /// Reaches to the end of the bytes where the value does not end; empty, and
    /// `null`, where there is none.
    pub(super) value: Value,
    pub(super) state: State,
}

/// Whether all of something is JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It is, and so is what follows it.
    Whole,
    /// It is not, or goes on in what follows it.
    Broken,
}

/// The iterator of [`readable_members`].
#[derive(Debug, Clone)]
pub(super) struct ReadableMembers<'b> {
    /// None after the last one.
    reader: Option<Reader<'b>>,
    /// What was read behind the last value.
    ahead: Option<Token>,
    /// The end of the object, once it was read; of the bytes, before.
    end: usize,
    state: State,
}

impl ReadableMembers<'_> {
    /// Where the object ends, and whether it is JSON. For an iterator at its end.
    pub(super) const fn extent(&self) -> (usize, State) {
        (self.end, self.state)
    }

    /// The next key of the object itself.
    fn next_key(&mut self) -> Option<Span> {
        let reader = self.reader.as_mut()?;
        loop {
            let token = self.ahead.take().or_else(|| reader.next());
            if reader.standing() != Standing::InPlace {
                self.state = State::Broken;
            }
            match token.map(|token| (token.kind, token.span)) {
                Some((TokenKind::Key, span)) if reader.depth() == 1 => return Some(span),
                Some((_, span)) if reader.depth() == 0 => self.end = span.end,
                Some(_) => {
                    self.state = State::Broken;
                    continue;
                }
                None => self.state = State::Broken,
            }
            self.reader = None;
            return None;
        }
    }
}

impl Iterator for ReadableMembers<'_> {
    type Item = ReadableMember;

    fn next(&mut self) -> Option<ReadableMember> {
        let key = self.next_key()?;
        let reader = self.reader.as_mut()?;
        let (value, mut state) = if let Some(value) = reader.skip_sound() {
            (value, State::Whole)
        } else {
            let first = reader.next();
            read_value(reader, first).unwrap_or_else(|| {
                self.ahead = first;
                let (kind, span) = (ValueKind::Null, Span::new(key.end, key.end));
                (Value { kind, span }, State::Broken)
            })
        };
        if self.ahead.is_none() {
            self.ahead = reader.next();
            if self.ahead.is_none() || reader.standing() != Standing::InPlace {
                state = State::Broken;
            }
        }
        if state == State::Broken {
            self.state = state;
        }
        Some(ReadableMember { key, value, state })
    }
}

/// The value that begins with the token `first`, read token by token. `None`
/// where that begins none.
fn read_value(reader: &mut Reader<'_>, first: Option<Token>) -> Option<(Value, State)> {
    let Token { kind, mut span } = first?;
    let kind = kind.value_kind()?;
    let mut state = State::Whole;
    let depth = reader.depth();
    let holds = matches!(kind, ValueKind::Object | ValueKind::Array);
    loop {
        if reader.standing() != Standing::InPlace {
            state = State::Broken;
        }
        if !holds || reader.depth() < depth {
            break;
        }
        let Some(token) = reader.next() else {
            (span.end, state) = (reader.end(), State::Broken);
            break;
        };
        span.end = token.span.end;
    }
    Some((Value { kind, span }, state))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys and values, with `!` before what is broken.
    fn read(text: &str) -> Vec<(String, &str)> {
        readable_members(text.as_bytes(), Span::whole(text.as_bytes()))
            .map(|ReadableMember { key, value, state }| {
                let mark = ["", "!"][usize::from(state == State::Broken)];
                let key = &text[key.start..key.end];
                let value = &text[value.span.start..value.span.end];
                (format!("{mark}{}", key.trim_matches('"')), value)
            })
            .collect()
    }

    fn extent(text: &str) -> (usize, State) {
        let mut members = readable_members(text.as_bytes(), Span::whole(text.as_bytes()));
        members.by_ref().for_each(drop);
        members.extent()
    }

    fn member<'t>(key: &str, value: &'t str) -> (String, &'t str) {
        (key.to_owned(), value)
    }

    #[test]
    fn members_of_a_whole_object_are_all_read() {
        let text = r#" {"a":1, "a" : {"b":2},"c":"d"} x"#;
        assert_eq!(
            read(text),
            [
                member("a", "1"),
                member("a", "{\"b\":2}"),
                member("c", "\"d\"")
            ]
        );
        assert_eq!(extent(text), (text.len() - 2, State::Whole));
        assert_eq!(read("[1]"), []);
        assert_eq!(read("{}"), []);
        assert_eq!(extent("{}"), (2, State::Whole));
    }

    #[test]
    fn an_object_that_breaks_off_is_read_up_to_there() {
        for (text, members) in [
            (
                r#"{"a":1,"b":{"c":[2"#,
                vec![member("a", "1"), member("!b", "{\"c\":[2")],
            ),
            (r#"{"a":"unfinished"#, vec![member("!a", "\"unfinished")]),
            (r#"{"a":{}"#, vec![member("!a", "{}")]),
            (r#"{"a":1,"b"#, vec![member("!a", "1")]),
        ] {
            assert_eq!(read(text), members, "{text}");
            assert_eq!(extent(text), (text.len(), State::Broken));
        }
    }

    #[test]
    fn an_object_that_breaks_is_read_on_behind_the_break() {
        for (text, members) in [
            (
                r#"{"a":{"b":x},"c":3}"#,
                vec![member("!a", "{\"b\":x}"), member("c", "3")],
            ),
            (
                r#"{"a":x,"b" 1,"c":3}"#,
                vec![member("!a", "x"), member("c", "3")],
            ),
            (
                r#"{"a":1 "b":[2 {"d":3}],"c":}"#,
                vec![
                    member("!a", "1"),
                    member("!b", "[2 {\"d\":3}]"),
                    member("!c", ""),
                ],
            ),
            (
                r#"{"a":"b":"c","d":1}"#,
                vec![
                    member("!a", "\"b\""),
                    member("b", "\"c\""),
                    member("d", "1"),
                ],
            ),
            (
                r#"{"a":1,[{"b":2}],"c":3}"#,
                vec![member("!a", "1"), member("c", "3")],
            ),
        ] {
            assert_eq!(read(text), members, "{text}");
            assert_eq!(extent(text), (text.len(), State::Broken));
        }
    }

    #[test]
    fn odd_bytes_in_a_string_break_nothing() {
        let bytes = b"{\"\xff\":\"\xff\n\\x\",\"a\":[\"\xff\"]}";
        let mut members = readable_members(bytes, Span::whole(bytes));
        let states: Vec<State> = members.by_ref().map(|member| member.state).collect();
        assert_eq!(states, [State::Whole; 2]);
        assert_eq!(members.extent(), (bytes.len(), State::Whole));
    }
}
