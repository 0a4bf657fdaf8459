//! What a binding is asked for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use cassette_format::descriptor::TranscriptLayout;
use cassette_format::schema::{AgentSessionId, BlankIdentity, ProviderId};

/// The provider's own name of one of its sessions, such as a thread id.
/// Compares after trimming.
#[derive(Debug, Clone)]
pub struct ProviderSessionId(String);

impl ProviderSessionId {
    /// The identity as it comes from a host; any text is taken.
    pub fn from_recorded(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text without white space around it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.trim()
    }
}

impl PartialEq for ProviderSessionId {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ProviderSessionId {}

impl fmt::Display for ProviderSessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A request that no binding can be made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// A part of it is blank.
    #[error("{part} of the fork is blank")]
    Blank {
        /// Which part.
        part: &'static str,
    },
    /// Source and target are the same.
    #[error("source and target have the same {part}")]
    Same {
        /// Which part.
        part: &'static str,
    },
    /// The provider names transcripts by their sessions, and this session's name
    /// is no name of a file: it has a separator or NUL, is `.` or `..`, or is
    /// longer than 200 bytes.
    #[error("{part} cannot name a file")]
    NotAFileName {
        /// Which part.
        part: &'static str,
    },
    /// The provider keeps transcripts by the directories that their sessions work
    /// in, and the target's is missing or not absolute.
    #[error("the target's working directory must be given, as an absolute path")]
    TargetCwd,
}

/// How long the name of a session may be that names a file, in bytes.
const LONGEST_NAME: usize = 200;

impl FromStr for ProviderSessionId {
    type Err = BlankIdentity;

    fn from_str(text: &str) -> Result<Self, BlankIdentity> {
        let session: AgentSessionId = text.parse()?;
        Ok(Self(session.as_str().to_owned()))
    }
}

/// Which transcript is to be brought where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkRequest {
    /// The kind of agent.
    pub provider: ProviderId,
    /// The host's workspace.
    pub workspace: String,
    /// The host's session that was forked.
    pub source_session: AgentSessionId,
    /// The host's session that came of it.
    pub target_session: AgentSessionId,
    /// The provider's session that was forked.
    pub source_provider_session: ProviderSessionId,
    /// The provider's session that came of it.
    pub target_provider_session: ProviderSessionId,
    /// The directory that the target works in, where the layout needs it.
    pub target_cwd: Option<PathBuf>,
}

impl ForkRequest {
    /// Checks that every identity is filled and that source and target differ.
    ///
    /// # Errors
    /// See [`RequestError`]; the first part that is wrong.
    pub fn check(&self) -> Result<(), RequestError> {
        let parts = [
            ("provider", self.provider.is_blank()),
            ("workspace", self.workspace.trim().is_empty()),
            ("source session", self.source_session.is_blank()),
            ("target session", self.target_session.is_blank()),
            (
                "source provider session",
                self.source_provider_session.as_str().is_empty(),
            ),
            (
                "target provider session",
                self.target_provider_session.as_str().is_empty(),
            ),
        ];
        if let Some((part, _)) = parts.into_iter().find(|(_, blank)| *blank) {
            return Err(RequestError::Blank { part });
        }
        if self.source_session == self.target_session {
            return Err(RequestError::Same { part: "session" });
        }
        if self.source_provider_session == self.target_provider_session {
            return Err(RequestError::Same {
                part: "provider session",
            });
        }
        Ok(())
    }

    /// [`check`](Self::check), and what this layout asks for besides.
    pub(crate) fn check_for(&self, layout: &TranscriptLayout) -> Result<(), RequestError> {
        self.check()?;
        let TranscriptLayout::ProjectFiles { .. } = layout else {
            return Ok(());
        };
        let name = self.target_provider_session.as_str();
        let is_hostile = matches!(name, "." | "..") || name.contains(['/', '\\', '\0']);
        if is_hostile || name.len() > LONGEST_NAME {
            return Err(RequestError::NotAFileName {
                part: "target provider session",
            });
        }
        if !self
            .target_cwd
            .as_ref()
            .is_some_and(|cwd| cwd.is_absolute())
        {
            return Err(RequestError::TargetCwd);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ForkRequest {
        ForkRequest {
            provider: ProviderId::from_recorded("codex"),
            workspace: "w".into(),
            source_session: AgentSessionId::from_recorded("source"),
            target_session: AgentSessionId::from_recorded("target"),
            source_provider_session: "thread-1".parse().unwrap(),
            target_provider_session: "thread-2".parse().unwrap(),
            target_cwd: None,
        }
    }

    #[test]
    fn blank_parts_are_refused_by_name() {
        let mut blank = request();
        blank.workspace = " \t".into();
        assert_eq!(
            blank.check(),
            Err(RequestError::Blank { part: "workspace" })
        );
        assert_eq!(request().check(), Ok(()));
    }

    #[test]
    fn a_session_that_names_a_file_is_no_path_and_has_a_directory_to_work_in() {
        let layout = TranscriptLayout::ProjectFiles {
            directory: "projects".into(),
            subdirectory: None,
        };
        for hostile in ["..", "../x", "a/b", "a\\b", "a\0", &"x".repeat(4096)] {
            let mut named = request();
            named.target_provider_session = hostile.parse().unwrap();
            let refused = Err(RequestError::NotAFileName {
                part: "target provider session",
            });
            assert_eq!(named.check_for(&layout), refused, "{hostile}");
            assert_eq!(named.check(), Ok(()), "{hostile}");
        }
        for cwd in [None, Some("work")] {
            let mut placed = request();
            placed.target_cwd = cwd.map(PathBuf::from);
            assert_eq!(placed.check_for(&layout), Err(RequestError::TargetCwd));
        }
        let mut whole = request();
        whole.target_cwd = Some("/work".into());
        assert_eq!(whole.check_for(&layout), Ok(()));
    }

    #[test]
    fn identities_that_are_equal_after_trimming_are_the_same() {
        let mut same = request();
        same.target_session = AgentSessionId::from_recorded(" source ");
        assert_eq!(same.check(), Err(RequestError::Same { part: "session" }));
        let mut same = request();
        same.target_provider_session = "thread-1\n".parse().unwrap();
        assert_eq!(
            same.check(),
            Err(RequestError::Same {
                part: "provider session"
            })
        );
    }
}
