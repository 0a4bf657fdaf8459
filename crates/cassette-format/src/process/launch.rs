//! What a transport is told to start, and for whom.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use super::Inheritance;
use crate::schema::{AgentSessionId, ProviderId};

/// A process and, for recording and replaying, the conversation it serves.
#[derive(Debug, Clone)]
pub struct Launch {
    /// What is run.
    pub spec: LaunchSpec,
    /// Whom it serves. A host that only runs processes leaves it out; a
    /// recorder or player refuses such a launch.
    pub session: Option<SessionContext>,
}

impl Launch {
    /// A launch that serves `session`.
    #[must_use]
    pub const fn for_session(spec: LaunchSpec, session: SessionContext) -> Self {
        Self {
            spec,
            session: Some(session),
        }
    }

    /// The directory that stands for "here" in the protocol: the session's
    /// protocol cwd, else the process's cwd; trimmed, `None` when blank.
    #[must_use]
    pub fn protocol_cwd(&self) -> Option<String> {
        let protocol = self
            .session
            .as_ref()
            .and_then(|session| session.protocol_cwd.clone());
        let process = || {
            self.spec
                .cwd
                .as_ref()
                .map(|cwd| cwd.to_string_lossy().into_owned())
        };
        let filled = |text: &String| !text.trim().is_empty();
        protocol
            .filter(filled)
            .or_else(|| process().filter(filled))
            .map(|cwd| cwd.trim().to_owned())
    }
}

impl From<LaunchSpec> for Launch {
    fn from(spec: LaunchSpec) -> Self {
        Self {
            spec,
            session: None,
        }
    }
}

/// A command with its directory and environment. `Debug` shows the names of
/// variables, never their values.
#[derive(Clone, Default)]
pub struct LaunchSpec {
    /// The command and its arguments. A transport that runs processes refuses
    /// an empty list or an empty command.
    pub argv: Vec<OsString>,
    /// The working directory; the host's when absent or blank.
    pub cwd: Option<PathBuf>,
    /// Variables to set, in order; the last value of a name wins.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether the host's own variables come first.
    pub inheritance: Inheritance,
    /// The bytes that must run, if only those may.
    pub executable: Option<ExecutableIdentity>,
    /// Files with secrets that the process should inherit open. Only a
    /// transport made for it accepts any.
    pub sensitive_inherited_files: Vec<PathBuf>,
}

impl LaunchSpec {
    /// A launch of `argv` in the host's directory and environment.
    pub fn new<A: Into<OsString>>(argv: impl IntoIterator<Item = A>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// In this directory.
    #[must_use]
    pub fn in_directory(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// With this variable.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for LaunchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsStr> = self
            .environment
            .iter()
            .map(|(name, _)| name.as_os_str())
            .collect();
        f.debug_struct("LaunchSpec")
            .field("argv", &self.argv)
            .field("cwd", &self.cwd)
            .field("environment", &names)
            .field("inheritance", &self.inheritance)
            .field("executable", &self.executable)
            .field("sensitive_inherited_files", &self.sensitive_inherited_files)
            .finish()
    }
}

/// The conversation that a process serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionContext {
    /// The kind of agent.
    pub provider: ProviderId,
    /// The host's conversation.
    pub agent_session: AgentSessionId,
    /// The top of its tree; itself when absent or blank.
    pub root_session: Option<AgentSessionId>,
    /// The directory the protocol speaks of, where it differs from the
    /// process's own.
    pub protocol_cwd: Option<String>,
    /// Further directories that are personal, beyond those the environment names.
    pub home_roots: Vec<String>,
    /// Further directories that stand for the working directory.
    pub cwd_roots: Vec<String>,
}

impl SessionContext {
    /// A conversation at the top of its tree.
    #[must_use]
    pub const fn new(provider: ProviderId, agent_session: AgentSessionId) -> Self {
        Self {
            provider,
            agent_session,
            root_session: None,
            protocol_cwd: None,
            home_roots: Vec::new(),
            cwd_roots: Vec::new(),
        }
    }

    /// The top of the tree: `root_session`, or the session itself when that is
    /// absent or blank.
    #[must_use]
    pub fn root(&self) -> &AgentSessionId {
        self.root_session
            .as_ref()
            .filter(|root| !root.is_blank())
            .unwrap_or(&self.agent_session)
    }
}

/// A size and digest are no identity of an executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIdentity {
    /// The size is 0.
    #[error("executable identity has size 0")]
    EmptyFile,
    /// The digest is not 64 lower-case hexadecimal digits.
    #[error("executable identity needs 64 lower-case hexadecimal digits")]
    Digest,
}

/// The bytes of an executable: their number and SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutableIdentity {
    size: u64,
    sha256: String,
}

impl ExecutableIdentity {
    /// The identity of `size` bytes with this digest.
    ///
    /// # Errors
    /// A size of 0; a digest that is not 64 lower-case hexadecimal digits.
    pub fn new(size: u64, sha256: impl Into<String>) -> Result<Self, InvalidIdentity> {
        let sha256 = sha256.into();
        if size == 0 {
            return Err(InvalidIdentity::EmptyFile);
        }
        let lower_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if sha256.len() != 64 || !sha256.bytes().all(lower_hex) {
            return Err(InvalidIdentity::Digest);
        }
        Ok(Self { size, sha256 })
    }

    /// The size in bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The SHA-256, 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_root_is_the_session_itself() {
        let mut session = SessionContext::new(
            ProviderId::from_recorded("codex"),
            AgentSessionId::from_recorded("child"),
        );
        assert_eq!(session.root().as_str(), "child");
        session.root_session = Some(AgentSessionId::from_recorded("  "));
        assert_eq!(session.root().as_str(), "child");
        session.root_session = Some(AgentSessionId::from_recorded("top"));
        assert_eq!(session.root().as_str(), "top");
    }

    #[test]
    fn a_blank_protocol_cwd_falls_back_to_the_process() {
        let mut session = SessionContext::new(
            ProviderId::from_recorded("codex"),
            AgentSessionId::from_recorded("s"),
        );
        session.protocol_cwd = Some(" \t".into());
        let mut launch = Launch::for_session(LaunchSpec::new(["a"]).in_directory(" /w "), session);
        assert_eq!(launch.protocol_cwd().as_deref(), Some("/w"));
        launch.spec.cwd = Some(PathBuf::new());
        assert_eq!(launch.protocol_cwd(), None);
    }

    #[test]
    fn debug_output_of_a_launch_never_shows_a_value() {
        let spec = LaunchSpec::new(["agent"]).with_variable("TOKEN", "hush-hush");
        let shown = format!("{spec:?}");
        assert!(
            shown.contains("TOKEN") && !shown.contains("hush"),
            "{shown}"
        );
    }

    #[test]
    fn upper_case_digests_are_no_identity() {
        assert_eq!(
            ExecutableIdentity::new(1, "A".repeat(64)),
            Err(InvalidIdentity::Digest)
        );
        assert_eq!(
            ExecutableIdentity::new(0, "a".repeat(64)),
            Err(InvalidIdentity::EmptyFile)
        );
        assert!(ExecutableIdentity::new(1, "a".repeat(64)).is_ok());
    }
}
