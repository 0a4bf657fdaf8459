//! The pull reader: tokens, or whole values where only their span matters.

use std::fmt;

use super::byte_class::ByteClass;
use super::nesting::{Container, Nesting};
use super::number::number_end;
use super::place::{Place, State};
use super::scan_error::{Expected, ScanError};
use super::skip::{key_end, value_end, word_end};
use super::string::string_end;
use super::{Member, Span, Token, TokenKind, Value, ValueKind};

/// Reads a sequence of JSON values from bytes, token by token.
///
/// White space may surround the values but need not separate them:
/// `{"a":1}{"b":2}[3]` is three. Everything the scanner has passed is checked,
/// skipped values too; what lies ahead is not. Spans count from the start of
/// the bytes. After an error each call returns that error again.
///
/// ```
/// use cassette_format::json::{Scanner, TokenKind};
///
/// let bytes = br#"{"method":"ping","params":{"deep":[1,2]}} null"#;
/// let mut scanner = Scanner::new(bytes);
/// assert_eq!(scanner.next_token()?.unwrap().kind, TokenKind::BeginObject);
/// let method = scanner.next_member()?.unwrap();
/// assert_eq!(method.value.span.text(bytes), br#""ping""#);
/// let params = scanner.next_member()?.unwrap();
/// assert_eq!(params.value.span.text(bytes), br#"{"deep":[1,2]}"#);
/// assert_eq!(scanner.next_member()?, None);
/// assert_eq!(scanner.next_token()?.unwrap().kind, TokenKind::EndObject);
/// assert_eq!(scanner.skip_value()?.unwrap().span.text(bytes), b"null");
/// assert_eq!(scanner.next_token()?, None);
/// # Ok::<(), cassette_format::json::ScanError>(())
/// ```
#[derive(Clone)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    pub(super) offset: usize,
    nesting: Nesting,
    pub(super) state: State,
    error: Option<ScanError>,
}

