//! The lines of a transcript: which are records, and what is wrong with the
//! others.

use cassette_format::json::Found;
use memchr::{memchr, memchr2};

use super::buffer::Buffer;
use super::damage::{Damage, DamageKind, Kept, Note, NoteKind};
use super::found::{BYTE_ORDER_MARK, found};
use super::grammar::{Grammar, Step, white_end};
use super::inspector::Boundary;
use super::judge::{Identity, Judge};
use super::members::{Members, Wanted};

/// Reads a transcript that comes in buffers of any cut, one JSON object a line,
/// in memory that does not depend on the length of a record.
#[derive(Debug, Clone)]
pub(crate) struct RecordScanner {
    place: Place,
    grammar: Grammar,
    members: Members,
    judge: Judge,
    line: Line,
    /// Lines that are not blank, the one that is read included.
    records: u64,
    /// Bytes before the buffer that is read.
    before: u64,
    /// The last two of them.
    tail: [u8; 2],
    /// The offset of which it is asked whether a record ends there.
    asked_end: Option<u64>,
    boundary: Option<Boundary>,
    damages: Kept<Damage>,
    notes: Kept<Note>,
}

/// What a scan came to.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) judge: Judge,
    pub(super) records: u64,
    /// Whether a sound record ends, with its line feed, where it was asked.
    pub(super) boundary: Option<Boundary>,
    pub(super) damages: Kept<Damage>,
    pub(super) notes: Kept<Note>,
}

impl Scan {
    /// Whose transcript it is.
    pub(super) fn identity(&self) -> Identity {
        self.judge.identity().unwrap_or(Identity::Unknown)
    }
}

/// Where in a line the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Behind nothing but white space.
    Start,
    /// In an object.
    Object,
    /// Behind an object.
    AfterObject,
    /// In NUL bytes that begin at this offset.
    Nul(u64),
    /// Behind this many bytes of what may be a byte order mark.
    Mark(usize),
    /// Behind damage, where another record may begin.
    Seek,
    /// Behind damage that was told.
    Rest,
}

#[derive(Debug, Clone, Copy, Default)]
struct Line {
    start: u64,
    /// Where the object begins that is read, or was last.
    object: u64,
    is_damaged: bool,
    /// What to tell unless another record is found on the line.
    suspect: Option<Damage>,
}

impl RecordScanner {
    /// A scanner that leaves it to `judge` what records should say.
    pub(crate) fn new(judge: Judge, asked_end: Option<u64>) -> Self {
        Self {
            place: Place::Start,
            grammar: Grammar::new(),
            members: Members::new(),
            judge,
            line: Line::default(),
            records: 0,
            before: 0,
            tail: [0; 2],
            asked_end,
            boundary: None,
            damages: Kept::new(),
            notes: Kept::new(),
        }
    }

