//! Tutti's own agent: known for its transcripts, which are Codex rollouts in a
//! home of another name. Values from the reference's descriptor table.

use cassette_format::descriptor::{
    Descriptor, Dialect, MessageFraming, TargetId, TranscriptLayout,
};
use cassette_format::schema::ProviderId;

/// The descriptor of `tutti-agent`.
pub(crate) fn descriptor() -> Descriptor {
    Descriptor {
        session_home: Some("tutti-agent-home".into()),
        transcripts: Some(TranscriptLayout::Rollouts {
            directories: vec!["sessions".into(), "archived_sessions".into()],
        }),
        ..Descriptor::new(
            ProviderId::from_recorded("tutti-agent"),
            TargetId::named("local:tutti-agent"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}
