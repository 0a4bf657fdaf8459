//! A file that is written under a name of its own, and gets its place when it is
//! whole.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Seek as _, Write};
use std::path::Path;

use super::directory::Directory;
use super::error::PlaceError;
use super::lock::Lock;
use super::open_file::status;
use crate::sys::{self, Identity, Kind, Stamp, Status};

const PREFIX: &str = ".cassette-fork-";
const SUFFIX: &str = ".tmp";
/// Random names in a row that are all taken.
const TRIES: usize = 16;

/// A file that is being written, of mode 0600. It goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Staged<'a>(Temporary<'a>);

/// A file that is written and synced, and has no place yet. It goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Finished<'a>(Temporary<'a>);

impl Directory {
    /// A new, empty file under a name of its own.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn create_staged(&self) -> Result<Staged<'_>, PlaceError> {
        let mut tries = 0;
        loop {
            let name = random_name();
            let path = self.path().join(&name);
            match self.handle.create_file(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                    tries += 1;
                }
                Err(source) => return Err(PlaceError::refused("create", &path, source)),
                Ok(file) => {
                    let identity = status(&file, &path)?.stamp.identity;
                    return Ok(Staged(Temporary {
                        directory: self,
                        file,
                        name,
                        identity,
                    }));
                }
            }
        }
    }

    /// Removes the staged files of processes that ended before they were done: regular
    /// files of this user, by the form of their names. The lock says that nobody is at
    /// it.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn sweep_staged(&self, _held: &Lock) -> Result<(), PlaceError> {
        for entry in self.entries()? {
            if !is_staged(&entry.name) {
                continue;
            }
            let own =
                |status: Status| status.kind == Kind::File && status.owner == sys::current_user();
            if self.status(&entry.name)?.is_some_and(own) {
                self.remove(&entry.name)?;
            }
        }
        Ok(())
    }

    fn remove(&self, name: &OsStr) -> Result<(), PlaceError> {
        match self.handle.remove(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(PlaceError::refused(
                "remove",
                &self.path().join(name),
                error,
            )),
            _ => Ok(()),
        }
    }

    fn has(&self, name: &OsStr, identity: Identity) -> Result<bool, PlaceError> {
        let status = self.status(name)?;
        Ok(status.is_some_and(|status| status.stamp.identity == identity))
    }
}

impl<'a> Staged<'a> {
    /// Has these bytes on their way to the disk, where the system can be told to, so
    /// that less is left for the end. Does not wait.
    pub(crate) fn send_ahead(&self, offset: u64, length: u64) {
        sys::send_ahead(&self.0.file, offset, length);
    }

    /// Sets the permission bits and hands the bytes to the disk.
    ///
    /// # Errors
    /// What the operating system says; the file is gone then.
    pub(crate) fn finish(self, mode: u32) -> Result<Finished<'a>, PlaceError> {
        let path = self.0.directory.path().join(&self.0.name);
        sys::set_mode(&self.0.file, mode)
            .map_err(|source| PlaceError::refused("set the mode of", &path, source))?;
        let synced = self.0.file.sync_all();
        synced.map_err(|source| PlaceError::refused("sync", &path, source))?;
        Ok(Finished(self.0))
    }
}

impl Write for Staged<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.file.flush()
    }
}

