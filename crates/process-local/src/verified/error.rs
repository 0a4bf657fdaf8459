//! Why a file was not verified.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::executable::Method;

/// Why a file was not verified. Nothing of it has run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no such file.
    #[error("`{}` not found", path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// It could not be opened.
    #[error("cannot open `{}`", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is a symbolic link: what that leads to has to be named.
    #[error("`{}` is a link", path.display())]
    Link {
        /// The file.
        path: PathBuf,
    },
    /// It is a directory, FIFO, socket or device.
    #[error("`{}` is no regular file", path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// Nobody may execute it.
    #[error("`{}` has no execute bit", path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// It begins with `#!`: the interpreter would read the file again, by its name.
    #[error("`{}` is a script, of which an interpreter would read other bytes", path.display())]
    Script {
        /// The file.
        path: PathBuf,
    },
    /// The bytes are as expected and are no program of this system.
    #[error("`{}` is no program of this system", path.display())]
    NotProgram {
        /// The file.
        path: PathBuf,
    },
    /// The expected size is larger than a file of its kind may be.
    #[error("`{}` is to have {size} bytes, more than {limit}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The expected size in bytes.
        size: u64,
        /// The largest one.
        limit: u64,
    },
    /// It has another size.
    #[error("`{}` has {found} bytes, not the expected {expected}", path.display())]
    WrongSize {
        /// The file.
        path: PathBuf,
        /// The expected size in bytes.
        expected: u64,
        /// Its size; of one that grew meanwhile, what was read of it.
        found: u64,
    },
    /// It has another digest.
    #[error("`{}` has SHA-256 {found}, not the expected {expected}", path.display())]
    WrongDigest {
        /// The file.
        path: PathBuf,
        /// The expected SHA-256.
        expected: String,
        /// The SHA-256 of its bytes.
        found: String,
    },
    /// Somebody has it open for writing or mapped writable, so there is no lease of it.
    #[error("`{}` is open for writing", path.display())]
    BeingWritten {
        /// The file.
        path: PathBuf,
    },
    /// Somebody wants to write to it, so that its lease no longer protects it.
    #[error("the lease of `{}` was broken by a writer", path.display())]
    LeaseBroken {
        /// The file.
        path: PathBuf,
    },
    /// Its bytes cannot be held as they are, in none of the ways that were asked for.
    #[error("verified execution of `{}` is unsupported here{}", path.display(), reasons(refusals))]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What was tried.
        refusals: Vec<Refusal>,
    },
}

/// A way to hold bytes that is not to be had here.
#[derive(Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The way.
    pub method: Method,
    /// Why not.
    pub source: io::Error,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.method, self.source)
    }
}

fn reasons(refusals: &[Refusal]) -> String {
    let texts: Vec<String> = refusals.iter().map(|r| format!(" ({r})")).collect();
    texts.concat()
}
