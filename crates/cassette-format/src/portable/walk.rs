//! Going over the values of a message, each with the class of the field that it
//! belongs to. What can be read is gone over, also before and after text that
//! is not JSON.

use super::field_class::{FieldClass, FieldClasses};
use crate::json::{Scanner, Span, Token, TokenKind};
use memchr::memchr2;

/// What is met on the way, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    /// The name of a field.
    Key(Span),
    /// A string value of a field of this class, and the name of that field.
    String(FieldClass, Span, Option<Span>),
    /// Another scalar of a field of this class.
    Scalar(FieldClass, TokenKind, Span),
    /// The start of an object or list that is the value of a field of this class.
    Container(FieldClass, TokenKind, Span),
}

/// Walks the values of a message. At most one byte a level of depth is kept.
pub(super) struct Walk<'b> {
    bytes: &'b [u8],
    classes: &'b FieldClasses,
    scanner: Scanner<'b>,
    /// Where the stretch of JSON that is gone over starts.
    start: usize,
    /// Of each open container, the class that its elements inherit.
    open: Vec<FieldClass>,
    /// The class of the field whose value comes next.
    field: Option<(FieldClass, Span)>,
}

impl<'b> Walk<'b> {
    pub(super) fn new(bytes: &'b [u8], classes: &'b FieldClasses) -> Self {
        Self {
            bytes,
            classes,
            scanner: Scanner::new(bytes),
            start: 0,
            open: Vec::new(),
            field: None,
        }
    }

    /// Where the stretch of JSON starts in which the last thing was met. Text that
    /// is no JSON ends a stretch; the next one begins with a bracket.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// How many containers are open; one that was met last counts.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The next thing; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Met> {
        loop {
            let Token { kind, span } = match self.scanner.next_token() {
                Ok(token) => token?,
                Err(error) => {
                    self.resume(error.offset)?;
                    continue;
                }
            };
            match kind {
                TokenKind::Key => {
                    self.field = Some((self.classes.of_key(self.bytes, span), span));
                    return Some(Met::Key(span));
                }
                TokenKind::EndObject | TokenKind::EndArray => {
                    self.open.pop();
                }
                TokenKind::BeginObject => {
                    let (class, _) = self.class_of_value();
                    self.open.push(FieldClass::Plain);
                    return Some(Met::Container(class, kind, span));
                }
                TokenKind::BeginArray => {
                    let (class, _) = self.class_of_value();
                    // Lists of paths hold paths, of e-mails e-mails; the rest of
                    // the classes says something of the list itself.
                    let inherited = match class {
                        FieldClass::Path | FieldClass::Email | FieldClass::Signature => class,
                        _ => FieldClass::Plain,
                    };
                    self.open.push(inherited);
                    return Some(Met::Container(class, kind, span));
                }
                TokenKind::String => {
                    let (class, key) = self.class_of_value();
                    return Some(Met::String(class, span, key));
                }
                TokenKind::Number | TokenKind::True | TokenKind::False | TokenKind::Null => {
                    let (class, _) = self.class_of_value();
                    return Some(Met::Scalar(class, kind, span));
                }
            }
        }
    }

    /// Goes on at the first bracket from `offset` on, where the bytes were no
    /// JSON. `None` where there is none. A bracket is always read, so this ends.
    fn resume(&mut self, offset: usize) -> Option<()> {
        let rest = self.bytes.get(offset..)?;
        self.start = offset + memchr2(b'{', b'[', rest)?;
        self.scanner = Scanner::within(self.bytes, Span::new(self.start, self.bytes.len()));
        self.open.clear();
        self.field = None;
        Some(())
    }

    fn class_of_value(&mut self) -> (FieldClass, Option<Span>) {
        match self.field.take() {
            Some((class, key)) => (class, Some(key)),
            None => (self.open.last().copied().unwrap_or(FieldClass::Plain), None),
        }
    }
}
