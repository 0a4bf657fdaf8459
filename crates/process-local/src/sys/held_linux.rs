//! Linux: copies of bytes that nobody can write to, and executing what is open.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{
    AtFlags, FileType, MemfdFlags, Mode, OFlags, SealFlags, StatVfsMountFlags, fchmod,
    fcntl_add_seals, fstat, fstatvfs, memfd_create, mkdirat, open, openat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::{geteuid, getpid};

use super::busy::seal_unless_busy;

/// Its owner, who is nobody else, may read and execute it.
const COPY_MODE: Mode = Mode::RUSR.union(Mode::XUSR);
/// How many names of a directory are tried.
const NAMES: u32 = 100;

/// Under which name a process that is started executes what is open here. It is a name
/// for this process and for its children until they execute something.
pub(crate) fn descriptor_path(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Copies into memory that is sealed then: nobody can write to it, make it longer or
/// shorter, or take the seals away.
pub(crate) fn seal_copy(source: &File, size: u64) -> io::Result<File> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let memory = match memfd_create("verified", flags | MemfdFlags::EXEC) {
        // Kernels before 6.3 do not know the flag, and have no other kind.
        Err(Errno::INVAL) => memfd_create("verified", flags)?,
        other => other?,
    };
    let memory = File::from(memory);
    copy(source, size, &memory)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    seal_unless_busy(|| Ok(fcntl_add_seals(&memory, seals)?))?;
    check_descriptor_path(&memory)?;
    Ok(memory)
}

/// Copies into a file without a name, which nobody has open for writing then.
pub(crate) fn copy_privately(source: &File, size: u64, directory: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = open(directory, flags, Mode::empty())?;
    if fstatvfs(&directory)?
        .f_flag
        .contains(StatVfsMountFlags::NOEXEC)
    {
        return Err(io::Error::other("the file system is mounted noexec"));
    }
    let writer = match unnamed_file(&directory) {
        // Some file systems have no such files.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => unlinked_file(&directory)?,
        other => other?,
    };
    let writer = File::from(writer);
    // Whatever the mask took away.
    fchmod(&writer, COPY_MODE)?;
    copy(source, size, &writer)?;
    let reader = File::open(descriptor_path(&writer))?;
    check_same(&reader, &writer)?;
    Ok(reader)
}

fn unnamed_file(directory: &OwnedFd) -> Result<OwnedFd, Errno> {
    let flags = OFlags::TMPFILE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
    openat(directory, ".", flags, COPY_MODE)
}

/// A file that had a name for a moment, in a directory that nobody else may enter.
fn unlinked_file(directory: &OwnedFd) -> io::Result<OwnedFd> {
    let name = private_directory(directory)?;
    let file = open_directory(directory, &name).and_then(|private| {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let file = openat(&private, "copy", flags, COPY_MODE)?;
        unlinkat(&private, "copy", AtFlags::empty())?;
        Ok(file)
    });
    // An empty directory that stays does no harm.
    unlinkat(directory, &name, AtFlags::REMOVEDIR).ok();
    file
}

/// Makes a directory that nobody else may enter, and says how it is called.
fn private_directory(directory: &OwnedFd) -> io::Result<String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);

    for _ in 0..NAMES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!(".verified-{}-{number}", getpid().as_raw_nonzero());
        match mkdirat(directory, &name, Mode::RWXU) {
            Ok(()) => return Ok(name),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Opens the directory that was made, and no other one that stands there now.
fn open_directory(directory: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(directory, name, flags, Mode::empty())?;
    let found = fstat(&opened)?;
    let others = Mode::RWXG | Mode::RWXO;
    if found.st_uid != geteuid().as_raw()
        || Mode::from_raw_mode(found.st_mode).intersects(others)
        || FileType::from_raw_mode(found.st_mode) != FileType::Directory
    {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(opened)
}

/// Copies what a file holds, and at most a byte more than it should.
fn copy(mut source: &File, size: u64, mut target: &File) -> io::Result<()> {
    source.rewind()?;
    io::copy(&mut source.take(size.saturating_add(1)), &mut target).map(drop)
}

/// That `/proc` is there and is the one of this process.
fn check_descriptor_path(file: &File) -> io::Result<()> {
    check_same(&File::open(descriptor_path(file))?, file)
}

fn check_same(one: &File, other: &File) -> io::Result<()> {
    let (one, other) = (fstat(one.as_fd())?, fstat(other.as_fd())?);
    if (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino) {
        return Ok(());
    }
    Err(io::Error::other("/proc shows other files"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{FileExt as _, MetadataExt as _};

    use super::*;

    fn source(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn content(file: &File) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        let count = file.read_at(&mut bytes, 0).unwrap();
        bytes.truncate(count);
        bytes
    }

    #[test]
    fn nobody_can_write_to_sealed_memory_nor_open_it_for_that() {
        let sealed = seal_copy(&source(b"bytes"), 5).unwrap();

        let refused = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        assert!(refused(sealed.write_at(b"x", 0).unwrap_err()));
        assert!(refused(sealed.set_len(1).unwrap_err()));
        assert!(refused(sealed.set_len(100).unwrap_err()));
        let again = File::options().write(true).open(descriptor_path(&sealed));
        if let Ok(again) = again {
            assert!(refused(again.write_at(b"x", 0).unwrap_err()));
        }
        assert_eq!(content(&sealed), b"bytes");
    }

    #[test]
    fn no_more_than_a_byte_too_many_is_copied() {
        let sealed = seal_copy(&source(b"0123456789"), 5).unwrap();

        assert_eq!(content(&sealed), b"012345");
    }

    #[test]
    fn a_private_copy_has_no_name_and_no_writer() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap().into();
        let copied = copy_privately(&source(b"bytes"), 5, scratch.path()).unwrap();
        let unlinked = File::from(unlinked_file(&directory).unwrap());

        assert_eq!(content(&copied), b"bytes");
        assert!(copied.write_at(b"x", 0).is_err());
        assert_eq!(copied.metadata().unwrap().mode() & 0o777, 0o500);
        for file in [copied, unlinked] {
            assert_eq!(file.metadata().unwrap().nlink(), 0);
        }
        assert_eq!(scratch.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_private_directory_of_others_is_not_used() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = File::open(scratch.path()).unwrap().into();
        mkdirat(&directory, "open", Mode::RWXU | Mode::RWXG).unwrap();
        fchmod(
            File::open(scratch.path().join("open")).unwrap(),
            Mode::RWXU | Mode::RWXG,
        )
        .unwrap();

        assert!(open_directory(&directory, "open").is_err());
    }
}
