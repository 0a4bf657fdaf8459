//! The grammar of one JSON object, fed with buffers of any cut.

use super::buffer::Buffer;
use super::members::Members;
use super::nesting::{Container, Nesting, TooDeep};
use super::plain_run::plain_end;

/// How far a buffer was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// To its end; the object goes on.
    More,
    /// The object closed just before this offset.
    Closed(usize),
    /// The byte at this offset does not fit.
    Failed(usize),
    /// The container at this offset lies too deep.
    TooDeep(usize),
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A key or `}`, behind `{`.
    ObjectFirst,
    /// A key, behind a comma.
    Key,
    Colon,
    Value,
    /// A value or `]`, behind `[`.
    ArrayFirst,
    /// A comma or the end of the container.
    AfterValue,
    /// The same, behind an object.
    AfterObject,
    /// The rest of a string.
    Text,
    /// The letter of an escape.
    Escape,
    /// The digits of a `\u`, this many.
    Hex(u8),
    /// The rest of `true`, `false` or `null`, which is kept beside.
    Word,
    Number(Number),
}

/// Behind which part of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Digits,
    Point,
    Fraction,
    Exponent,
    Sign,
    ExponentDigits,
}

/// Objects that begin deeper are not remembered by [`Grammar::closed_start`].
const REMEMBERED_DEPTH: usize = 64;

/// Reads one object. Takes the grammar of RFC 8259, but bytes that are not
/// UTF-8 stand in strings as they are, and a line feed ends the object.
#[derive(Debug, Clone)]
pub(super) struct Grammar {
    state: State,
    nesting: Nesting,
    /// Whether the string that is read is a key.
    in_key: bool,
    /// The rest of the word that is read.
    word: &'static [u8],
    /// Whether the members want the token that is read.
    is_wanted: bool,
    /// Where the objects of the outer levels begin.
    starts: [u64; REMEMBERED_DEPTH],
}

impl Grammar {
    pub(super) fn new() -> Self {
        Self {
            state: State::ObjectFirst,
            nesting: Nesting::default(),
            in_key: false,
            word: &[],
            is_wanted: false,
            starts: [0; REMEMBERED_DEPTH],
        }
    }

    /// Begins an object whose `{` was read.
    pub(super) fn begin(&mut self) {
        self.nesting.clear();
        // One level is never too deep.
        let _ = self.nesting.open(Container::Object);
        self.state = State::ObjectFirst;
    }

    /// Begins an object whose `{"` was read.
    pub(super) fn begin_in_key(&mut self) {
        self.begin();
        self.in_key = true;
        self.is_wanted = false;
        self.state = State::Text;
    }

    /// Whether a string ended and nothing was read behind it.
    pub(super) fn is_behind_text(&self) -> bool {
        matches!(self.state, State::Colon | State::AfterValue)
    }

    /// Where the object began that closed last, if nothing but white space was
    /// read since, and if it does not lie too deep.
    pub(super) fn closed_start(&self) -> Option<u64> {
        let is_behind_object = self.state == State::AfterObject;
        is_behind_object.then(|| self.starts.get(self.nesting.depth()).copied())?
    }

