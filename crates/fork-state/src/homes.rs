//! The two homes of a binding, open.

use std::path::PathBuf;
use std::time::Instant;

use crate::bind_error::BindError;
use crate::binder::{BindOptions, Writing};
use crate::place::{Directory, Lock};
use crate::runtime_store::HomePath;
use crate::search::Side;
use crate::stopped::Stopped;

/// The two homes of a binding.
#[derive(Debug)]
pub(crate) struct Homes {
    source: Option<Directory>,
    /// There is one where anything is written.
    target: Option<Directory>,
    source_path: PathBuf,
    /// Of the target, where anything is written; held as long as the binding takes.
    lock: Option<Lock>,
}

impl Homes {
    /// Opens both. Where anything is written the target's is made first, and
    /// locked against other bindings.
    pub(crate) fn open(
        (source, target): (&HomePath, &HomePath),
        writing: Writing<'_>,
        (options, stopped): (&BindOptions, &Stopped),
    ) -> Result<Self, BindError> {
        let source_path = source.path();
        let target = match writing {
            Writing::Nothing => open(target)?,
            Writing::Everything | Writing::Only(_) => Some(make(target)?),
        };
        let source = open(source)?;
        if let (Some(source), Some(target)) = (&source, &target)
            && source.is(target)?
        {
            return Err(BindError::SameHome { home: source_path });
        }
        let lock = match (writing, &target) {
            (Writing::Everything | Writing::Only(_), Some(home)) => {
                Some(locked(home, (options, stopped))?)
            }
            _ => None,
        };
        stopped.check()?;
        Ok(Self {
            source,
            target,
            source_path,
            lock,
        })
    }

    pub(crate) fn of(&self, side: Side) -> Option<&Directory> {
        match side {
            Side::Source => self.source.as_ref(),
            Side::Target => self.target.as_ref(),
        }
    }

    /// The target's, locked; none where nothing is written.
    pub(crate) fn locked_target(&self) -> Option<(&Directory, &Lock)> {
        self.target.as_ref().zip(self.lock.as_ref())
    }

    /// Where the source's home is, or would be.
    pub(crate) fn source_path(&self) -> &PathBuf {
        &self.source_path
    }
}

fn open(home: &HomePath) -> Result<Option<Directory>, BindError> {
    match Directory::anchor(&home.anchor)? {
        Some(anchor) if is_anchor(home) => Ok(Some(anchor)),
        Some(anchor) => Ok(anchor.open(&home.below)?),
        None => Ok(None),
    }
}

fn make(home: &HomePath) -> Result<Directory, BindError> {
    let anchor = Directory::make_anchor(&home.anchor)?;
    if is_anchor(home) {
        return Ok(anchor);
    }
    Ok(anchor.make(&home.below)?)
}

/// Locks the home, and removes what a binding left in it that was killed.
fn locked(
    home: &Directory,
    (options, stopped): (&BindOptions, &Stopped),
) -> Result<Lock, BindError> {
    let until = Instant::now() + options.lock_wait;
    let lock = home.lock(|| stopped.is_set() || Instant::now() >= until);
    stopped.check()?;
    let lock = lock?;
    home.sweep_staged(&lock)?;
    Ok(lock)
}

fn is_anchor(home: &HomePath) -> bool {
    home.below.as_os_str().is_empty()
}
