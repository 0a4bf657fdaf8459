//! Why a binding was not made. The transcripts of the target are as they were
//! then.

use std::path::PathBuf;

use crate::chain_error::ChainError;
use crate::inspect::{ContentError, Damage};
use crate::place::PlaceError;
use crate::request::{ProviderSessionId, RequestError};
use crate::runtime_store::StoreError;

/// Why a binding was not made. The transcripts of the target are as they were
/// then; directories may have been made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// It was called off.
    #[error("the binding was called off")]
    Cancelled,
    /// The request cannot be met.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A home has no place.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Both sessions have the same home: their names differ only in characters
    /// that the store replaces, or two paths lead to one directory.
    #[error("source and target have the same home {}", .home.display())]
    SameHome {
        /// The home.
        home: PathBuf,
    },
    /// A directory or a file is not what it must be, or cannot be used.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Directories lie in each other more than 16 deep.
    #[error("{} is too deep", .path.display())]
    TooDeep {
        /// The directory.
        path: PathBuf,
    },
    /// A transcript cannot be read.
    #[error("cannot read {}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: ContentError,
    },
    /// A copy of a transcript cannot be written.
    #[error("cannot write a copy of {}", .path.display())]
    Write {
        /// The transcript in the source.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// A file has more than one name, or belongs to somebody else than its home:
    /// it may be another one than it seems.
    #[error("{} is not the session's own: {why}", .path.display())]
    NotOwn {
        /// The file.
        path: PathBuf,
        /// Hard links, or its owner.
        why: &'static str,
    },
    /// Two files hold the session.
    #[error("session `{session}` has two transcripts, {} and {}", .first.display(), .second.display())]
    Ambiguous {
        /// The provider's session.
        session: ProviderSessionId,
        /// One file.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// A plain and a compressed file hold the session, and the plain one does not
    /// begin with what the other one holds.
    #[error("{} does not begin with what {} holds", .plain.display(), .compressed.display())]
    Contradiction {
        /// The plain file.
        plain: PathBuf,
        /// The compressed one.
        compressed: PathBuf,
    },
    /// Neither home has the session's transcript.
    #[error("no transcript of session `{session}` below {}", .home.display())]
    NotFound {
        /// The provider's session.
        session: ProviderSessionId,
        /// The source's home.
        home: PathBuf,
    },
    /// The source has no home, and the target no sound transcript.
    #[error("the source's home {} does not exist", .home.display())]
    SourceMissing {
        /// The source's home.
        home: PathBuf,
    },
    /// The target's transcript is damaged, and the source has none.
    #[error("{} is damaged, and the source has no transcript{}", .path.display(), told(.damage))]
    DamagedTarget {
        /// The file in the target.
        path: PathBuf,
        /// The first damage that was found.
        damage: Option<Damage>,
    },
    /// The source's transcript is damaged.
    #[error("{} is damaged{}", .path.display(), told(.damage))]
    DamagedSource {
        /// The file.
        path: PathBuf,
        /// The first damage that was found.
        damage: Option<Damage>,
    },
    /// A file in the target has the session's name, and is damaged where it would
    /// say whose it is.
    #[error("{} is damaged where it would say whose it is{}", .path.display(), told(.damage))]
    DamagedUnverifiable {
        /// The file.
        path: PathBuf,
        /// The damage.
        damage: Option<Damage>,
    },
    /// The target's transcript is damaged, and is no beginning of the source's.
    #[error("{} is damaged and no beginning of the source's{}", .path.display(), told(.damage))]
    DamagedDiverged {
        /// The file in the target.
        path: PathBuf,
        /// The first damage that was found.
        damage: Option<Damage>,
    },
    /// The target's transcript and the source's go different ways.
    #[error("{} and {} go different ways", .target.display(), .source_file.display())]
    Diverged {
        /// The file in the target.
        target: PathBuf,
        /// The file in the source.
        source_file: PathBuf,
    },
    /// A file changed while it was read: something writes to it.
    #[error("{} changed while it was read", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The transcripts that the fork refers to are not whole.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The homes are not as they were when the plan was made.
    #[error("the homes have changed since the plan was made")]
    Outdated,
}

fn told(damage: &Option<Damage>) -> String {
    damage
        .as_ref()
        .map_or_else(String::new, |damage| format!(": {damage}"))
}
