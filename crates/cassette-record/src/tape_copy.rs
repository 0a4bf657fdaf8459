//! A complete cassette made of the lines of another one. That one is never changed.

use std::io;
use std::path::{Path, PathBuf};

use cassette_format::schema::{Chunk, ChunkKind, Manifest};
use cassette_format::store::{
    CassetteDir, CreateError, LineTooLong, ReplaceError, replace_manifest, write_line,
};

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
        let tape = TapeFile::new(dir.create_frames()?);
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
        let written = self.tape.append(line);
        written.map_err(|source| self.write_error(source))?;
        self.totals.add(kind, payload_bytes, line.len() as u64);
        Ok(())
    }

    /// Adds a chunk.
    pub(crate) fn chunk(&mut self, chunk: &Chunk) -> Result<(), CopyError> {
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
