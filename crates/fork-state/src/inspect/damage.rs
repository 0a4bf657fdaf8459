//! What is wrong with a transcript, and what is merely odd.

use std::fmt;

use cassette_format::json::Found;

/// A place at which a transcript is not what its layout says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong.
    pub kind: DamageKind,
    /// Where it begins: a byte of the content, which is not compressed.
    pub offset: u64,
    /// In which record, from 1: a line that is not blank, whatever it holds. 0
    /// where there is none.
    pub record: u64,
}

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The file ends inside its last record, which begins here.
    TornTail,
    /// A record was cut off, and another one begins here on its line.
    Splice,
    /// A record ended, and another one begins here on its line.
    Concatenated,
    /// NUL bytes, as a file has them whose blocks were never written.
    NulRun {
        /// How many there are.
        length: u64,
    },
    /// The line is not one JSON object.
    NotAnObject {
        /// What stands here instead of it or in it; a line that ends too early
        /// has its line feed here.
        found: Found,
    },
    /// The record has more than 1 000 000 levels.
    TooDeep,
    /// There is no record.
    Empty,
    /// The record, which begins here, belongs to another session.
    OtherSession,
    /// The first record, which begins here, names its session by something that is
    /// no text, or by more than 512 bytes.
    UnreadableSession,
    /// The first record, which begins here, names a history that it goes on
    /// from, but not so that it can be found.
    UnreadableBase,
}

/// Something that a sound transcript seldom has. It changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// Where the line begins: a byte of the content, which is not compressed.
    pub offset: u64,
    /// Which record it is, from 1, or follows.
    pub record: u64,
}

/// A kind of oddity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// Nothing but white space.
    BlankLine,
    /// The record has the ordinal of the one before it.
    OrdinalDuplicate,
    /// The record has a lower ordinal than the one before it.
    OrdinalBackward,
    /// The record goes on from where the ordinals were before they repeated or
    /// went back: two writers by turns.
    SecondWriter,
}

/// The first ones of a kind, and how many more there were.
#[derive(Debug, Clone)]
pub(super) struct Kept<T> {
    first: Vec<T>,
    more: u64,
}

/// How many damages, and how many notes, a report tells.
const MAX_KEPT: usize = 100;

impl<T> Kept<T> {
    pub(super) const fn new() -> Self {
        Self {
            first: Vec::new(),
            more: 0,
        }
    }

    pub(super) fn push(&mut self, item: T) {
        if self.first.len() < MAX_KEPT {
            self.first.push(item);
        } else {
            self.more += 1;
        }
    }

    pub(super) fn into_parts(self) -> (Vec<T>, u64) {
        (self.first, self.more)
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            offset,
            record,
        } = self;
        write!(f, "record {record}, byte {offset}: {kind}")
    }
}

impl fmt::Display for DamageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TornTail => "the file ends inside its last record",
            Self::Splice => "another record begins where one was cut off",
            Self::Concatenated => "another record begins on the line of one that ended",
            Self::NulRun { length } => return write!(f, "{length} NUL bytes"),
            Self::NotAnObject {
                found: Found::Control(b'\n'),
            } => "the line ends inside an object",
            Self::NotAnObject { found } => return write!(f, "no json object: {found}"),
            Self::TooDeep => "more levels than are read",
            Self::Empty => "no record",
            Self::OtherSession => "a record of another session",
            Self::UnreadableSession => "the session that it belongs to cannot be read",
            Self::UnreadableBase => "the history that it goes on from cannot be read",
        })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            offset,
            record,
        } = self;
        write!(f, "record {record}, byte {offset}: {kind}")
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlankLine => "a blank line",
            Self::OrdinalDuplicate => "the ordinal of the record before it",
            Self::OrdinalBackward => "a lower ordinal than the record before it",
            Self::SecondWriter => "goes on from earlier ordinals: a second writer",
        })
    }
}
