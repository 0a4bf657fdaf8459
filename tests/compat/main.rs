//! Cassettes of every schema that was ever written are read, and today's recorder writes
//! today's schema byte for byte.
//!
//! `tests/golden/schema-N/NAME` is a cassette as it was written when schema `N` was new. It
//! is never written anew: `tests/golden/SHA256SUMS` holds what it was. What reading it gives
//! is in the snapshots. A new scene gets its files with `NEW_GOLDEN=1`, which touches nothing
//! that is there.
#![cfg(test)]

mod frozen;
mod golden;
mod reading;
mod scene;
mod scenes;
mod writing;
