//! A complete cassette made of the lines of another one. That one is never changed.

use std::io;
use std::path::{Path, PathBuf};

use cassette_format::schema::{
    Chunk, ChunkKind, ConnectionId, MAX_FRAME_BYTES, MAX_STORED_BYTES, Manifest,
};
use cassette_format::store::{
    CassetteDir, CreateError, LineTooLong, ReplaceError, replace_manifest, write_line,
};

use crate::claim::Claim;
use crate::tape_file::TapeFile;
use crate::totals::Totals;

/// A cassette that is being written.
#[derive(Debug)]
pub(crate) struct TapeCopy {
    dir: CassetteDir,
    tape: TapeFile,
    totals: Totals,
    line: Vec<u8>,
}

/// A cassette could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// The directory or its files were not made.
    #[error("cannot begin a cassette")]
    Create(#[from] CreateError),
    /// A line is longer than readers take.
    #[error("a line cannot be written")]
    Line(#[from] LineTooLong),
    /// A payload is larger than readers take.
    #[error("payload of {connection_id} would have {bytes} bytes, the limit is {limit}")]
    FrameTooLarge {
        /// The connection.
        connection_id: ConnectionId,
        /// The payload.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The tape is larger than readers take.
    #[error("frames would have {bytes} bytes, the limit is {limit}")]
    TapeTooLarge {
        /// The size with the chunk that does not fit.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The frames could not be written or handed to the disk.
    #[error("cannot write to {}", path.display())]
    Write {
        /// The frames.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// The manifest was not written.
    #[error("cannot write the manifest")]
    Manifest(#[from] ReplaceError),
}

impl TapeCopy {
    /// Begins a cassette in `dir`, which must hold none.
    pub(crate) fn create(dir: &Path) -> Result<Self, CopyError> {
        let dir = CassetteDir::new(dir);
        let tape = TapeFile::new(Claim::unlocked(dir.create_frames()?));
        Ok(Self {
            dir,
            tape,
            totals: Totals::default(),
            line: Vec::new(),
        })
    }

    /// Adds a line as it is, with its line feed.
    pub(crate) fn line(
        &mut self,
        line: &[u8],
        (kind, payload_bytes): (&ChunkKind, u64),
    ) -> Result<(), CopyError> {
        let bytes = self.totals.stored_bytes() + line.len() as u64;
        if bytes > MAX_STORED_BYTES {
            let limit = MAX_STORED_BYTES;
            return Err(CopyError::TapeTooLarge { bytes, limit });
        }
        let written = self.tape.append(line);
        written.map_err(|source| self.write_error(source))?;
        self.totals.add(kind, payload_bytes, line.len() as u64);
        Ok(())
    }

    /// Adds a chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk) -> Result<(), CopyError> {
        let bytes = chunk.payload_bytes();
        if bytes > MAX_FRAME_BYTES {
            return Err(CopyError::FrameTooLarge {
                connection_id: chunk.connection_id.clone(),
                bytes,
                limit: MAX_FRAME_BYTES,
            });
        }
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let added = write_line(&mut line, chunk)
            .map_err(CopyError::from)
            .and_then(|_| self.line(&line, (&chunk.kind, chunk.payload_bytes())));
        self.line = line;
        added
    }

    /// What was added so far.
    pub(crate) const fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Hands everything to the disk, then the manifest that says so.
    pub(crate) fn finish(self, manifest: Manifest) -> Result<(), CopyError> {
        let synced = self.tape.sync();
        synced.map_err(|source| self.write_error(source))?;
        let manifest = self.totals.complete(manifest, self.tape.digest());
        replace_manifest(&self.dir, &manifest)?;
        Ok(())
    }

    fn write_error(&self, source: io::Error) -> CopyError {
        CopyError::Write {
            path: self.dir.frames_path(),
            source,
        }
    }
}
