//! Going over the values of a message, each with the class of the field that it
//! belongs to. What can be recognised is gone over, also before and after text
//! that is not JSON.

use super::field_class::{FieldClass, FieldClasses};
use crate::descriptor::Dialect;
use crate::json::{Reader, Span, Standing, Token, TokenKind, string_eq};

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
    reader: Reader<'b>,
    /// The open containers.
    open: Vec<Level>,
    /// In a signature: how many containers are open around it.
    around_signature: Option<usize>,
    /// The class of the field whose value comes next.
    field: Option<(FieldClass, Span)>,
    broken: bool,
}

/// What an open container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// A message: an object at the top, or where JSON has no place for one.
    Message,
    /// A message in a batch.
    Batched,
    /// The object that holds a request's parameters, where the dialect has the
    /// method in them.
    Parameters,
    /// A list of messages: at the top, or where JSON has no place for one.
    Batch,
    /// A list, at any depth, in a path field.
    Paths,
    /// A list, at any depth, in an e-mail field.
    Emails,
    /// Any other.
    Plain,
}

impl<'b> Walk<'b> {
    pub(super) fn new(bytes: &'b [u8], classes: &'b FieldClasses) -> Self {
        Self {
            bytes,
            classes,
            reader: Reader::within(bytes, Span::whole(bytes)),
            open: Vec::new(),
            around_signature: None,
            field: None,
            broken: false,
        }
    }

    /// The innermost open container; one that was met last counts.
    pub(super) fn innermost(&self) -> Option<Level> {
        self.open.last().copied()
    }

    /// Whether something that was gone over is not JSON.
    pub(super) const fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether what was met last stands in a signature that is an object or list,
    /// or begins one.
    pub(super) fn is_signed(&self) -> bool {
        self.around_signature.is_some()
    }

    /// Whether the bytes end in the string that was met last.
    pub(super) fn is_cut_off(&self) -> bool {
        self.reader.standing() == Standing::CutOff
    }

    /// Whether the string that was met last, of the field `key`, tells requests
    /// apart.
    pub(super) fn is_method(&self, key: Span) -> bool {
        let is_in_parameters = self.innermost() == Some(Level::Parameters);
        let name = match self.classes.dialect() {
            Dialect::JsonRpc if self.is_in_message() => "method",
            Dialect::TypedEnvelope | Dialect::StreamJson if self.is_in_message() => "type",
            Dialect::StreamJson if is_in_parameters => "subtype",
            _ => return false,
        };
        string_eq(self.bytes, key, name)
    }

    /// The next thing; `None` at the end.
    pub(super) fn next(&mut self) -> Option<Met> {
        loop {
            let token = self.reader.next();
            self.broken |= self.reader.standing() != Standing::InPlace;
            let Token { kind, span } = token?;
            return Some(match kind {
                TokenKind::Key => {
                    self.field = Some((self.classes.of_key(self.bytes, span), span));
                    Met::Key(span)
                }
                TokenKind::EndObject | TokenKind::EndArray => {
                    self.leave();
                    continue;
                }
                TokenKind::BeginObject | TokenKind::BeginArray => {
                    let (class, key) = self.class_of_value();
                    self.enter((kind, class, key));
                    Met::Container(class, kind, span)
                }
                TokenKind::String => {
                    let (class, key) = self.class_of_value();
                    Met::String(class, span, key)
                }
                TokenKind::Number | TokenKind::True | TokenKind::False | TokenKind::Null => {
                    let (class, _) = self.class_of_value();
                    Met::Scalar(class, kind, span)
                }
            });
        }
    }

    /// Whether a member that comes next is one of a message; outside of all
    /// objects, of one whose first bracket is missing.
    fn is_in_message(&self) -> bool {
        matches!(
            self.innermost(),
            None | Some(Level::Message | Level::Batched)
        )
    }

    fn enter(&mut self, (kind, class, key): (TokenKind, FieldClass, Option<Span>)) {
        if class == FieldClass::Signature && !self.is_signed() {
            self.around_signature = Some(self.open.len());
        }
        // Behind text that is no JSON a message may begin.
        let anew = self.open.is_empty() || self.reader.standing() == Standing::OutOfPlace;
        let parameters = self.classes.dialect() == Dialect::StreamJson
            && self.is_in_message()
            && key.is_some_and(|key| string_eq(self.bytes, key, "request"));
        let level = match (kind, class) {
            (TokenKind::BeginArray, FieldClass::Path) => Level::Paths,
            (TokenKind::BeginArray, FieldClass::Email) => Level::Emails,
            _ if self.is_signed() => Level::Plain,
            (TokenKind::BeginArray, _) if anew => Level::Batch,
            (TokenKind::BeginArray, _) => Level::Plain,
            _ if parameters => Level::Parameters,
            _ if anew => Level::Message,
            _ if self.innermost() == Some(Level::Batch) => Level::Batched,
            _ => Level::Plain,
        };
        self.open.push(level);
    }

    fn leave(&mut self) {
        self.open.pop();
        self.field = None;
        if self.around_signature == Some(self.open.len()) {
            self.around_signature = None;
        }
    }

    /// Lists of paths hold paths, of e-mails e-mails; the rest of the classes say
    /// something of the value itself.
    fn class_of_value(&mut self) -> (FieldClass, Option<Span>) {
        if let Some((class, key)) = self.field.take() {
            return (class, Some(key));
        }
        let class = match self.innermost() {
            Some(Level::Paths) => FieldClass::Path,
            Some(Level::Emails) => FieldClass::Email,
            _ => FieldClass::Plain,
        };
        (class, None)
    }
}
