//! Opening a file that is to be verified, and the identity of what is in it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use cassette_format::process::ExecutableIdentity;
use sha2::{Digest as _, Sha256};

use super::error::VerifyError;
use crate::sys;

/// Bytes that are read at a time.
const PIECE: usize = 256 * 1024;

/// The identity of a regular file as it is at this moment, for a host that wants only
/// these bytes to run from now on. Blocks while it reads the file.
///
/// # Errors
/// No regular file, or an empty one ([`VerifyError::WrongSize`]); what the operating
/// system refuses.
pub fn identify(path: impl AsRef<Path>) -> Result<ExecutableIdentity, VerifyError> {
    let path = path.as_ref();
    let found = digest(&open_regular(path)?).map_err(|source| cannot_read(path, source))?;
    ExecutableIdentity::new(found.size, found.sha256).map_err(|_| wrong_size(path, 1, found.size))
}

/// Opens a regular file that is no link, without waiting for whoever writes to a FIFO.
pub(super) fn open_regular(path: &Path) -> Result<File, VerifyError> {
    let to_open = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => VerifyError::NotFound { path: path.into() },
        _ => VerifyError::Open {
            path: path.into(),
            source,
        },
    };
    // Before it is opened: opening a device may do something to it.
    check_kind(path, &path.symlink_metadata().map_err(to_open)?)?;
    let file = sys::open_itself(path).map_err(to_open)?;
    check_kind(path, &file.metadata().map_err(to_open)?)?;
    Ok(file)
}

fn check_kind(path: &Path, metadata: &std::fs::Metadata) -> Result<(), VerifyError> {
    if metadata.is_symlink() {
        return Err(VerifyError::Link { path: path.into() });
    }
    if !metadata.is_file() {
        return Err(VerifyError::NotRegular { path: path.into() });
    }
    Ok(())
}

/// Refuses a file of another size.
pub(super) fn check_size(
    path: &Path,
    file: &File,
    identity: &ExecutableIdentity,
) -> Result<(), VerifyError> {
    let metadata = file
        .metadata()
        .map_err(|source| cannot_read(path, source))?;
    if metadata.len() == identity.size() {
        return Ok(());
    }
    Err(wrong_size(path, identity.size(), metadata.len()))
}

/// What is in a file.
pub(super) struct Found {
    pub(super) size: u64,
    pub(super) sha256: String,
    /// Its first bytes, eight at most.
    pub(super) head: Vec<u8>,
}

impl Found {
    /// Of these bytes.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self::new(Sha256::new_with_prefix(bytes), bytes.len() as u64, bytes)
    }

    fn new(hash: Sha256, size: u64, head: &[u8]) -> Self {
        use std::fmt::Write as _;

        let mut sha256 = String::with_capacity(64);
        for byte in hash.finalize() {
            // Writing to a string does not fail.
            write!(sha256, "{byte:02x}").ok();
        }
        Self {
            size,
            sha256,
            head: head[..head.len().min(8)].to_vec(),
        }
    }

    /// Refuses what is not of this identity.
    pub(super) fn check(
        &self,
        path: &Path,
        identity: &ExecutableIdentity,
    ) -> Result<(), VerifyError> {
        if self.size != identity.size() {
            return Err(wrong_size(path, identity.size(), self.size));
        }
        if self.sha256 != identity.sha256() {
            return Err(VerifyError::WrongDigest {
                path: path.into(),
                expected: identity.sha256().to_owned(),
                found: self.sha256.clone(),
            });
        }
        Ok(())
    }
}

/// Reads a file from its start to its end.
pub(super) fn digest(mut file: &File) -> io::Result<Found> {
    let (mut hash, mut size) = (Sha256::new(), 0);
    let (mut piece, mut head) = (vec![0; PIECE], Vec::new());
    file.rewind()?;
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(Found::new(hash, size, &head)),
            Ok(count) => {
                if size < 8 {
                    head.extend_from_slice(&piece[..count.min(8)]);
                }
                hash.update(&piece[..count]);
                size += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The bytes of a file of this identity, which is no larger than `limit`.
pub(super) fn read_verified(
    path: &Path,
    identity: &ExecutableIdentity,
    limit: u64,
) -> Result<Vec<u8>, VerifyError> {
    if identity.size() > limit {
        return Err(VerifyError::TooLarge {
            path: path.into(),
            size: identity.size(),
            limit,
        });
    }
    let file = open_regular(path)?;
    check_size(path, &file, identity)?;
    let mut bytes = Vec::new();
    file.take(identity.size() + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| cannot_read(path, source))?;
    Found::of(&bytes).check(path, identity)?;
    Ok(bytes)
}

pub(super) fn cannot_read(path: &Path, source: io::Error) -> VerifyError {
    VerifyError::Read {
        path: path.into(),
        source,
    }
}

fn wrong_size(path: &Path, expected: u64, found: u64) -> VerifyError {
    VerifyError::WrongSize {
        path: path.into(),
        expected,
        found,
    }
}