impl Finished<'_> {
    /// The file, to be read.
    pub(crate) fn file(&self) -> &File {
        &self.0.file
    }

    /// How long it is, in bytes.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn size(&self) -> Result<u64, PlaceError> {
        let path = self.0.directory.path().join(&self.0.name);
        Ok(status(&self.0.file, &path)?.stamp.size)
    }

    /// The same file in another directory, still without a place; a copy of it where that
    /// is on another file system.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn moved_to(self, directory: &Directory) -> Result<Finished<'_>, PlaceError> {
        let Self(staged) = self;
        let moved = staged
            .directory
            .handle
            .rename_into(&staged.name, &directory.handle);
        match moved {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                return staged.copied_to(directory);
            }
            moved => moved.map_err(|source| {
                PlaceError::refused("move", &directory.path().join(&staged.name), source)
            })?,
        }
        let file = staged.file.try_clone();
        let file = file.map_err(|source| PlaceError::refused("keep", directory.path(), source))?;
        Ok(Finished(Temporary {
            directory,
            file,
            name: staged.name.clone(),
            identity: staged.identity,
        }))
    }

    /// Gives the file a name that nothing has, and syncs the directory.
    ///
    /// # Errors
    /// [`PlaceError::AlreadyExists`] if anything has the name;
    /// [`PlaceError::NotDurable`] if only the last sync failed; what the operating
    /// system says.
    pub(crate) fn publish(self, name: &OsStr) -> Result<(), PlaceError> {
        let Self(staged) = self;
        let (directory, path) = (staged.directory, staged.directory.named(name)?);
        staged.expect_own(name)?;
        let published = match directory.handle.rename_new(&staged.name, name) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                directory.handle.link(&staged.name, name)
            }
            renamed => renamed,
        };
        match published {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(PlaceError::AlreadyExists { path });
            }
            published => {
                published.map_err(|source| PlaceError::refused("publish", &path, source))?;
            }
        }
        staged.settle(name)
    }

    /// Puts the file in the place of the one that was inspected, and syncs the
    /// directory.
    ///
    /// The two are exchanged and the displaced one compared. If it is not the one that
    /// was inspected, or was written to since, it gets its place back; unless another one
    /// stands there by then, which stays, and the displaced one keeps the temporary name.
    ///
    /// Where names cannot be exchanged, it is compared before, and what takes its place
    /// between that and the rename is lost.
    ///
    /// # Errors
    /// [`PlaceError::Changed`] if it is not the inspected one;
    /// [`PlaceError::NotDurable`] if only the last sync failed; what the operating
    /// system says.
    pub(crate) fn replace(self, name: &OsStr, inspected: &Stamp) -> Result<(), PlaceError> {
        let Self(staged) = self;
        let path = staged.directory.named(name)?;
        staged.expect_own(name)?;
        match staged.directory.handle.exchange(&staged.name, name) {
            Ok(()) => staged.keep_exchange(name, inspected)?,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                staged.replace_unless_changed(name, inspected)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(PlaceError::Changed { path });
            }
            Err(source) => return Err(PlaceError::refused("replace", &path, source)),
        }
        staged.settle(name)
    }
}

/// A file under a random name, which is taken from it when this is dropped.
#[derive(Debug)]
struct Temporary<'a> {
    directory: &'a Directory,
    file: File,
    name: OsString,
    identity: Identity,
}

