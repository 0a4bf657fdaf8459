//! Fuzz targets: what must hold for any bytes.
//!
//! Each target is a function of bytes that panics where a claim does not hold. The binaries of
//! `fuzz_targets` give it to libFuzzer (`cargo xtask fuzz`), and an ordinary test runs it over
//! the committed corpus. `docs/proof.md` says what each one claims.
#![forbid(unsafe_code)]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a target tells of a broken claim by panicking"
)]

mod cuts;
mod descriptor_file;
mod frame_line;
mod framers;
mod manifest;
mod plain;
mod player;
mod projection;
mod recover;
mod rollout;
mod scanner;
mod script;
mod tape;
mod target;
mod zst;

pub use descriptor_file::descriptor_file;
pub use frame_line::frame_line;
pub use framers::framers;
pub use manifest::manifest;
pub use player::player;
pub use projection::projection;
pub use recover::recover;
pub use rollout::rollout;
pub use scanner::scanner;
pub use target::{TARGETS, Target};
pub use zst::zst;
