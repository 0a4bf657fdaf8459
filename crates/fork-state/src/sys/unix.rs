//! Unix: a directory is a descriptor, and every call takes one and a name.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, RawMode, Stat, fstat, linkat, mkdirat, openat,
    renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

use super::opening::{Purpose, Whole};
use super::rename::{Rename, rename};
use super::resolve;
use super::status::{Identity, Kind, Stamp, Status};

/// A directory is opened for this.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A directory on the way to another one: on Linux it need not be readable.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PASSING: OFlags = DIRECTORY.union(OFlags::PATH);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const PASSING: OFlags = DIRECTORY;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Handle {
    file: File,
    calls: Calls,
}

/// Which of the newer calls are tried. Without them the older ones are used, as
/// where the system has no newer ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Calls {
    /// Opening several segments at once, none of them a link.
    pub(crate) whole: bool,
    /// Renaming without replacing, and exchanging two names.
    pub(crate) rename: bool,
}

impl Handle {
    /// The root of the file system.
    pub(crate) fn root() -> io::Result<Self> {
        let calls = Calls {
            whole: true,
            rename: true,
        };
        let fd = openat(CWD, "/", DIRECTORY, Mode::empty())?;
        Ok(Self {
            file: fd.into(),
            calls,
        })
    }

    /// Opens a directory by a relative path of normal segments.
    pub(crate) fn open_whole(&self, below: &Path) -> Whole {
        if !self.calls.whole {
            return Whole::Unanswered;
        }
        match resolve::open(&self.file, below) {
            Ok(Some(file)) => Whole::Opened(self.sibling(file)),
            Ok(None) => Whole::Unanswered,
            Err(Errno::NOENT) => Whole::Absent,
            Err(_) => Whole::Unanswered,
        }
    }

    /// Opens the directory of this name. A link is [`io::ErrorKind::NotADirectory`].
    pub(crate) fn open_segment(&self, name: &OsStr, purpose: Purpose) -> io::Result<Self> {
        let flags = match purpose {
            Purpose::Passing => PASSING,
            Purpose::Holding => DIRECTORY,
        };
        let opened = retry_on_intr(|| openat(&self.file, name, flags, Mode::empty()));
        match opened {
            Ok(fd) => Ok(self.sibling(fd.into())),
            Err(errno) if is_link(errno) => Err(Errno::NOTDIR.into()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// The same directory, independently open: a lock on it is its own.
    pub(crate) fn reopened(&self) -> io::Result<File> {
        let fd = retry_on_intr(|| openat(&self.file, ".", DIRECTORY, Mode::empty()))?;
        Ok(fd.into())
    }

    /// Makes a directory of mode 0755 less the process's mask.
    pub(crate) fn make_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(mkdirat(&self.file, name, Mode::from_raw_mode(0o755))?)
    }

    /// What is in it, in no order; without `.` and `..`.
    pub(crate) fn entries(&self) -> io::Result<Vec<(OsString, Kind)>> {
        let mut entries = Vec::new();
        for entry in Dir::read_from(&self.file)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match self.status(name) {
                    Ok(status) => status.kind,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                },
                known => kind(known),
            };
            entries.push((name.to_owned(), kind));
        }
        Ok(entries)
    }

    /// What stands at a name; a link itself, not what it leads to.
    pub(crate) fn status(&self, name: &OsStr) -> io::Result<Status> {
        let stat = statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(convert(&stat))
    }

    /// Opens for reading, without waiting for a FIFO's other end. `None` for a link
    /// and for what cannot be opened for reading by its nature.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<Option<File>> {
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match retry_on_intr(|| openat(&self.file, name, flags, Mode::empty())) {
            Ok(fd) => Ok(Some(fd.into())),
            Err(Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP) => Ok(None),
            Err(errno) if is_link(errno) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Creates a file of mode 0600 that was not there, for reading and writing.
    pub(crate) fn create_file(&self, name: &OsStr) -> io::Result<File> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o600);
        let fd = retry_on_intr(|| openat(&self.file, name, flags, mode))?;
        Ok(fd.into())
    }

    /// Gives a file another name that nothing has.
    /// [`io::ErrorKind::Unsupported`] where that cannot be done in one step.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename_without_loss(from, to, Rename::New)
    }

    /// Exchanges two names. [`io::ErrorKind::Unsupported`] where there is no such
    /// thing.
    pub(crate) fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<()> {
        self.rename_without_loss(one, other, Rename::Exchange)
    }

    /// Gives a file another name, which whatever had it loses.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.file, from, &self.file, to)?)
    }

    /// Moves a file into another directory, under the same name.
    pub(crate) fn rename_into(&self, name: &OsStr, directory: &Self) -> io::Result<()> {
        Ok(renameat(&self.file, name, &directory.file, name)?)
    }

    /// Gives a file a further name that nothing has.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(linkat(&self.file, from, &self.file, to, AtFlags::empty())?)
    }

    /// Takes a name from a file or link.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.file, name, AtFlags::empty())?)
    }

    /// Hands the entries to the disk, where the file system can be told to.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self.file.sync_all() {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            synced => synced,
        }
    }

    fn sibling(&self, file: File) -> Self {
        Self {
            file,
            calls: self.calls,
        }
    }

    fn rename_without_loss(&self, from: &OsStr, to: &OsStr, how: Rename) -> io::Result<()> {
        if !self.calls.rename {
            return Err(io::ErrorKind::Unsupported.into());
        }
        // The system, or the file system, does not know how.
        let unknown = [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP, Errno::OPNOTSUPP];
        match rename(&self.file, from, to, how) {
            Err(errno) if unknown.contains(&errno) => Err(io::ErrorKind::Unsupported.into()),
            renamed => Ok(renamed?),
        }
    }

    #[cfg(test)]
    pub(crate) fn set_calls(&mut self, calls: Calls) {
        self.calls = calls;
    }
}

/// What the file system keeps about an open file.
pub(crate) fn status(file: &File) -> io::Result<Status> {
    Ok(convert(&fstat(file)?))
}

/// Sets the permission bits of an open file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode & 0o777))
}

/// Starts to write these bytes of a file to the disk, without waiting for it. What
/// fails is told by the sync at the end.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn send_ahead(file: &File, offset: u64, length: u64) {
    // Of pages that are not on the disk yet it means just that; they stay in memory.
    rustix::fs::fadvise(
        file,
        offset,
        std::num::NonZero::new(length),
        rustix::fs::Advice::DontNeed,
    )
    .ok();
}

/// There is no such call.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(crate) fn send_ahead(_file: &File, _offset: u64, _length: u64) {}

/// The number of the user whose rights this process has.
pub(crate) fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// How the systems say that `O_NOFOLLOW` met a link.
fn is_link(errno: Errno) -> bool {
    matches!(errno, Errno::LOOP | Errno::MLINK)
}

fn kind(of: FileType) -> Kind {
    match of {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

/// None of the fields is wider anywhere than here.
#[expect(
    clippy::unnecessary_cast,
    reason = "the widths of the fields differ between systems"
)]
fn convert(stat: &Stat) -> Status {
    let mode = stat.st_mode as RawMode;
    Status {
        kind: kind(FileType::from_raw_mode(mode)),
        stamp: Stamp {
            identity: Identity {
                device: stat.st_dev as u64,
                inode: stat.st_ino as u64,
            },
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        },
        mode: mode as u32 & 0o777,
        links: stat.st_nlink as u64,
        owner: stat.st_uid as u32,
    }
}
