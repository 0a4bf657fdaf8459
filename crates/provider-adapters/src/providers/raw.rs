//! Any process: bytes as they are, nothing known of their meaning. So nothing
//! is made portable or refused but what the caller's own rules name, and a send
//! matches by its exact bytes.

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, TargetId};
use cassette_format::schema::ProviderId;

/// The descriptor of `raw`.
pub(super) fn descriptor() -> Descriptor {
    Descriptor::new(
        ProviderId::from_recorded("raw"),
        TargetId::named("local:raw"),
        MessageFraming::Raw,
        Dialect::Opaque,
    )
}