impl<'a> Scanner<'a> {
    /// A scanner of all of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::within(bytes, Span::whole(bytes))
    }

    /// A scanner of the part of `bytes` that `span` covers; offsets still
    /// count from the start of `bytes`.
    ///
    /// Nothing is read where the span does not fit.
    #[must_use]
    pub fn within(bytes: &'a [u8], span: Span) -> Self {
        let end = span.end.min(bytes.len());
        Self {
            bytes: &bytes[..end],
            offset: span.start.min(end),
            nesting: Nesting::default(),
            state: State::Top,
            error: None,
        }
    }

    /// Offset of the first byte that has not been read.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of containers that are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.nesting.depth()
    }

    /// The next token; `None` at the end of the bytes.
    ///
    /// # Errors
    /// Where the bytes are not JSON or end inside a value.
    #[inline]
    pub fn next_token(&mut self) -> Result<Option<Token>, ScanError> {
        let token = match self.place() {
            Ok(Place::Value { offset, expected }) => self.value_token(offset, expected),
            Ok(Place::Key { offset, expected }) => self.key_token(offset, expected),
            Ok(Place::Close { offset }) => Ok(self.close_token(offset)),
            Ok(Place::End) => return Ok(None),
            Err(error) => Err(error),
        };
        token.map(Some).map_err(|error| self.fail(error))
    }

    /// Reads the next value as a whole: at the top, of the member whose key
    /// was read, or of an array.
    ///
    /// `None`, and nothing is read, where no value comes next: at the end of
    /// the bytes, before `]`, and in an object where no key was read.
    ///
    /// # Errors
    /// Where the bytes are not JSON or end inside the value.
    pub fn skip_value(&mut self) -> Result<Option<Value>, ScanError> {
        match self.place() {
            Ok(Place::Value { offset, expected }) => self.whole_value(offset, expected).map(Some),
            Ok(Place::Key { .. } | Place::Close { .. } | Place::End) => Ok(None),
            Err(error) => Err(error),
        }
        .map_err(|error| self.fail(error))
    }

    /// Reads the next member of the innermost object as a whole.
    ///
    /// `None`, and nothing is read, where no key comes next: before `}`, and
    /// outside of objects.
    ///
    /// # Errors
    /// Where the bytes are not JSON or end inside the member.
    pub fn next_member(&mut self) -> Result<Option<Member>, ScanError> {
        match self.place() {
            Ok(Place::Key { offset, expected }) => self.whole_member(offset, expected).map(Some),
            Ok(Place::Value { .. } | Place::Close { .. } | Place::End) => Ok(None),
            Err(error) => Err(error),
        }
        .map_err(|error| self.fail(error))
    }

    /// What comes next.
    #[inline]
    pub(super) fn place(&self) -> Result<Place, ScanError> {
        match self.error {
            Some(error) => Err(error),
            None => self.state.place(self.bytes, self.offset),
        }
    }

    #[inline]
    fn value_token(&mut self, offset: usize, expected: Expected) -> Result<Token, ScanError> {
        let bytes = self.bytes;
        let (kind, end) = match ByteClass::at(bytes, offset) {
            ByteClass::OpenObject => return Ok(self.open_token(offset, Container::Object)),
            ByteClass::OpenArray => return Ok(self.open_token(offset, Container::Array)),
            ByteClass::Quote => (TokenKind::String, string_end(bytes, offset)?),
            ByteClass::Number => (TokenKind::Number, number_end(bytes, offset)?),
            ByteClass::Word => (word_kind(bytes, offset), word_end(bytes, offset)?),
            _ => return Err(ScanError::at(bytes, offset, expected)),
        };
        if kind != TokenKind::String {
            self.check_separator(end)?;
        }
        self.after_value(end);
        let span = Span::new(offset, end);
        Ok(Token { kind, span })
    }

    #[inline]
    fn key_token(&mut self, offset: usize, expected: Expected) -> Result<Token, ScanError> {
        let end = key_end(self.bytes, offset, expected)?;
        self.offset = end.value;
        self.state = State::MemberValue;
        Ok(Token {
            kind: TokenKind::Key,
            span: Span::new(offset, end.key),
        })
    }

    /// Forgets what was refused: nothing of it was read.
    pub(super) fn forget_error(&mut self) {
        self.error = None;
    }

    #[inline]
    pub(super) fn open_token(&mut self, offset: usize, container: Container) -> Token {
        self.nesting.open(container);
        self.offset = offset + 1;
        let (state, kind) = match container {
            Container::Object => (State::ObjectFirst, TokenKind::BeginObject),
            Container::Array => (State::ArrayFirst, TokenKind::BeginArray),
        };
        self.state = state;
        let span = Span::new(offset, offset + 1);
        Token { kind, span }
    }

    #[inline]
    pub(super) fn close_token(&mut self, offset: usize) -> Token {
        let kind = match self.nesting.innermost() {
            Container::Object => TokenKind::EndObject,
            Container::Array => TokenKind::EndArray,
        };
        self.nesting.close();
        self.after_value(offset + 1);
        Token {
            kind,
            span: Span::new(offset, offset + 1),
        }
    }

    #[inline]
    fn whole_value(&mut self, offset: usize, expected: Expected) -> Result<Value, ScanError> {
        let end = value_end(self.bytes, offset, expected)?;
        let kind = ValueKind::of(self.bytes[offset]);
        if !matches!(
            kind,
            ValueKind::Object | ValueKind::Array | ValueKind::String
        ) {
            self.check_separator(end)?;
        }
        self.after_value(end);
        let span = Span::new(offset, end);
        Ok(Value { kind, span })
    }

    #[inline]
    fn whole_member(&mut self, offset: usize, expected: Expected) -> Result<Member, ScanError> {
        let key = self.key_token(offset, expected)?.span;
        let value = self.whole_value(self.offset, Expected::Value)?;
        Ok(Member { key, value })
    }

    #[inline]
    pub(super) fn after_value(&mut self, end: usize) {
        self.offset = end;
        self.state = match (self.nesting.depth(), self.nesting.innermost()) {
            (0, _) => State::Top,
            (_, Container::Object) => State::ObjectRest,
            (_, Container::Array) => State::ArrayRest,
        };
    }

    /// Refuses `1true` and `-1-2`: at the top nothing but a bracket, a quote
    /// or white space ends a number or a word that goes on.
    #[inline]
    fn check_separator(&self, end: usize) -> Result<(), ScanError> {
        if self.nesting.depth() > 0 || end == self.bytes.len() {
            return Ok(());
        }
        match ByteClass::at(self.bytes, end) {
            ByteClass::White | ByteClass::Quote | ByteClass::OpenObject | ByteClass::OpenArray => {
                Ok(())
            }
            _ => Err(ScanError::at(self.bytes, end, Expected::Separator)),
        }
    }

    #[cold]
    fn fail(&mut self, error: ScanError) -> ScanError {
        self.error = Some(error);
        error
    }
}

/// Which word begins at `offset`, by its first letter.
#[inline]
fn word_kind(bytes: &[u8], offset: usize) -> TokenKind {
    match bytes.get(offset) {
        Some(b't') => TokenKind::True,
        Some(b'f') => TokenKind::False,
        _ => TokenKind::Null,
    }
}

impl fmt::Debug for Scanner<'_> {
    /// Shows the place, not the bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner")
            .field("offset", &self.offset)
            .field("end", &self.bytes.len())
            .field("depth", &self.depth())
            .field("state", &self.state)
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}