    /// Reads the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let buffer = Buffer {
            bytes,
            before: self.before,
            tail: self.tail,
        };
        let mut at = 0;
        while at < bytes.len() {
            at = match self.place {
                Place::Start => self.start(buffer, at),
                Place::Object => self.object(buffer, at),
                Place::AfterObject => self.after_object(buffer, at),
                Place::Nul(start) => self.nul(buffer, at, start),
                Place::Mark(seen) => self.mark(buffer, at, seen),
                Place::Seek => self.seek(buffer, at),
                Place::Rest => self.rest(buffer, at),
            };
        }
        self.tail = buffer.two_before(bytes.len());
        self.before += bytes.len() as u64;
    }

    /// Whose transcript it is, as soon as that is known.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.judge.identity()
    }

    /// The bytes have ended.
    pub(super) fn finish(mut self) -> Scan {
        match self.place {
            Place::Start if self.before > self.line.start => self.blank_line(),
            Place::Start | Place::Rest => {}
            Place::Object => {
                let start = self.line.object;
                if self.line.suspect.take().is_some() {
                    self.damage(DamageKind::Splice, start);
                }
                self.damage(DamageKind::TornTail, start);
            }
            Place::AfterObject => self.end_record(),
            Place::Nul(start) => self.nul_run(start, self.before),
            Place::Mark(_) => self.refuse(Found::NonAscii, self.line.object),
            Place::Seek => self.tell_suspect(),
        }
        self.end_line();
        if self.records == 0 {
            self.damage(DamageKind::Empty, 0);
        }
        self.judge.end();
        Scan {
            judge: self.judge,
            records: self.records,
            boundary: self.boundary,
            damages: self.damages,
            notes: self.notes,
        }
    }

    fn start(&mut self, buffer: Buffer<'_>, at: usize) -> usize {
        let at = white_end(buffer.bytes, at);
        let Some(&byte) = buffer.bytes.get(at) else {
            return at;
        };
        if byte == b'\n' {
            self.blank_line();
            return self.next_line(at + 1);
        }
        self.records += 1;
        let offset = buffer.offset(at);
        self.line.object = offset;
        match byte {
            b'{' => self.begin(offset),
            0 => self.place = Place::Nul(offset),
            byte if byte == BYTE_ORDER_MARK[0] => self.place = Place::Mark(1),
            _ => self.refuse(found(byte), offset),
        }
        at + 1
    }

    fn object(&mut self, buffer: Buffer<'_>, at: usize) -> usize {
        let step = self.grammar.read(buffer, at, &mut self.members);
        match step {
            Step::More => buffer.bytes.len(),
            Step::Closed(end) => {
                self.place = Place::AfterObject;
                end
            }
            Step::Failed(at) => self.fail(buffer, at),
            Step::TooDeep(at) => {
                self.line.suspect = None;
                self.damage(DamageKind::TooDeep, buffer.offset(at));
                self.place = Place::Rest;
                at
            }
        }
    }

    fn after_object(&mut self, buffer: Buffer<'_>, at: usize) -> usize {
        let at = white_end(buffer.bytes, at);
        match buffer.bytes.get(at) {
            None => at,
            Some(b'\n') => {
                let end = buffer.offset(at) + 1;
                let is_boundary = !self.line.is_damaged
                    && self.line.suspect.is_none()
                    && self.asked_end == Some(end);
                self.end_record();
                if is_boundary {
                    let next_ordinal = self.judge.next_ordinal();
                    self.boundary = Some(Boundary { next_ordinal });
                }
                self.next_line(at + 1)
            }
            Some(b'{') => {
                let offset = buffer.offset(at);
                self.end_suspect();
                self.damage(DamageKind::Concatenated, offset);
                self.begin(offset);
                at + 1
            }
            Some(_) => self.fail(buffer, at),
        }
    }

    fn nul(&mut self, buffer: Buffer<'_>, at: usize, start: u64) -> usize {
        let run = buffer.bytes[at..]
            .iter()
            .take_while(|byte| **byte == 0)
            .count();
        let end = at + run;
        if end < buffer.bytes.len() {
            self.nul_run(start, buffer.offset(end));
        }
        end
    }

    fn mark(&mut self, buffer: Buffer<'_>, at: usize, seen: usize) -> usize {
        if BYTE_ORDER_MARK.get(seen) != buffer.bytes.get(at) {
            self.refuse(Found::NonAscii, self.line.object);
            return at;
        }
        self.place = Place::Mark(seen + 1);
        if seen + 1 == BYTE_ORDER_MARK.len() {
            self.refuse(Found::ByteOrderMark, self.line.object);
        }
        at + 1
    }

    fn seek(&mut self, buffer: Buffer<'_>, at: usize) -> usize {
        let Some(run) = memchr2(b'{', b'\n', &buffer.bytes[at..]) else {
            return buffer.bytes.len();
        };
        let at = at + run;
        if buffer.bytes[at] == b'\n' {
            self.tell_suspect();
            return at;
        }
        self.begin(buffer.offset(at));
        at + 1
    }

    fn rest(&mut self, buffer: Buffer<'_>, at: usize) -> usize {
        match memchr(b'\n', &buffer.bytes[at..]) {
            Some(run) => self.next_line(at + run + 1),
            None => buffer.bytes.len(),
        }
    }

    /// The byte at `at` does not fit into the object or behind it. Goes on at
    /// the next place at which another record may begin.
    #[cold]
    fn fail(&mut self, buffer: Buffer<'_>, at: usize) -> usize {
        let byte = buffer.bytes[at];
        let offset = buffer.offset(at);
        let in_object = self.place == Place::Object;
        if byte == 0 && self.line.suspect.is_none() {
            self.place = Place::Nul(offset);
            return at + 1;
        }
        if let Some(start) = self.grammar.closed_start()
            && in_object
            && byte == b'\n'
        {
            // A record stands where the one that was cut off had a value.
            self.line.suspect = None;
            self.damage(DamageKind::Splice, start);
            self.place = Place::Rest;
            return at;
        }
        let kind = DamageKind::NotAnObject { found: found(byte) };
        let damage = self.damage_at(kind, offset);
        self.line.suspect.get_or_insert(damage);
        let ends_text = self.grammar.is_behind_text() && buffer.two_before(at) == *b"{\"";
        if in_object && ends_text {
            // What closed a string of the record that was cut off opens a key of
            // the other one.
            self.begin(offset - 2);
            self.grammar.begin_in_key();
        } else {
            self.place = Place::Seek;
        }
        at
    }

    /// Begins an object at this offset. Its `{` was read.
    fn begin(&mut self, offset: u64) {
        self.line.object = offset;
        self.place = Place::Object;
        let is_sound = !self.line.is_damaged && self.line.suspect.is_none();
        let wanted = if is_sound {
            self.judge.wanted(self.records)
        } else {
            Wanted::Nothing
        };
        self.members.begin(wanted);
        self.grammar.begin();
    }

    /// An object ended, and with it its line.
    fn end_record(&mut self) {
        self.end_suspect();
        if self.line.is_damaged {
            return;
        }
        let finding = self.judge.record(&self.members, self.records);
        if let Some(kind) = finding.damage {
            self.damages.push(self.damage_at(kind, self.line.object));
        }
        if let Some(kind) = finding.note {
            self.notes.push(Note {
                kind,
                offset: self.line.start,
                record: self.records,
            });
        }
    }

    /// Tells of the record that was found behind damage, if that is what ended.
    fn end_suspect(&mut self) {
        if self.line.suspect.take().is_some() {
            self.damage(DamageKind::Splice, self.line.object);
        }
    }

    /// No other record was found on the line.
    fn tell_suspect(&mut self) {
        if let Some(damage) = self.line.suspect.take() {
            self.damage(damage.kind, damage.offset);
        }
        self.place = Place::Rest;
    }

    fn refuse(&mut self, found: Found, offset: u64) {
        self.damage(DamageKind::NotAnObject { found }, offset);
        self.place = Place::Rest;
    }

    fn nul_run(&mut self, start: u64, end: u64) {
        let length = end - start;
        self.damage(DamageKind::NulRun { length }, start);
        self.place = Place::Rest;
    }

    fn blank_line(&mut self) {
        self.notes.push(Note {
            kind: NoteKind::BlankLine,
            offset: self.line.start,
            record: self.records,
        });
    }

    /// Begins the line that starts at `at`.
    fn next_line(&mut self, at: usize) -> usize {
        self.end_line();
        self.line = Line {
            start: self.before + at as u64,
            ..Line::default()
        };
        self.place = Place::Start;
        at
    }

    fn end_line(&mut self) {
        if self.line.is_damaged {
            self.judge.damaged();
        }
    }

    fn damage(&mut self, kind: DamageKind, offset: u64) {
        self.line.is_damaged = true;
        self.damages.push(self.damage_at(kind, offset));
    }

    fn damage_at(&self, kind: DamageKind, offset: u64) -> Damage {
        Damage {
            kind,
            offset,
            record: self.records,
        }
    }
}