impl Temporary<'_> {
    fn copied_to<'d>(&self, directory: &'d Directory) -> Result<Finished<'d>, PlaceError> {
        let mut copy = directory.create_staged()?;
        let from = self.directory.path().join(&self.name);
        let mut file = &self.file;
        let copied = file.rewind().and_then(|()| io::copy(&mut file, &mut copy));
        copied.map_err(|source| PlaceError::refused("copy", &from, source))?;
        copy.finish(status(&self.file, &from)?.mode)
    }

    /// The random name is still this file's, not one that somebody put there.
    fn expect_own(&self, name: &OsStr) -> Result<(), PlaceError> {
        if self.directory.has(&self.name, self.identity)? {
            Ok(())
        } else {
            Err(self.changed(name))
        }
    }

    /// After an exchange: removes the displaced file if it is the inspected one.
    fn keep_exchange(&self, name: &OsStr, inspected: &Stamp) -> Result<(), PlaceError> {
        match self.directory.status(&self.name) {
            Ok(Some(displaced)) if displaced.stamp == *inspected => {
                self.directory.remove(&self.name)
            }
            displaced => {
                self.undo_exchange(name)?;
                displaced?;
                Err(self.changed(name))
            }
        }
    }

    /// Exchanges again; once more if what stood at the name was something newer, which
    /// stays. What it displaced keeps the random name then.
    fn undo_exchange(&self, name: &OsStr) -> Result<(), PlaceError> {
        self.exchange_again(name)?;
        if !self.directory.has(&self.name, self.identity)? {
            self.exchange_again(name)?;
        }
        Ok(())
    }

    fn exchange_again(&self, name: &OsStr) -> Result<(), PlaceError> {
        let exchanged = self.directory.handle.exchange(&self.name, name);
        exchanged.map_err(|source| {
            PlaceError::refused("restore", &self.directory.path().join(name), source)
        })
    }

    fn replace_unless_changed(&self, name: &OsStr, inspected: &Stamp) -> Result<(), PlaceError> {
        let status = self.directory.status(name)?;
        if !status.is_some_and(|status| status.stamp == *inspected) {
            return Err(self.changed(name));
        }
        let renamed = self.directory.handle.rename(&self.name, name);
        renamed.map_err(|source| {
            PlaceError::refused("replace", &self.directory.path().join(name), source)
        })
    }

    /// The file has its place: nothing else may stand there.
    fn settle(self, name: &OsStr) -> Result<(), PlaceError> {
        if !self.directory.has(name, self.identity)? {
            return Err(self.changed(name));
        }
        // A hard link leaves the first name.
        self.discard();
        let synced = self.directory.handle.sync();
        synced.map_err(|source| PlaceError::NotDurable {
            path: self.directory.path().join(name),
            source,
        })
    }

    /// Takes the random name from the file, if it has it.
    fn discard(&self) {
        if let Ok(true) = self.directory.has(&self.name, self.identity) {
            // What stays is swept by the next one.
            self.directory.remove(&self.name).ok();
        }
    }

    fn changed(&self, name: &OsStr) -> PlaceError {
        PlaceError::Changed {
            path: self.directory.path().join(name),
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        self.discard();
    }
}

/// From the standard library's random keys, which no two hashers share.
fn random_name() -> OsString {
    let random = RandomState::new().build_hasher().finish();
    format!("{PREFIX}{random:016x}{SUFFIX}").into()
}

/// Whether a file of this name is one that is being written, or was left so.
pub(crate) fn is_staged(name: &OsStr) -> bool {
    let random = Path::new(name)
        .to_str()
        .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(is_digit))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::place::PlaceError;
    use crate::place::tests::{SYSTEMS, Scratch, finished};

    /// Somebody's file took the inspected one's place before the exchange, and a newer
    /// one the exchanged one's after it.
    #[test]
    fn what_came_after_the_exchange_stays() {
        let scratch = Scratch::new();
        let place = scratch.root().join("file");
        fs::write(&place, "inspected").unwrap();
        let root = scratch.opened(SYSTEMS[0]);
        let stamp = root.open_file("file".as_ref()).unwrap().unwrap().stamp();
        fs::write(&place, "older").unwrap();
        let staged = finished(&root, "ours").0;
        let exchanged = root.handle.exchange(&staged.name, "file".as_ref());
        exchanged.unwrap();
        fs::remove_file(&place).unwrap();
        fs::write(&place, "newer").unwrap();

        let told = scratch.told(staged.keep_exchange("file".as_ref(), &stamp));

        assert_eq!(told, "file changed meanwhile");
        assert_eq!(fs::read_to_string(&place).unwrap(), "newer");
    }

    /// Somebody's file took the place right after this one got it.
    #[test]
    fn a_file_that_lost_its_place_is_not_published() {
        let scratch = Scratch::new();
        let root = scratch.opened(SYSTEMS[0]);
        let staged = finished(&root, "ours").0;
        fs::write(scratch.root().join("file"), "newer").unwrap();

        let settled = staged.settle("file".as_ref());

        assert!(matches!(settled, Err(PlaceError::Changed { .. })));
        assert_eq!(scratch.tree(), ["file"]);
    }
}