    /// Reads `buffer` from `start` on. Tells `members` what they want to know.
    pub(super) fn read(&mut self, buffer: Buffer<'_>, start: usize, members: &mut Members) -> Step {
        let bytes = buffer.bytes;
        let mut offset = start;
        // Where the token begins that is read, or the buffer.
        let mut token = start;
        let mut state = self.state;
        let step = loop {
            if state.may_follow_white() {
                offset = white_end(bytes, offset);
            }
            let Some(&byte) = bytes.get(offset) else {
                break Step::More;
            };
            let next = match state {
                State::Text => {
                    offset = text_end(bytes, offset);
                    match bytes.get(offset..) {
                        Some([b'"', b':', ..]) if self.in_key => {
                            self.end_text(members, &bytes[token..offset]);
                            offset += 1;
                            Ok(State::Value)
                        }
                        Some([b'"', ..]) => Ok(self.end_text(members, &bytes[token..offset])),
                        Some([b'\\', ..]) => Ok(State::Escape),
                        Some([_, ..]) => Err(Stop::Failed),
                        Some([]) | None => break Step::More,
                    }
                }
                State::AfterValue | State::AfterObject => {
                    let next = self.after_value(byte, members);
                    if next == Ok(State::Key) && bytes.get(offset + 1) == Some(&b'"') {
                        offset += 1;
                        token = offset + 1;
                        self.key(b'"', members)
                    } else {
                        next
                    }
                }
                State::ObjectFirst if byte == b'}' => self.close_object(members),
                State::ArrayFirst if byte == b']' => Ok(self.close_array()),
                State::Key | State::ObjectFirst => {
                    token = offset + 1;
                    self.key(byte, members)
                }
                State::Value | State::ArrayFirst => {
                    token = offset + usize::from(byte == b'"');
                    self.value(byte, buffer.offset(offset), members)
                }
                State::Number(number) => match number.read(bytes, &mut offset) {
                    Ok(number) => Ok(State::Number(number)),
                    Err(NumberEnd::Broken) => Err(Stop::Failed),
                    Err(NumberEnd::Whole) => {
                        if self.is_wanted {
                            members.number(&bytes[token..offset]);
                        }
                        state = State::AfterValue;
                        continue;
                    }
                },
                State::Colon if byte == b':' => Ok(State::Value),
                State::Escape if is_escape(byte) => Ok(State::Text),
                State::Escape if byte == b'u' => Ok(State::Hex(4)),
                State::Hex(..=1) if byte.is_ascii_hexdigit() => Ok(State::Text),
                State::Hex(digits) if byte.is_ascii_hexdigit() => Ok(State::Hex(digits - 1)),
                State::Word => self.in_word(byte),
                State::Colon | State::Escape | State::Hex(_) => Err(Stop::Failed),
            };
            match next {
                Ok(next) => state = next,
                Err(Stop::Closed) => {
                    state = State::AfterObject;
                    break Step::Closed(offset + 1);
                }
                Err(Stop::Failed) => break Step::Failed(offset),
                Err(Stop::TooDeep) => break Step::TooDeep(offset),
            }
            offset += 1;
        };
        self.state = state;
        if step == Step::More && self.is_wanted && state.is_in_token() {
            members.hold(bytes.get(token..).unwrap_or_default());
        }
        step
    }

    /// A string ends; `body` is what of it is in this buffer.
    #[inline]
    fn end_text(&self, members: &mut Members, body: &[u8]) -> State {
        match (self.in_key, self.is_wanted) {
            (true, false) => State::Colon,
            (false, false) => State::AfterValue,
            (true, true) => {
                members.key(body);
                State::Colon
            }
            (false, true) => {
                members.text(body);
                State::AfterValue
            }
        }
    }

    #[inline]
    fn after_value(&mut self, byte: u8, members: &mut Members) -> Result<State, Stop> {
        match (byte, self.nesting.innermost()) {
            (b',', Container::Object) => Ok(State::Key),
            (b',', Container::Array) => Ok(State::Value),
            (b'}', Container::Object) => self.close_object(members),
            (b']', Container::Array) => Ok(self.close_array()),
            _ => Err(Stop::Failed),
        }
    }

    #[inline]
    fn key(&mut self, byte: u8, members: &Members) -> Result<State, Stop> {
        if byte != b'"' {
            return Err(Stop::Failed);
        }
        self.in_key = true;
        self.is_wanted = members.want_key(self.nesting.depth());
        Ok(State::Text)
    }

    /// A value begins with `byte`, which lies at `offset` of the content.
    #[inline]
    fn value(&mut self, byte: u8, offset: u64, members: &mut Members) -> Result<State, Stop> {
        match byte {
            b'"' => {
                self.in_key = false;
                self.is_wanted = members.want_value(self.nesting.depth());
                Ok(State::Text)
            }
            b'-' | b'0'..=b'9' => {
                self.is_wanted = members.want_value(self.nesting.depth());
                Ok(State::Number(Number::first(byte)))
            }
            b'{' => {
                let depth = self.nesting.depth();
                self.open(Container::Object, members)?;
                if let Some(start) = self.starts.get_mut(depth) {
                    *start = offset;
                }
                Ok(State::ObjectFirst)
            }
            b'[' => {
                self.open(Container::Array, members)?;
                Ok(State::ArrayFirst)
            }
            b't' | b'f' | b'n' => {
                if members.want_value(self.nesting.depth()) {
                    members.word(byte);
                }
                self.word = word_rest(byte);
                Ok(State::Word)
            }
            _ => Err(Stop::Failed),
        }
    }

