//! Taking `frames.jsonl` in: read once into one buffer, hashed on a second
//! thread while this one reads and then indexes.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use sha2::{Digest, Sha256};

use super::directory::{expect_end, fill, open_regular};
use super::open_error::OpenError;
use crate::schema::FramesDigest;

/// How much is read before it is handed to the hashing thread.
const SEGMENT: usize = 1024 * 1024;

/// The bytes of a file, and how far they have been hashed.
pub(super) struct Loaded {
    pub(super) bytes: Vec<u8>,
    hash: Sha256,
    hashed: usize,
}

/// Reads the file at `path`, at most `limit` bytes.
pub(super) fn read_and_hash(path: &Path, limit: u64) -> Result<Loaded, OpenError> {
    let (mut file, size) = open_regular(path, limit)?;
    let mut bytes = vec![0; size];
    let (hash, hashed) = if size <= SEGMENT {
        fill(&mut file, &mut bytes, path, 0)?;
        (Sha256::new(), 0)
    } else {
        read_while_hashing(&mut bytes, |segment, before| {
            fill(&mut file, segment, path, before)
        })?
    };
    expect_end(&mut file, path, size)?;
    Ok(Loaded {
        bytes,
        hash,
        hashed,
    })
}

impl Loaded {
    /// Hashes what is left while `work` runs over the bytes.
    pub(super) fn hash_beside<T>(&mut self, work: impl FnOnce(&[u8]) -> T) -> (FramesDigest, T) {
        let rest = &self.bytes[self.hashed..];
        let mut hash = std::mem::take(&mut self.hash);
        let (hash, done) = if rest.len() <= SEGMENT {
            hash.update(rest);
            (hash, work(&self.bytes))
        } else {
            thread::scope(|scope| {
                let hasher = scope.spawn(move || {
                    hash.update(rest);
                    hash
                });
                let done = work(&self.bytes);
                (joined(hasher), done)
            })
        };
        self.hashed = self.bytes.len();
        (FramesDigest::from_bytes(hash.finalize().into()), done)
    }
}

/// Fills `bytes` segment by segment; each one is hashed by a second thread,
/// which stops where it is once everything is read. Gives the hash and how many
/// bytes went into it.
fn read_while_hashing(
    bytes: &mut [u8],
    mut read: impl FnMut(&mut [u8], usize) -> Result<(), OpenError>,
) -> Result<(Sha256, usize), OpenError> {
    let all_read = AtomicBool::new(false);
    let (hand_over, handed) = mpsc::channel::<&[u8]>();
    thread::scope(|scope| {
        let all_read = &all_read;
        let hasher = scope.spawn(move || {
            let (mut hash, mut hashed) = (Sha256::new(), 0);
            for segment in handed {
                if all_read.load(Ordering::Relaxed) {
                    break;
                }
                hash.update(segment);
                hashed += segment.len();
            }
            (hash, hashed)
        });
        let mut before = 0;
        let mut outcome = Ok(());
        for segment in bytes.chunks_mut(SEGMENT) {
            outcome = read(segment, before);
            if outcome.is_err() {
                break;
            }
            before += segment.len();
            // A hasher that has gone panicked; joining it passes that on.
            let _gone = hand_over.send(segment);
        }
        all_read.store(true, Ordering::Relaxed);
        drop(hand_over);
        let hashed = joined(hasher);
        outcome.map(|()| hashed)
    })
}

fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
