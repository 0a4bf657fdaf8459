//! Unix: open flags and modes.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

/// Opens for reading; a link in the last segment is an error, a FIFO does not
/// block.
pub(crate) fn open_for_reading(path: &Path) -> io::Result<File> {
    open_flags(
        OpenOptions::new().read(true),
        OFlags::NOFOLLOW | OFlags::NONBLOCK,
    )
    .open(path)
}

/// Reads what is at `offset`, up to all of `into`; how much it was. Threads may do so at once.
pub(crate) fn read_at(file: &File, into: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(into, offset)
}

/// Creates a file of mode 0600 that was not there.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Creates a directory of mode 0700, and its parents with the ordinary one, where there are
/// none.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    let create = || match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        created => created,
    };
    match (create(), path.parent()) {
        (Err(error), Some(parent)) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).create(parent)?;
            create()
        }
        (created, _) => created,
    }
}

/// Hands the entries of a directory to the disk.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Whether the path leads to this very file, not to another one of its name.
pub(crate) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let of = |it: Metadata| (it.dev(), it.ino());
    match path.symlink_metadata() {
        Ok(there) => Ok(of(there) == of(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn open_flags(options: &mut OpenOptions, flags: OFlags) -> &mut OpenOptions {
    options.custom_flags(flags.bits().cast_signed())
}
