//! Tutti's own agent: known for its transcripts, which are Codex rollouts in a
//! home of another name. What else it speaks is not known, so nothing else is
//! said of it.

use cassette_format::descriptor::{
    Descriptor, Dialect, MessageFraming, TargetId, TranscriptLayout,
};
use cassette_format::schema::ProviderId;

use super::notation::texts;

/// The descriptor of `tutti-agent`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor {
        // Reference table, fork layouts.
        session_home: Some("tutti-agent-home".into()),
        // Reference table, fork layouts: "the same rollout layout" as Codex.
        transcripts: Some(TranscriptLayout::Rollouts {
            directories: texts(["sessions", "archived_sessions"]),
            // Captured: a lock of each thread that was loaded.
            traces: texts(["thread-writer-locks"]),
        }),
        ..Descriptor::new(
            // Reference table for the name. The reference records nothing of it:
            // target, framing and dialect follow Codex, whose rollouts it writes.
            ProviderId::from_recorded("tutti-agent"),
            TargetId::named("local:tutti-agent"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}
