//! Copies of a source's transcript, read back before they count.

use std::io::{self, Write};

use crate::bind_error::BindError;
use crate::candidate::{Bytes, Candidate, Reading};
use crate::inspect::{InspectOptions, Inspection};
use crate::place::{Directory, Finished, Staged};

/// A copy that is to be made in a home.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copying<'r, 'h> {
    pub(crate) home: &'h Directory,
    pub(crate) reading: Reading<'r>,
    /// Which bytes of the transcript's file it gets.
    pub(crate) bytes: Bytes,
}

impl<'h> Copying<'_, 'h> {
    /// Reads a transcript that was not read yet into a copy, then reads both to see
    /// that they are the same.
    pub(crate) fn first(
        self,
        candidate: &Candidate,
        options: InspectOptions,
    ) -> Result<(Inspection, Finished<'h>), BindError> {
        let (inspection, copy) = self.read(candidate, options)?;
        let same = candidate.begins(self.reading, (self.bytes, copy.file()))?;
        if same != Some(copy.size()?) {
            return Err(candidate.changed());
        }
        Ok((inspection, copy))
    }

    /// Reads a transcript that was read before into a copy, then reads the copy to see
    /// that it holds what was found then.
    pub(crate) fn second(
        self,
        candidate: &Candidate,
        found: &Inspection,
    ) -> Result<Finished<'h>, BindError> {
        let (again, copy) = self.read(candidate, InspectOptions::default())?;
        let held = candidate.held_by(self.reading, (self.bytes, copy.file()))?;
        let digest = found.report.sha256;
        if again.report.sha256 != digest || held.report.sha256 != digest {
            return Err(candidate.changed());
        }
        Ok(copy)
    }

    fn read(
        self,
        candidate: &Candidate,
        options: InspectOptions,
    ) -> Result<(Inspection, Finished<'h>), BindError> {
        let mut copy = Ahead::of(self.home.create_staged()?);
        let written = Some((self.bytes, &mut copy as _));
        let inspection = candidate.inspect(self.reading, options, written)?;
        Ok((inspection, copy.file.finish(candidate.mode())?))
    }
}

/// How much is written before it is sent to the disk.
const PIECE: u64 = 8 << 20;

/// Sends what is written to the disk while the rest is still to be read.
struct Ahead<'h> {
    file: Staged<'h>,
    written: u64,
    sent: u64,
}

impl<'h> Ahead<'h> {
    fn of(file: Staged<'h>) -> Self {
        Self {
            file,
            written: 0,
            sent: 0,
        }
    }
}

impl Write for Ahead<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.written += written as u64;
        if self.written - self.sent >= PIECE {
            self.file.send_ahead(self.sent, PIECE);
            self.sent += PIECE;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
