//! Reading what can be recognised in bytes that need not be JSON. What is wrong
//! with them is the scanner's business.

use memchr::{memchr, memchr2};

use super::byte_class::{ByteClass, skip_white};
use super::nesting::Container;
use super::place::{Place, State};
use super::{Scanner, Span, Token, TokenKind, Value};

/// Reads tokens as a [`Scanner`] does, and goes on where that one stops:
///
/// - a string reaches to its closing quote, whatever stands in it; without one,
///   to the end of the bytes;
/// - a string before a colon is a key, wherever it stands, also when the quote
///   that opens it seemed to close the string before it; where a value is due it
///   is both, first the value;
/// - where a member's value is due, a word that is none is read as a number;
/// - anything else is stepped over, up to the next quote or bracket; a closing
///   bracket of either kind closes what was opened last.
///
/// Of JSON, the tokens are those of the scanner. Keeps no more than that one
/// does, and takes time linear in the bytes.
#[derive(Debug, Clone)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    scanner: Scanner<'a>,
    standing: Standing,
    /// The string that was read last, if nothing was read since.
    string: Option<Span>,
    /// The string that was looked at last without the scanner.
    looked_at: Option<Quoted>,
}

/// How the token that was read last stands in the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Where the grammar has one.
    InPlace,
    /// Where it has none.
    OutOfPlace,
    /// It is a string that the bytes end in.
    CutOff,
}

/// A string that may hold anything.
#[derive(Debug, Clone, Copy)]
struct Quoted {
    open: usize,
    /// Just behind the closing quote, if there is one.
    end: Option<usize>,
    /// Where its value stands, if a colon follows.
    value: Option<usize>,
}

impl<'a> Reader<'a> {
    /// A reader of the part of `bytes` that `span` covers.
    pub(crate) fn within(bytes: &'a [u8], span: Span) -> Self {
        Self {
            bytes: &bytes[..span.end.min(bytes.len())],
            scanner: Scanner::within(bytes, span),
            standing: Standing::InPlace,
            string: None,
            looked_at: None,
        }
    }

    /// How the token that was read last stands in the bytes.
    pub(crate) const fn standing(&self) -> Standing {
        self.standing
    }

    /// How many containers are open.
    pub(crate) fn depth(&self) -> usize {
        self.scanner.depth()
    }

    /// Where the bytes end.
    pub(crate) const fn end(&self) -> usize {
        self.bytes.len()
    }

    /// Reads the next value as a whole, if it is JSON and no string. `None`, and
    /// nothing is read, where it is not.
    pub(crate) fn skip_sound(&mut self) -> Option<Value> {
        let Ok(Place::Value { offset, .. }) = self.scanner.place() else {
            return None;
        };
        if self.is_quote(offset) {
            return None;
        }
        let Ok(value) = self.scanner.skip_value() else {
            self.scanner.forget_error();
            return None;
        };
        (self.standing, self.string) = (Standing::InPlace, None);
        value
    }

    /// The next token where the scanner has none.
    #[cold]
    fn mend(&mut self) -> Option<Token> {
        self.scanner.forget_error();
        let place = self.scanner.place();
        let from = match place {
            Ok(Place::Value { offset, .. } | Place::Key { offset, .. }) => offset,
            Ok(Place::Close { offset }) => offset,
            Ok(Place::End) => return None,
            Err(error) => error.offset,
        };
        self.standing = Standing::OutOfPlace;
        if let Some(Span { start: open, end }) = self.string
            && let Some(value) = value_behind_colon(self.bytes, end)
        {
            let (end, value) = (Some(end), Some(value));
            return Some(self.accept(Quoted { open, end, value }));
        }
        match place {
            Ok(Place::Value { .. }) if self.is_quote(from) => {
                self.standing = Standing::InPlace;
                let quoted = self.look_at(from);
                let value = None;
                return Some(self.accept(Quoted { value, ..quoted }));
            }
            Ok(Place::Key { .. }) if self.is_quote(from) => {
                let quoted = self.look_at(from);
                if quoted.value.is_some() {
                    self.standing = Standing::InPlace;
                }
                return Some(self.accept(quoted));
            }
            _ => {}
        }
        if let Some(key) = self.overlapping_key() {
            return Some(self.accept(key));
        }
        if self.scanner.state == State::MemberValue
            && let Some(token) = self.word(from)
        {
            return Some(token);
        }
        self.recognise(from)
    }

