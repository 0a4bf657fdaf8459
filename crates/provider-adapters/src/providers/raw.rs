//! Any process: bytes as they are, nothing known of their meaning.

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, TargetId};
use cassette_format::schema::ProviderId;

/// The descriptor of `raw`.
pub(crate) fn descriptor() -> Descriptor {
    Descriptor::new(
        ProviderId::from_recorded("raw"),
        TargetId::named("local:raw"),
        MessageFraming::Raw,
        Dialect::Opaque,
    )
}
