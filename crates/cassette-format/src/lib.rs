//! The cassette on disk, its schema and store, and the traits that every part
//! of cassette shares.
//!
//! Where to begin: [`store::Tape::open`] loads and verifies a cassette;
//! [`process::ProcessTransport`] and [`process::ProcessConnection`] are what
//! recorders, players and process runners have in common;
//! [`process::MemoryTransport`] is a scripted agent for tests;
//! [`descriptor::Registry`] knows the providers.
//!
//! ```
//! use cassette_format::schema::{CassetteStatus, FramesDigest, Manifest, TapeLimits};
//! use cassette_format::store::{CassetteDir, ReadOptions, Tape, replace_manifest};
//!
//! # let scratch = tempfile::tempdir()?;
//! let dir = CassetteDir::new(scratch.path().join("empty.cassette"));
//! drop(dir.create_frames()?);
//! let mut manifest = Manifest::incomplete(TapeLimits::default());
//! manifest.status = CassetteStatus::Complete;
//! manifest.frames_sha256 = FramesDigest::from_recorded(
//!     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
//! );
//! replace_manifest(&dir, &manifest)?;
//!
//! let tape = Tape::open(dir.path(), &ReadOptions::default())?;
//! for chunk in tape.chunks() {
//!     println!("{} {} {:?}", chunk.elapsed(), chunk.kind(), chunk.data());
//! }
//! assert_eq!(tape.manifest(), &manifest);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod descriptor;
pub mod json;
pub mod portable;
pub mod process;
pub mod schema;
pub mod store;
pub mod summary;
mod sys;
