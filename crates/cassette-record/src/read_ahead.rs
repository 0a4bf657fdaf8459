//! The lines of a tape with their data decoded, read by a thread of its own that is a little
//! ahead of whoever looks at them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;

use cassette_format::schema::{ChunkKind, ConnectionId, GlobalSeq};
use cassette_format::store::{LineStream, LineView, OpenError};

/// Bytes of the tape from which on a batch is full.
const BATCH_BYTES: u64 = 192 * 1024;
/// Lines at which it is full whatever they hold.
const BATCH_LINES: usize = 1024;
/// Bytes of a tape that is read without a thread.
const SHORT: u64 = 256 * 1024;

/// A line that reads as a chunk.
pub(crate) struct DecodedLine<'a> {
    pub(crate) line: GlobalSeq,
    /// The place of the connection that it names, or the name of one that is not known.
    pub(crate) connection: Result<usize, &'a ConnectionId>,
    pub(crate) kind: &'a ChunkKind,
    /// `None` if it is no base64.
    pub(crate) data: Option<&'a [u8]>,
}

/// Reads the lines of a tape.
pub(crate) struct ReadAhead {
    lines: LineStream,
    known: HashMap<String, usize>,
    /// The connection of the line before, which most often is that of the next one.
    last: Option<(String, usize)>,
}

#[derive(Default)]
struct Batch {
    lines: Vec<Line>,
    bytes: Vec<u8>,
    /// Why no line follows, if the tape has not ended.
    error: Option<OpenError>,
}

struct Line {
    line: GlobalSeq,
    connection: Result<usize, ConnectionId>,
    kind: ChunkKind,
    data: Option<Range<usize>>,
}

impl ReadAhead {
    /// Reads `lines`, which name connections by `known` identities.
    pub(crate) const fn new(lines: LineStream, known: HashMap<String, usize>) -> Self {
        Self {
            lines,
            known,
            last: None,
        }
    }

