//! How a provider's transcripts lie in its home directory.

use serde::{Deserialize, Serialize};

/// How transcripts lie below a provider's home directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    tag = "kind"
)]
#[non_exhaustive]
pub enum TranscriptLayout {
    /// Rollouts: files that name the session in their file name and first
    /// record, searched below these directories in order.
    Rollouts {
        /// Such as `sessions`, `archived_sessions`.
        directories: Vec<String>,
        /// Directories with files that name a session before it has a rollout,
        /// such as `thread-writer-locks`.
        #[serde(default)]
        traces: Vec<String>,
    },
    /// One file a session, `<directory>/<slug of the cwd>/<subdirectory>/<id>.jsonl`.
    ProjectFiles {
        /// Such as `projects`.
        directory: String,
        /// Such as `chats`; absent where files lie in the slug's own directory.
        subdirectory: Option<String>,
    },
}
