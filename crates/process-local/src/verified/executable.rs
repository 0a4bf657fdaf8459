//! An executable whose bytes were verified and can no longer change before they run.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cassette_format::process::ExecutableIdentity;

use super::error::{Refusal, VerifyError};
use super::file::{cannot_read, check_size, digest, open_regular};
use super::options::{VerifyMode, VerifyOptions};
use crate::sys;

/// How the verified bytes are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// In memory, sealed before they were hashed: nobody can write to them, this process
    /// included. The program has no file: it cannot start itself again, and finds nothing
    /// beside itself.
    Sealed,
    /// In the file itself, with a lease: whoever opens it for writing waits, and is
    /// noticed. The program can start itself again, which then is not verified. The lease
    /// is held as long as the [`VerifiedExecutable`] lives; a writer waits no longer than
    /// the system says (45 s on Linux unless set otherwise). Without privileges only a
    /// user's own files can be leased.
    Leased,
    /// In a copy without a name that nobody has open for writing. Who may look into this
    /// process (the same user, that is) may open it again. As with `Sealed` the program
    /// has no file.
    PrivateCopy,
}

/// An executable whose bytes were verified, and are the bytes that run.
///
/// There is no other way to one than [`VerifiedExecutable::open`].
#[derive(Debug)]
pub struct VerifiedExecutable {
    path: PathBuf,
    identity: ExecutableIdentity,
    method: Method,
    file: File,
    program: PathBuf,
}

impl VerifiedExecutable {
    /// Opens and verifies a file. Blocks while it is copied and read.
    ///
    /// # Errors
    /// What is no regular file of this identity with an execute bit, is a link or a
    /// script; [`VerifyError::Unsupported`] if its bytes cannot be held.
    pub fn open(
        path: impl AsRef<Path>,
        identity: &ExecutableIdentity,
        options: &VerifyOptions,
    ) -> Result<Self, VerifyError> {
        let path = path.as_ref();
        let source = open_regular(path)?;
        let metadata = source
            .metadata()
            .map_err(|source| cannot_read(path, source))?;
        if !sys::has_execute_bit(&metadata) {
            return Err(VerifyError::NotExecutable { path: path.into() });
        }
        check_size(path, &source, identity)?;
        let (method, file) = hold(path, source, identity.size(), options)?;
        // Only now: what is hashed can no longer change.
        let found = digest(&file).map_err(|source| cannot_read(path, source))?;
        found.check(path, identity)?;
        if found.head.starts_with(b"#!") {
            return Err(VerifyError::Script { path: path.into() });
        }
        if !sys::is_program(&found.head) {
            return Err(VerifyError::NotProgram { path: path.into() });
        }
        let verified = Self {
            path: path.into(),
            identity: identity.clone(),
            method,
            program: sys::descriptor_path(&file),
            file,
        };
        verified.check_held()?;
        Ok(verified)
    }

    /// How its bytes are held.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// The file as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The size and digest of its bytes.
    #[must_use]
    pub const fn identity(&self) -> &ExecutableIdentity {
        &self.identity
    }

    /// What a process that this one starts has to execute. The descriptor is closed on
    /// execution, and not before.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// What holds its bytes.
    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// Refuses if its bytes may have changed since they were verified. Asked after a start
    /// it says of that start: from then on the system refuses writers.
    pub(crate) fn check_held(&self) -> Result<(), VerifyError> {
        if self.method != Method::Leased || sys::has_lease(&self.file) {
            return Ok(());
        }
        Err(VerifyError::LeaseBroken {
            path: self.path.clone(),
        })
    }
}

impl VerifyOptions {
    /// How an executable would be held here, found out with the first byte of this program.
    /// Nothing is executed, so a system that forbids that alone is not noticed.
    ///
    /// # Errors
    /// [`VerifyError::Unsupported`], and why, if it cannot be held.
    pub fn try_out(&self) -> Result<Method, VerifyError> {
        let unnamed = |source| VerifyError::Open {
            path: PathBuf::new(),
            source,
        };
        let path = std::env::current_exe().map_err(unnamed)?;
        let (method, _) = hold(&path, open_regular(&path)?, 0, self)?;
        Ok(method)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sealed => "sealed",
            Self::Leased => "leased",
            Self::PrivateCopy => "private-copy",
        })
    }
}

impl VerifyMode {
    const fn methods(self) -> &'static [Method] {
        match self {
            Self::Auto => &[Method::Sealed, Method::PrivateCopy],
            Self::Sealed => &[Method::Sealed],
            Self::Leased => &[Method::Leased],
            Self::PrivateCopy => &[Method::PrivateCopy],
        }
    }
}

/// Holds the bytes of a file in the first way that is to be had, or is being written in
/// one that does not bear it.
fn hold(
    path: &Path,
    source: File,
    size: u64,
    options: &VerifyOptions,
) -> Result<(Method, File), VerifyError> {
    let mut refusals = Vec::new();
    for method in options.mode.methods().iter().copied() {
        let held = match method {
            Method::Sealed => sys::seal_copy(&source, size),
            Method::PrivateCopy => match &options.copies {
                Some(directory) => sys::copy_privately(&source, size, directory),
                None => sys::copy_privately(&source, size, &std::env::temp_dir()),
            },
            Method::Leased => match sys::lease(&source) {
                Ok(()) => return Ok((method, source)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(VerifyError::BeingWritten { path: path.into() });
                }
                Err(error) => Err(error),
            },
        };
        match held {
            Ok(file) => return Ok((method, file)),
            Err(source) => refusals.push(Refusal { method, source }),
        }
    }
    Err(VerifyError::Unsupported {
        path: path.into(),
        refusals,
    })
}