    /// Calls `each` with every line in order, up to the first that cannot be read.
    pub(crate) fn for_each(
        mut self,
        mut each: impl FnMut(&DecodedLine<'_>),
    ) -> Result<(), OpenError> {
        if self.lines.size() > SHORT
            && let Some(read) = self.for_each_beside(&mut each)
        {
            return read;
        }
        let mut batch = Batch::default();
        loop {
            let more = self.fill(&mut batch);
            batch.look_at(&mut each)?;
            if !more {
                return Ok(());
            }
        }
    }

    /// The same with a thread; `None` where none can be had, and then nothing was read.
    fn for_each_beside(
        &mut self,
        each: &mut impl FnMut(&DecodedLine<'_>),
    ) -> Option<Result<(), OpenError>> {
        // One batch is filled while another is looked at, and there are no more.
        let (full, batches) = sync_channel(0);
        let (spent, empty) = channel();
        thread::scope(|scope| {
            let reading = move || self.pass_on(&full, &empty);
            thread::Builder::new().spawn_scoped(scope, reading).ok()?;
            Some(batches.into_iter().try_for_each(|mut batch: Batch| {
                batch.look_at(each)?;
                // An error: that was the last batch.
                spent.send(batch).ok();
                Ok(())
            }))
        })
    }

    /// Passes all batches on, as long as somebody takes them.
    fn pass_on(&mut self, full: &SyncSender<Batch>, empty: &Receiver<Batch>) {
        loop {
            let mut batch = empty.try_recv().unwrap_or_default();
            let more = self.fill(&mut batch);
            if full.send(batch).is_err() || !more {
                return;
            }
        }
    }

    /// Fills a batch anew; whether there may be more.
    fn fill(&mut self, batch: &mut Batch) -> bool {
        batch.lines.clear();
        batch.bytes.clear();
        let mut read = 0;
        while read < BATCH_BYTES && batch.lines.len() < BATCH_LINES {
            match self.lines.next_line() {
                Some(Ok(view)) => {
                    read += view.stored_bytes();
                    let connection = place(&self.known, &mut self.last, view.connection_id());
                    batch.add(&view, connection);
                }
                Some(Err(error)) => {
                    batch.error = Some(error);
                    return false;
                }
                None => return false,
            }
        }
        true
    }
}

impl Batch {
    fn add(&mut self, view: &LineView<'_>, connection: Option<usize>) {
        let start = self.bytes.len();
        let data = view.append_data(&mut self.bytes).ok();
        self.lines.push(Line {
            line: view.line(),
            connection: connection.ok_or_else(|| ConnectionId::from_recorded(view.connection_id())),
            kind: view.kind().clone(),
            data: data.map(|()| start..self.bytes.len()),
        });
    }

    fn look_at(&mut self, each: &mut impl FnMut(&DecodedLine<'_>)) -> Result<(), OpenError> {
        for line in &self.lines {
            each(&DecodedLine {
                line: line.line,
                connection: line.connection.as_ref().copied(),
                kind: &line.kind,
                data: line.data.clone().map(|data| &self.bytes[data]),
            });
        }
        self.error.take().map_or(Ok(()), Err)
    }
}

/// The place of the connection of this identity.
fn place(
    known: &HashMap<String, usize>,
    last: &mut Option<(String, usize)>,
    id: &str,
) -> Option<usize> {
    if let Some((last, place)) = last
        && *last == id
    {
        return Some(*place);
    }
    let (id, place) = known.get_key_value(id)?;
    *last = Some((id.clone(), *place));
    Some(*place)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use cassette_format::store::{CassetteDir, FRAMES_FILE, ReadOptions};

    use super::*;

    /// Lines of all sorts, and what a reader is to be told of each.
    fn tape(lines: usize) -> (String, Vec<String>) {
        let (mut text, mut told) = (String::new(), Vec::new());
        for number in 1..=lines {
            let id = ["a", "a", "b", "nobody"][number % 4];
            let (data, decoded) = match number % 7 {
                0 => ("no base64".to_owned(), None),
                1 => (
                    "QUJD".repeat(number % 1000),
                    Some("ABC".repeat(number % 1000)),
                ),
                2 => ("QU\\nJD".to_owned(), Some("ABC".to_owned())),
                _ => (String::new(), Some(String::new())),
            };
            writeln!(
                text,
                "{{\"connectionId\":\"{id}\",\"kind\":\"stdout\",\"data\":\"{data}\"}}"
            )
            .unwrap();
            told.push(format!("{number} {id} stdout {decoded:?}"));
        }
        (text, told)
    }

    fn reader(dir: &Path, text: &str) -> ReadAhead {
        std::fs::write(dir.join(FRAMES_FILE), text).unwrap();
        let dir = CassetteDir::new(dir);
        let lines = LineStream::open(&dir, &ReadOptions::default()).unwrap();
        let known = [("a".to_owned(), 0), ("b".to_owned(), 1)];
        ReadAhead::new(lines, known.into())
    }

    fn words(line: &DecodedLine<'_>) -> String {
        let id = match line.connection {
            Ok(place) => ["a", "b"][place],
            Err(id) => id.as_str(),
        };
        let data = line
            .data
            .map(|data| String::from_utf8(data.to_vec()).unwrap());
        format!("{} {id} {} {data:?}", line.line.get(), line.kind)
    }

    #[test]
    fn every_line_comes_once_and_in_order_with_a_thread_and_without() {
        let scratch = tempfile::tempdir().unwrap();
        for lines in [0, 1, 50, 3 * BATCH_LINES + 7] {
            let (text, expected) = tape(lines);
            let (mut beside, mut told) = (Vec::new(), Vec::new());
            let read =
                reader(scratch.path(), &text).for_each_beside(&mut |line| beside.push(words(line)));
            assert!(matches!(read, Some(Ok(()))), "{read:?}");
            reader(scratch.path(), &text)
                .for_each(|line| told.push(words(line)))
                .unwrap();
            assert!(beside == expected && told == expected, "{lines} lines");
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_ends_it_after_those_before() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut text, expected) = tape(2 * BATCH_LINES + 7);
        text.push_str("no chunk\n");
        text.push_str(&tape(2 * BATCH_LINES).0);
        let mut reader = reader(scratch.path(), &text);
        let mut told = Vec::new();
        let read = reader.for_each_beside(&mut |line| told.push(words(line)));
        let line = expected.len() as u64 + 1;
        assert!(
            matches!(&read, Some(Err(OpenError::Line { line: there, .. })) if *there == line),
            "{read:?}"
        );
        assert!(told == expected);
    }

    #[test]
    #[should_panic(expected = "enough")]
    fn whoever_looks_may_give_up() {
        let scratch = tempfile::tempdir().unwrap();
        let (text, _) = tape(20 * BATCH_LINES);
        let reader = reader(scratch.path(), &text);
        // The thread ends, or this would never come to an end.
        let _read = reader.for_each(|_| panic!("enough"));
    }
}
