//! Nothing: this package exists for the dependency in its manifest, see `cargo xtask ci`.
#![forbid(unsafe_code)]
