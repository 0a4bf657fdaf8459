//! Finding a session's transcript below a home. What it holds is looked at only
//! as far as it says whose it is.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cassette_format::descriptor::TranscriptLayout;

use crate::bind_error::BindError;
use crate::candidate::{Candidate, Reading};
use crate::inspect::{Encoding, Identity};
use crate::place::{Directory, Kind, is_staged};

/// How deep directories may lie in each other below those of a layout.
const DEEPEST: usize = 16;

/// Which side of a fork a home is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Source,
    Target,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) home: &'a Directory,
    pub(crate) layout: &'a TranscriptLayout,
    pub(crate) reading: Reading<'a>,
    pub(crate) side: Side,
}

/// What is there of a session.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) transcript: Option<Candidate>,
    /// A file that has the session's name and cannot be told whose it is.
    pub(crate) unknown: Option<Candidate>,
}

impl Search<'_> {
    pub(crate) fn run(self) -> Result<Found, BindError> {
        let mut matches = Vec::new();
        let mut found = Found::default();
        match self.layout {
            TranscriptLayout::Rollouts { directories, .. } => {
                for name in directories {
                    let path = Path::new(name);
                    if let Some(directory) = self.home.open_if_directory(path)? {
                        self.rollouts((&directory, path, 0), &mut |candidate| {
                            match candidate.identity(self.reading)? {
                                Identity::This => matches.push(candidate),
                                Identity::Other => {}
                                Identity::Unknown => {
                                    found.unknown.get_or_insert(candidate);
                                }
                            }
                            Ok(())
                        })?;
                    }
                }
            }
            TranscriptLayout::ProjectFiles {
                directory,
                subdirectory,
            } => {
                let place = (directory.as_str(), subdirectory.as_deref());
                self.project_files(place, &mut matches)?;
            }
            _ => {}
        }
        found.transcript = self.one_of(matches)?;
        Ok(found)
    }

    /// All files below the directory that have the session in their names.
    fn rollouts(
        &self,
        (directory, path, depth): (&Directory, &Path, usize),
        take: &mut dyn FnMut(Candidate) -> Result<(), BindError>,
    ) -> Result<(), BindError> {
        if depth > DEEPEST {
            return Err(BindError::TooDeep {
                path: self.home.path().join(path),
            });
        }
        for entry in directory.entries()? {
            self.reading.stopped.check()?;
            let path = path.join(&entry.name);
            match entry.kind {
                Kind::Link => {}
                Kind::Directory => {
                    if let Some(below) = directory.open(Path::new(&entry.name))? {
                        self.rollouts((&below, &path, depth + 1), take)?;
                    }
                }
                Kind::File if is_staged(&entry.name) => {}
                Kind::File | Kind::Other => {
                    if is_in(self.reading.session.as_str(), &entry.name)
                        && let Some(candidate) = self.candidate(directory, path, &entry.name)?
                    {
                        take(candidate)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The session's files in the directories of all projects.
    fn project_files(
        &self,
        (directory, subdirectory): (&str, Option<&str>),
        matches: &mut Vec<Candidate>,
    ) -> Result<(), BindError> {
        let Some(projects) = self.home.open_if_directory(Path::new(directory))? else {
            return Ok(());
        };
        let name = OsString::from(format!("{}.jsonl", self.reading.session));
        for entry in projects.entries()? {
            self.reading.stopped.check()?;
            let Some(mut project) = projects.open_if_directory(Path::new(&entry.name))? else {
                continue;
            };
            let mut path = Path::new(directory).join(&entry.name);
            if let Some(subdirectory) = subdirectory {
                path.push(subdirectory);
                match project.open_if_directory(Path::new(subdirectory))? {
                    Some(below) => project = below,
                    None => continue,
                }
            }
            path.push(&name);
            if let Some(candidate) = self.candidate(&project, path, &name)? {
                matches.push(candidate);
            }
        }
        Ok(())
    }

    fn candidate(
        &self,
        directory: &Directory,
        path: PathBuf,
        name: &OsStr,
    ) -> Result<Option<Candidate>, BindError> {
        let Some(file) = directory.open_file(name)? else {
            return Ok(None);
        };
        let candidate = Candidate::new(path, file);
        if self.side == Side::Source {
            candidate.check_names()?;
        }
        candidate.check_owner(self.home)?;
        Ok(Some(candidate))
    }

    /// The only match, or of a plain and a compressed one beside each other the
    /// plain one, if it goes on where the other ends.
    fn one_of(&self, matches: Vec<Candidate>) -> Result<Option<Candidate>, BindError> {
        let mut matches = matches.into_iter();
        let Some(first) = matches.next() else {
            return Ok(None);
        };
        let Some(second) = matches.next() else {
            return Ok(Some(first));
        };
        let ambiguous = |first: &Candidate, second: &Candidate| BindError::Ambiguous {
            session: self.reading.session.clone(),
            first: first.path(),
            second: second.path(),
        };
        if matches.next().is_some() || !first.is_beside(&second) {
            return Err(ambiguous(&first, &second));
        }
        let (plain, compressed) = match first.encoding() {
            Encoding::Plain => (first, second),
            Encoding::Zstd => (second, first),
        };
        if plain.extends(&compressed, self.reading)? {
            Ok(Some(plain))
        } else {
            Err(BindError::Contradiction {
                plain: plain.path(),
                compressed: compressed.path(),
            })
        }
    }
}

fn is_in(session: &str, name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let mut windows = name.windows(session.len().max(1));
    windows.any(|window| window == session.as_bytes())
}
