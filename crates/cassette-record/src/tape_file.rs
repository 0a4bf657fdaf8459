//! `frames.jsonl` while it is written: whole lines or nothing, hashed on the
//! way.

use std::io::{self, Seek, SeekFrom, Write};

use cassette_format::schema::FramesDigest;
use sha2::{Digest, Sha256};

use crate::claim::Claim;

/// The file, which the recorder alone appends to.
#[derive(Debug)]
pub(crate) struct TapeFile {
    claim: Claim,
    hash: Sha256,
    good_bytes: u64,
    /// A write failed and its traces could not be removed.
    spoiled: bool,
}

impl TapeFile {
    /// Takes an empty file.
    pub(crate) fn new(claim: Claim) -> Self {
        Self {
            claim,
            hash: Sha256::new(),
            good_bytes: 0,
            spoiled: false,
        }
    }

    /// Hands one line to the operating system; what this returned for survives
    /// the death of the process. After a failure the file is cut back to its
    /// last good length; if that fails too, nothing is written any more.
    pub(crate) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.spoiled {
            return Err(io::Error::other("an earlier write left partial bytes"));
        }
        let mut file = self.claim.file();
        let written = file.write_all(line);
        if written.is_err() {
            let cut = file.set_len(self.good_bytes);
            self.spoiled = cut
                .and_then(|()| file.seek(SeekFrom::Start(self.good_bytes)))
                .is_err();
        } else {
            self.hash.update(line);
            self.good_bytes += line.len() as u64;
        }
        written
    }

    /// Hands everything to the disk. A failure is final: asked again, the
    /// operating system may say all is well when it is not.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.claim.file().sync_all()
    }

    /// Lets others have the directory: nothing is written any more.
    pub(crate) fn release(&self) {
        self.claim.release();
    }

    /// The digest of what was written.
    pub(crate) fn digest(&self) -> FramesDigest {
        FramesDigest::from_bytes(self.hash.clone().finalize().into())
    }
}
