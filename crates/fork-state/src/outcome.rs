//! What a binding came to.

/// What a binding came to. Every one of them leaves the target home sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The target had exactly this transcript.
    AlreadyBound,
    /// The target's transcript begins with the source's and goes on.
    TargetAhead,
    /// The transcript was copied.
    Copied,
    /// The target had a beginning of the transcript, which was replaced.
    Repaired,
    /// The source has it no more; the target's is sound.
    SourceGone,
    /// The provider has not written one yet.
    NoRolloutYet,
    /// Nothing is known of this provider's transcripts.
    Unsupported,
}