    #[inline]
    fn in_word(&mut self, byte: u8) -> Result<State, Stop> {
        match self.word.split_first() {
            Some((letter, [])) if *letter == byte => Ok(State::AfterValue),
            Some((letter, rest)) if *letter == byte => {
                self.word = rest;
                Ok(State::Word)
            }
            _ => Err(Stop::Failed),
        }
    }

    #[inline]
    fn open(&mut self, container: Container, members: &mut Members) -> Result<(), Stop> {
        let depth = self.nesting.depth();
        self.nesting
            .open(container)
            .map_err(|TooDeep| Stop::TooDeep)?;
        members.open(depth, container);
        Ok(())
    }

    #[inline]
    fn close_object(&mut self, members: &mut Members) -> Result<State, Stop> {
        members.close(self.nesting.depth());
        self.nesting.close();
        match self.nesting.depth() {
            0 => Err(Stop::Closed),
            _ => Ok(State::AfterObject),
        }
    }

    #[inline]
    fn close_array(&mut self) -> State {
        self.nesting.close();
        State::AfterValue
    }
}

/// Why reading does not go on with the next byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The object ends with this byte.
    Closed,
    Failed,
    TooDeep,
}

impl State {
    #[inline]
    const fn may_follow_white(self) -> bool {
        !matches!(
            self,
            Self::Text | Self::Escape | Self::Hex(_) | Self::Word | Self::Number(_)
        )
    }

    /// Whether a string or a number is being read.
    const fn is_in_token(self) -> bool {
        matches!(
            self,
            Self::Text | Self::Escape | Self::Hex(_) | Self::Number(_)
        )
    }
}

/// A byte that is no part of the number.
enum NumberEnd {
    /// The number is whole without it.
    Whole,
    /// It is not.
    Broken,
}

impl Number {
    const fn first(byte: u8) -> Self {
        match byte {
            b'-' => Self::Minus,
            b'0' => Self::Zero,
            _ => Self::Digits,
        }
    }

    /// Reads up to the last byte of the number that is there.
    #[inline]
    fn read(mut self, bytes: &[u8], offset: &mut usize) -> Result<Self, NumberEnd> {
        while let Some(&byte) = bytes.get(*offset) {
            self = self.next(byte)?;
            *offset += 1;
        }
        *offset -= 1;
        Ok(self)
    }

    #[inline]
    const fn next(self, byte: u8) -> Result<Self, NumberEnd> {
        Ok(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus | Self::Digits, b'0'..=b'9') => Self::Digits,
            (Self::Zero | Self::Digits, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Digits | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::Sign,
            (Self::Exponent | Self::Sign | Self::ExponentDigits, b'0'..=b'9') => {
                Self::ExponentDigits
            }
            // A digit behind a leading zero.
            (Self::Zero, b'0'..=b'9') => return Err(NumberEnd::Broken),
            (Self::Zero | Self::Digits | Self::Fraction | Self::ExponentDigits, _) => {
                return Err(NumberEnd::Whole);
            }
            _ => return Err(NumberEnd::Broken),
        })
    }
}

/// What follows the first letter of a word.
const fn word_rest(letter: u8) -> &'static [u8] {
    match letter {
        b't' => b"rue",
        b'f' => b"alse",
        _ => b"ull",
    }
}

/// The offset of the first byte at or after `offset` that neither stands for
/// itself in a string nor belongs to an escape of two bytes.
#[inline]
fn text_end(bytes: &[u8], offset: usize) -> usize {
    let mut end = plain_end(bytes, offset);
    while let Some([b'\\', letter, ..]) = bytes.get(end..)
        && is_escape(*letter)
    {
        end = plain_end(bytes, end + 2);
    }
    end
}

const fn is_escape(letter: u8) -> bool {
    matches!(
        letter,
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'
    )
}

/// White space of a record: a line feed is none.
#[inline]
pub(super) fn white_end(bytes: &[u8], mut offset: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\r') = bytes.get(offset) {
        offset += 1;
    }
    offset
}
