//! Where a host keeps the homes of its sessions.

use std::path::{Path, PathBuf};

use cassette_format::schema::AgentSessionId;

/// Where a host keeps the homes of its sessions. A host with another layout
/// than [`DirectoryStore`]'s brings its own.
pub trait RuntimeStore {
    /// The home of `session`, by the name that the provider's descriptor gives
    /// it.
    ///
    /// # Errors
    /// See [`StoreError`].
    fn home(&self, session: &AgentSessionId, home: &str) -> Result<HomePath, StoreError>;
}

/// Where a home lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomePath {
    /// A directory that the host vouches for. Links on the way to it are
    /// followed, once.
    pub anchor: PathBuf,
    /// The home below it, of which no segment may be a link. Empty where the
    /// anchor is the home.
    pub below: PathBuf,
}

impl HomePath {
    /// The whole path.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        if self.below.as_os_str().is_empty() {
            return self.anchor.clone();
        }
        self.anchor.join(&self.below)
    }
}

/// A home has no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The state directory is blank or the root of the file system.
    #[error("state directory is blank or `/`")]
    NoStateDirectory,
    /// The session's name is no name of a directory: `.`, `..`, or longer than
    /// 255 bytes.
    #[error("session `{session}` cannot name a directory")]
    Session {
        /// The session.
        session: AgentSessionId,
    },
    /// The home's name is no name of a directory.
    #[error("`{home}` cannot name a home directory")]
    Home {
        /// The name.
        home: String,
    },
    /// The store has no home of this session.
    #[error("no home is known of session `{session}`")]
    UnknownSession {
        /// The session.
        session: AgentSessionId,
    },
}

/// Homes at `<state>/agent/runs/<session>/<home>`; characters of the session
/// outside `A-Z a-z 0-9 . _ -` stand as `_`. The state directory is the anchor
/// of all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryStore {
    state: PathBuf,
}

/// How long the name of a directory may be, in bytes (`NAME_MAX` of the file
/// systems in use).
const LONGEST_NAME: usize = 255;

impl DirectoryStore {
    /// The store in the directory `state`.
    ///
    /// # Errors
    /// A blank path, or the root of the file system.
    pub fn new(state: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let state = state.into();
        let blank = state.to_string_lossy().trim().is_empty();
        if blank || (state.has_root() && state.parent().is_none()) {
            return Err(StoreError::NoStateDirectory);
        }
        Ok(Self { state })
    }

    /// The state directory.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }
}

impl RuntimeStore for DirectoryStore {
    fn home(&self, session: &AgentSessionId, home: &str) -> Result<HomePath, StoreError> {
        let kept = |byte: char| matches!(byte, 'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-');
        let name = session.trimmed();
        let name: String = name
            .chars()
            .map(|it| if kept(it) { it } else { '_' })
            .collect();
        if matches!(&*name, "" | "." | "..") || name.len() > LONGEST_NAME {
            return Err(StoreError::Session {
                session: session.clone(),
            });
        }
        if matches!(home, "" | "." | "..") || !home.chars().all(kept) {
            return Err(StoreError::Home {
                home: home.to_owned(),
            });
        }
        Ok(HomePath {
            anchor: self.state.clone(),
            below: Path::new("agent").join("runs").join(name).join(home),
        })
    }
}

/// Two homes that are known by their paths, such as a user's own and a fresh
/// one. Each is its own anchor, and the name that the provider's descriptor
/// gives to homes is not asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenHomes {
    homes: Vec<(AgentSessionId, PathBuf)>,
}

impl GivenHomes {
    /// A store of these homes.
    #[must_use]
    pub fn new(homes: impl IntoIterator<Item = (AgentSessionId, PathBuf)>) -> Self {
        Self {
            homes: homes.into_iter().collect(),
        }
    }
}

impl RuntimeStore for GivenHomes {
    fn home(&self, session: &AgentSessionId, _home: &str) -> Result<HomePath, StoreError> {
        let mut homes = self.homes.iter();
        let found = homes.find(|(of, _)| of == session);
        let (_, path) = found.ok_or_else(|| StoreError::UnknownSession {
            session: session.clone(),
        })?;
        Ok(HomePath {
            anchor: path.clone(),
            below: PathBuf::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_sessions_name_no_directory_above() {
        let store = DirectoryStore::new("/state").unwrap();
        let home = |session: &str| {
            let session = AgentSessionId::from_recorded(session);
            Ok(store.home(&session, "codex-home")?.path())
        };
        let refused = |name: &str| {
            let session = AgentSessionId::from_recorded(name);
            Err(StoreError::Session { session })
        };
        assert_eq!(home(".."), refused(".."));
        assert_eq!(home(" . "), refused(" . "));
        let long = "x".repeat(4096);
        assert_eq!(home(&long), refused(&long));
        let inside = PathBuf::from("/state/agent/runs/.._.._etc/codex-home");
        assert_eq!(home("../../etc"), Ok(inside));
        let inside = PathBuf::from("/state/agent/runs/a_b/codex-home");
        assert_eq!(home("a\0b"), Ok(inside));
    }

    #[test]
    fn a_blank_or_root_state_directory_is_refused() {
        for state in ["", "  ", "/", "//"] {
            assert_eq!(
                DirectoryStore::new(state),
                Err(StoreError::NoStateDirectory),
                "{state:?}"
            );
        }
    }

    #[test]
    fn given_homes_are_those_of_their_sessions() {
        let session = AgentSessionId::from_recorded;
        let store = GivenHomes::new([(session("a"), PathBuf::from("/home/ada/.codex"))]);
        let home = store.home(&session(" a "), "codex-home").unwrap();
        assert_eq!(home.path(), PathBuf::from("/home/ada/.codex"));
        assert_eq!(
            store.home(&session("b"), "codex-home"),
            Err(StoreError::UnknownSession {
                session: session("b")
            })
        );
    }
}
