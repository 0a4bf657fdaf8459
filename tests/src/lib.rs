//! Nothing but tests lives in this package; see `conformance.rs` and `integration/`.
