//! Taking `frames.jsonl` in: read once into one buffer by two threads, piece by
//! piece. One hashes the pieces while the other does its work with them.

use std::fs::File;
use std::iter::Enumerate;
use std::path::Path;
use std::slice::ChunksMut;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use sha2::{Digest, Sha256};

use super::directory::{expect_end, fill, open_regular};
use super::open_error::OpenError;
use crate::schema::FramesDigest;

/// How much is read at once: little enough to be in the cache still when it is
/// looked at.
const PIECE: usize = 512 * 1024;

/// A file that is there and is not too large.
pub(super) struct FramesFile<'a> {
    file: File,
    path: &'a Path,
    size: usize,
}

/// What became of a file.
pub(super) struct Loaded<T> {
    pub(super) bytes: Vec<u8>,
    pub(super) digest: FramesDigest,
    pub(super) done: T,
}

/// A file in pieces, each of which is read by the thread that wants it first.
struct Pieces<'a, 'b> {
    from: &'a FramesFile<'a>,
    unread: Mutex<Enumerate<ChunksMut<'b, u8>>>,
    read: Vec<OnceLock<Result<&'b [u8], OpenError>>>,
}

impl<'a> FramesFile<'a> {
    /// Opens the file at `path`, which may have `limit` bytes.
    pub(super) fn open(path: &'a Path, limit: u64) -> Result<Self, OpenError> {
        let (file, size) = open_regular(path, limit)?;
        Ok(Self { file, path, size })
    }

    /// Its length in bytes.
    pub(super) const fn size(&self) -> usize {
        self.size
    }

    /// Reads and hashes the file while `work` goes over its pieces, in order. It
    /// sees all of them unless one cannot be read.
    pub(super) fn load<T>(
        self,
        work: impl FnOnce(&mut dyn Iterator<Item = &[u8]>) -> T,
    ) -> Result<Loaded<T>, OpenError> {
        let mut bytes = vec![0; self.size];
        let pieces = Pieces::new(&self, &mut bytes);
        let hash = || {
            let mut hash = Sha256::new();
            pieces.in_order().for_each(|piece| hash.update(piece));
            FramesDigest::from_bytes(hash.finalize().into())
        };
        let (digest, done) = if self.size <= PIECE {
            (hash(), work(&mut pieces.in_order()))
        } else {
            thread::scope(|scope| {
                let hasher = thread::Builder::new().spawn_scoped(scope, hash);
                let done = work(&mut pieces.in_order());
                // Where there are no threads to be had, it is one after the other.
                (hasher.map_or_else(|_| hash(), joined), done)
            })
        };
        pieces.first_error().map_or(Ok(()), Err)?;
        expect_end(&self.file, self.path, self.size)?;
        Ok(Loaded {
            bytes,
            digest,
            done,
        })
    }
}

impl<'a, 'b> Pieces<'a, 'b> {
    fn new(from: &'a FramesFile<'a>, bytes: &'b mut [u8]) -> Self {
        let unread = bytes.chunks_mut(PIECE);
        Self {
            from,
            read: (0..unread.len()).map(|_| OnceLock::new()).collect(),
            unread: Mutex::new(unread.enumerate()),
        }
    }

    /// The pieces up to the first that cannot be read.
    fn in_order(&self) -> impl Iterator<Item = &'b [u8]> {
        self.read.iter().map_while(|piece| {
            // While another thread reads this one, there are others to read.
            while piece.get().is_none() && self.read_one() {}
            piece.wait().as_ref().ok().copied()
        })
    }

    /// Reads the first piece that no thread reads yet, if there is one.
    fn read_one(&self) -> bool {
        let next = self
            .unread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next();
        let Some((number, piece)) = next else {
            return false;
        };
        let filled = fill(&self.from.file, piece, self.from.path, number * PIECE);
        // Each piece is given out once, so nothing is there yet.
        let _set = self.read[number].set(filled.map(|()| &*piece));
        true
    }

    fn first_error(self) -> Option<OpenError> {
        let mut outcomes = self.read.into_iter().filter_map(OnceLock::into_inner);
        outcomes.find_map(Result::err)
    }
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of several pieces and a bit.
    fn file_of(scratch: &Path, bytes: &[u8]) -> std::path::PathBuf {
        let path = scratch.join("frames");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn two_threads_read_each_piece_once_and_see_all_in_order() {
        let scratch = tempfile::tempdir().unwrap();
        for size in [0, 1, PIECE, PIECE + 1, 7 * PIECE + 5] {
            let bytes: Vec<u8> = (0..size).map(|at| (at / 1000 % 251) as u8).collect();
            let path = file_of(scratch.path(), &bytes);
            let file = FramesFile::open(&path, u64::MAX).unwrap();
            let loaded = file
                .load(|pieces| pieces.collect::<Vec<_>>().concat())
                .unwrap();
            assert!(loaded.done == bytes && loaded.bytes == bytes);
            let digest = FramesDigest::from_bytes(Sha256::digest(&bytes).into());
            assert_eq!(loaded.digest, digest);
        }
    }

    #[test]
    fn a_file_is_hashed_whole_even_if_the_work_ends_early() {
        let scratch = tempfile::tempdir().unwrap();
        let bytes = vec![7; 5 * PIECE];
        let path = file_of(scratch.path(), &bytes);
        let loaded = FramesFile::open(&path, u64::MAX).unwrap().load(|_| ());
        let digest = FramesDigest::from_bytes(Sha256::digest(&bytes).into());
        assert_eq!(loaded.unwrap().digest, digest);
    }

    #[test]
    fn a_file_that_shrinks_ends_every_thread() {
        let scratch = tempfile::tempdir().unwrap();
        let path = file_of(scratch.path(), &vec![7; 5 * PIECE]);
        let file = FramesFile::open(&path, u64::MAX).unwrap();
        file_of(scratch.path(), &vec![7; 2 * PIECE + 3]);
        let error = file.load(|pieces| pieces.count()).map(|loaded| loaded.done);
        let found = (2 * PIECE + 3) as u64;
        assert!(
            matches!(&error, Err(OpenError::Changed { expected, found: there, .. })
                if (*expected, *there) == (3 * PIECE as u64, found)),
            "{error:?}"
        );
    }
}
