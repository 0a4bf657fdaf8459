//! Replay a cassette deterministically, without the agent.
//!
//! A [`Player`] stands where the host's transport stood: it is made from a
//! verified [`Tape`](cassette_format::store::Tape), answers launches from the
//! recorded connections, delivers what the agent said, and compares what the
//! host sends with what was sent then.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! use cassette_format::descriptor::Registry;
//! use cassette_format::process::SessionContext;
//! use cassette_format::store::{ReadOptions, Tape};
//! use cassette_replay::{PlayOptions, Player};
//!
//! # let scratch = tempfile::tempdir()?;
//! # let dir = cassette_format::store::CassetteDir::new(scratch.path().join("tape"));
//! # drop(dir.create_frames()?);
//! # let mut manifest = cassette_format::schema::Manifest::incomplete(Default::default());
//! # manifest.status = cassette_format::schema::CassetteStatus::Complete;
//! # manifest.frames_sha256 = cassette_format::schema::FramesDigest::from_recorded(
//! #     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
//! # );
//! # cassette_format::store::replace_manifest(&dir, &manifest)?;
//! # let registry = Registry::new();
//! let tape = Tape::open(dir.path(), &ReadOptions::default())?;
//! let player = Player::new(tape, registry, PlayOptions::default())?;
//! let session = SessionContext::new("codex".parse()?, "session-1".parse()?);
//! assert!(player.connect(session).is_err(), "this tape has no connection");
//! player.verify_complete()?;
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
#![forbid(unsafe_code)]

mod barrier;
mod clock;
mod connection;
mod conversation;
mod expected;
mod inbound;
mod input;
mod launch;
pub mod matching;
mod mismatch;
mod optional;
mod options;
mod places;
mod playback;
mod player;
mod probes;
mod raw_input;
mod recorded_probes;
mod report;
mod script;
mod session_player;
mod side;
mod stage;
mod sync;

pub use launch::ConnectError;
pub use mismatch::{BytesMismatch, Elsewhere, MessagePlace, Mismatch, PlayError};
pub use options::{Pace, PlayOptions, PlayerError};
pub use playback::Playback;
pub use player::{IncompleteError, Player, ProgressError};
pub use session_player::{
    NotRegistered, Registration, RegistrationError, SessionPlayer, SessionsIncomplete,
};