    /// The key whose opening quote closed the string that was read last.
    fn overlapping_key(&mut self) -> Option<Quoted> {
        let quoted = self.look_at(self.string?.end - 1);
        let (Some(end), Some(_)) = (quoted.end, quoted.value) else {
            return None;
        };
        // A quote that is escaped in it may as well open the key.
        let inside = Span::new(quoted.open + 1, end - 1);
        let plain = memchr(b'"', inside.text(self.bytes)).is_none();
        plain.then_some(quoted)
    }

    /// The next string or bracket at or after `offset`.
    fn recognise(&mut self, mut offset: usize) -> Option<Token> {
        loop {
            match ByteClass::of(*self.bytes.get(offset)?) {
                ByteClass::Quote => {
                    let quoted = self.look_at(offset);
                    return Some(self.accept(quoted));
                }
                ByteClass::OpenObject => {
                    return Some(self.scanner.open_token(offset, Container::Object));
                }
                ByteClass::OpenArray => {
                    return Some(self.scanner.open_token(offset, Container::Array));
                }
                ByteClass::CloseObject | ByteClass::CloseArray if self.depth() > 0 => {
                    return Some(self.scanner.close_token(offset));
                }
                _ => offset += 1,
            }
        }
    }

    /// The word at `offset`, if one stands there.
    fn word(&mut self, offset: usize) -> Option<Token> {
        let belongs = |byte: &&u8| {
            let class = ByteClass::of(**byte);
            matches!(
                class,
                ByteClass::Other | ByteClass::Number | ByteClass::Word
            )
        };
        let len = self.bytes[offset..].iter().take_while(belongs).count();
        if len == 0 {
            return None;
        }
        self.scanner.after_value(offset + len);
        Some(Token {
            kind: TokenKind::Number,
            span: Span::new(offset, offset + len),
        })
    }

    /// Reads a string as what it is.
    fn accept(&mut self, quoted: Quoted) -> Token {
        let Quoted { open, end, value } = quoted;
        if end.is_none() {
            self.standing = Standing::CutOff;
        }
        let end = end.unwrap_or(self.bytes.len());
        let kind = if let Some(value) = value {
            self.scanner.offset = value;
            self.scanner.state = State::MemberValue;
            TokenKind::Key
        } else {
            self.scanner.after_value(end);
            TokenKind::String
        };
        let span = Span::new(open, end);
        Token { kind, span }
    }

    fn is_quote(&self, offset: usize) -> bool {
        self.bytes.get(offset) == Some(&b'"')
    }

    /// The string whose opening quote is at `open`.
    fn look_at(&mut self, open: usize) -> Quoted {
        // A quote inside of a string was escaped there, so that both end alike.
        let known = self.looked_at.filter(|known| {
            let before_end = known.end.is_none_or(|end| open + 1 < end);
            known.open <= open && before_end
        });
        let quoted = known.unwrap_or_else(|| {
            let end = closed(self.bytes, open);
            let value = end.and_then(|end| value_behind_colon(self.bytes, end));
            Quoted { open, end, value }
        });
        self.looked_at = Some(known.unwrap_or(quoted));
        Quoted { open, ..quoted }
    }
}

impl Iterator for Reader<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        self.standing = Standing::InPlace;
        let token = match self.scanner.next_token() {
            Ok(token) => token?,
            Err(_) => self.mend()?,
        };
        let is_closed = self.standing != Standing::CutOff;
        self.string = (token.kind == TokenKind::String && is_closed).then_some(token.span);
        Some(token)
    }
}

/// Just behind the quote that closes the string opened at `open`.
fn closed(bytes: &[u8], open: usize) -> Option<usize> {
    let mut offset = open + 1;
    loop {
        offset += memchr2(b'"', b'\\', bytes.get(offset..)?)?;
        if bytes.get(offset) == Some(&b'"') {
            return Some(offset + 1);
        }
        offset += 2;
    }
}

/// Where the value stands, if a colon follows at `end`.
fn value_behind_colon(bytes: &[u8], end: usize) -> Option<usize> {
    let colon = skip_white(bytes, end);
    (ByteClass::at(bytes, colon) == ByteClass::Colon).then(|| skip_white(bytes, colon + 1))
}

#[cfg(test)]
mod tests;
