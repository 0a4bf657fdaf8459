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
    fn home(&self, session: &AgentSessionId, home: &str) -> Result<PathBuf, StoreError>;
}

/// A home has no place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The state directory is blank or the root of the file system.
    #[error("state directory is blank or `/`")]
    NoStateDirectory,
    /// The session's name is no name of a directory.
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
}

/// Homes at `<state>/agent/runs/<session>/<home>`; characters of the session
/// outside `A-Z a-z 0-9 . _ -` stand as `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryStore {
    state: PathBuf,
}

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
    fn home(&self, session: &AgentSessionId, home: &str) -> Result<PathBuf, StoreError> {
        let kept = |byte: char| matches!(byte, 'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-');
        let name = session.trimmed();
        let name: String = name
            .chars()
            .map(|it| if kept(it) { it } else { '_' })
            .collect();
        if matches!(&*name, "" | "." | "..") {
            return Err(StoreError::Session {
                session: session.clone(),
            });
        }
        if matches!(home, "" | "." | "..") || !home.chars().all(kept) {
            return Err(StoreError::Home {
                home: home.to_owned(),
            });
        }
        Ok(self.state.join("agent").join("runs").join(name).join(home))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_sessions_name_no_directory_above() {
        let store = DirectoryStore::new("/state").unwrap();
        let home =
            |session: &str| store.home(&AgentSessionId::from_recorded(session), "codex-home");
        let session = AgentSessionId::from_recorded;
        assert_eq!(
            home(".."),
            Err(StoreError::Session {
                session: session("..")
            })
        );
        assert_eq!(
            home(" . "),
            Err(StoreError::Session {
                session: session(".")
            })
        );
        let inside = PathBuf::from("/state/agent/runs/.._.._etc/codex-home");
        assert_eq!(home("../../etc"), Ok(inside));
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
}
