//! The lines of a cassette one after the other, for who need not have all of them in
//! memory at once. Nothing is verified but the form of each line.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;

use super::directory::{CassetteDir, expect_end, fill, open_regular};
use super::open_error::OpenError;
use super::raw_tape::{LineView, view};
use super::read_options::{ReadLimits, ReadOptions};

/// Bytes that are read at once.
const BLOCK: usize = 256 * 1024;

/// The lines of `frames.jsonl`, in order. Of the file it holds little more than the longest of
/// them so far.
pub struct LineStream {
    path: PathBuf,
    file: File,
    limits: ReadLimits,
    /// Bytes of the file that were not read.
    unread: usize,
    /// All bytes of the file.
    size: usize,
    buffer: Vec<u8>,
    /// Where the next line starts in the buffer.
    start: usize,
    /// How much of the buffer was read.
    end: usize,
    /// How many lines came before.
    count: u64,
}

impl LineStream {
    /// Opens the frames of the cassette in `dir`. The manifest is not looked at.
    ///
    /// # Errors
    /// A file that cannot be opened, or is larger than the limits say.
    pub fn open(dir: &CassetteDir, options: &ReadOptions) -> Result<Self, OpenError> {
        let (path, limits) = (dir.frames_path(), options.limits);
        let (file, size) = open_regular(&path, limits.max_stored_bytes)?;
        Ok(Self {
            path,
            file,
            limits,
            unread: size,
            size,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            count: 0,
        })
    }

    /// All bytes of the file.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size as u64
    }

    /// The next line; an error if it is no chunk. The last one may lack its line feed. What
    /// cannot be read is the last.
    pub fn next_line(&mut self) -> Option<Result<LineView<'_>, OpenError>> {
        let len = match self.fetch() {
            Ok(0) => return None,
            Ok(len) => len,
            Err(error) => {
                (self.unread, self.start) = (0, self.end);
                return Some(Err(error));
            }
        };
        let start = self.start;
        self.start += len;
        self.count += 1;
        let line = &self.buffer[start..start + len];
        Some(view(line, self.count, (&self.path, &self.limits)))
    }

    /// Reads until the next line is in the buffer; how long it is, 0 where there is none.
    fn fetch(&mut self) -> Result<usize, OpenError> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.start..self.end];
            if let Some(found) = memchr::memchr(b'\n', &rest[searched..]) {
                return Ok(searched + found + 1);
            }
            searched = rest.len();
            if searched as u64 >= self.limits.max_line_bytes {
                return Err(self.too_long()?);
            }
            if self.unread == 0 {
                return Ok(searched);
            }
            self.read_on()?;
        }
    }

    /// Reads to the end of a line of which nothing is kept.
    fn too_long(&mut self) -> Result<OpenError, OpenError> {
        let mut text = 0;
        loop {
            let rest = &self.buffer[self.start..self.end];
            let feed = memchr::memchr(b'\n', rest);
            text += feed.unwrap_or(rest.len()) as u64;
            self.start = self.end;
            if feed.is_some() || self.unread == 0 {
                return Ok(OpenError::LineTooLong {
                    path: self.path.clone(),
                    line: self.count + 1,
                    bytes: text + 1,
                    limit: self.limits.max_line_bytes,
                });
            }
            self.read_on()?;
        }
    }

    fn read_on(&mut self) -> Result<(), OpenError> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let before = self.size - self.unread;
        let count = self.unread.min(BLOCK);
        let end = self.end + count;
        if self.buffer.len() < end {
            self.buffer.resize(end, 0);
        }
        let fresh = &mut self.buffer[self.end..end];
        fill(&self.file, fresh, &self.path, before)?;
        (self.end, self.unread) = (end, self.unread - count);
        if self.unread == 0 {
            expect_end(&self.file, &self.path, self.size)?;
        }
        Ok(())
    }
}

impl fmt::Debug for LineStream {
    /// Shows no traffic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineStream")
            .field("path", &self.path)
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Manifest, TapeLimits};
    use crate::store::{FRAMES_FILE, MANIFEST_FILE, RawTape, write_manifest};

    /// What a line says, or why it says nothing.
    fn said(line: Result<LineView<'_>, OpenError>) -> String {
        let said = line.map(|line| (line.line(), line.to_chunk().unwrap()));
        said.map_or_else(|error| format!("{error:?}"), |said| format!("{said:?}"))
    }

    fn line(number: usize, bytes: usize) -> String {
        let data = "QUJD".repeat(bytes / 3);
        format!(
            "{{\"connectionId\":\"c\",\"chunkSeq\":{number},\"globalSeq\":{number},\
             \"elapsedMs\":0,\"kind\":\"stdout\",\"data\":\"{data}\"}}"
        )
    }

    #[test]
    fn lines_of_any_length_are_those_of_a_tape_in_memory() {
        let scratch = tempfile::tempdir().unwrap();
        let manifest = write_manifest(&Manifest::incomplete(TapeLimits::default()));
        std::fs::write(scratch.path().join(MANIFEST_FILE), manifest).unwrap();
        let lengths = [3, BLOCK, 0, 3 * BLOCK, 600, BLOCK / 2, BLOCK / 2];
        let mut lines: Vec<String> = (1..).zip(lengths).map(|(n, len)| line(n, len)).collect();
        lines.insert(4, "no chunk".to_owned());
        lines.push(line(8, 3));
        for text in [lines.join("\n"), lines.join("\n") + "\n", String::new()] {
            std::fs::write(scratch.path().join(FRAMES_FILE), text).unwrap();
            let tape = RawTape::open(scratch.path(), &ReadOptions::default()).unwrap();
            let dir = CassetteDir::new(scratch.path());
            let mut stream = LineStream::open(&dir, &ReadOptions::default()).unwrap();

            let mut streamed = Vec::new();
            while let Some(line) = stream.next_line() {
                streamed.push(said(line));
            }

            assert_eq!(streamed, tape.lines().map(said).collect::<Vec<_>>());
            assert!(stream.buffer.len() < 5 * BLOCK);
        }
    }

    #[test]
    fn a_line_over_the_limit_is_refused_and_not_held() {
        let scratch = tempfile::tempdir().unwrap();
        let text = line(1, 30 * BLOCK) + "\n";
        std::fs::write(scratch.path().join(FRAMES_FILE), &text).unwrap();
        let limits = ReadLimits {
            max_line_bytes: 1000,
            ..ReadLimits::default()
        };
        let options = ReadOptions::default().with_limits(limits);
        let dir = CassetteDir::new(scratch.path());
        let mut stream = LineStream::open(&dir, &options).unwrap();
        let first = stream.next_line();
        assert!(matches!(
            first,
            Some(Err(OpenError::LineTooLong {
                line: 1,
                limit: 1000,
                bytes,
                ..
            })) if bytes == text.len() as u64
        ));
        assert!(stream.next_line().is_none());
        assert!(stream.buffer.len() <= BLOCK);
    }
}
