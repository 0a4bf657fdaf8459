//! Record what a coding-agent process and its host say to each other into a
//! cassette on disk.
//!
//! A [`Recorder`] owns the cassette while it is written. Traffic comes in by
//! wrapping a transport ([`Recorder::wrap`]) or by tapping a connection of the
//! host's own ([`Recorder::tap`]). Live bytes are never changed.
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use cassette_format::process::{
//!     Launch, LaunchSpec, MemoryTransport, ProcessTransport, Script, SessionContext,
//! };
//! use cassette_record::{RecordOptions, Recorder};
//!
//! # let scratch = tempfile::tempdir()?;
//! # let dir = scratch.path().join("tape");
//! # let mut registry = cassette_format::descriptor::Registry::new();
//! # registry.register(cassette_format::descriptor::Descriptor::new(
//! #     "codex".parse()?,
//! #     "local:codex".parse()?,
//! #     cassette_format::descriptor::MessageFraming::Lines,
//! #     cassette_format::descriptor::Dialect::JsonRpc,
//! # ))?;
//! let agent = MemoryTransport::scripted([Script::new().expect(b"ping\n").stdout(b"pong\n")]);
//! let recorder = Recorder::create(&dir, registry, RecordOptions::default())?;
//! let transport = recorder.wrap(agent);
//!
//! let session = SessionContext::new("codex".parse()?, "session-1".parse()?);
//! let spec = LaunchSpec::new(["codex", "app-server"]);
//! let connection = transport.start(Launch::for_session(spec, session)).await?;
//! connection.send(b"ping\n").await?;
//! connection.recv().await?;
//! connection.close().await?;
//! recorder.finish()?;
//! assert!(dir.join("manifest.json").is_file());
//! # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
//! ```
#![forbid(unsafe_code)]

mod audit;
mod backlog;
mod claim;
mod clock;
mod connection;
mod desk;
mod inspector;
mod journal;
mod json_message;
mod manifest_secrets;
mod options;
mod raw_stream;
mod read_ahead;
mod record_error;
mod recorder;
mod recover;
mod redact;
mod redaction;
mod scan;
mod secret_options;
mod secret_watch;
mod secrets;
mod session;
mod slot;
mod sound_tape;
mod stream;
mod surroundings;
mod tap;
mod tape_copy;
mod tape_file;
mod tape_messages;
mod totals;
mod transport;
mod unit_sink;

pub use audit::{AuditError, Finding, FindingKind, audit};
pub use backlog::HeldBack;
pub use clock::Clock;
pub use options::{Existing, HoldLimits, LiveTraffic, RecordOptions};
pub use record_error::{
    ArmError, CaptureError, CreateError, FinishError, LaunchError, RecordError,
};
pub use recorder::Recorder;
pub use recover::{DropReason, Dropped, RecoverError, RecoverMode, RecoveryReport, recover};
pub use redact::{RedactError, RedactOptions, RedactReport, redact};
pub use secret_options::{FoundSecret, SecretOptions};
pub use secrets::{
    FilterTooLarge, Hit, Reach, Replaced, SecretFilter, SecretName, SecretNames, SecretRefused,
    SecretStream, Secrets, Settled, SplitHit, StreamHit, StreamedTexts, redaction_token,
};
pub use session::SessionRecordingTransport;
pub use tap::Tap;
pub use tape_copy::CopyError;
pub use transport::RecordingTransport;
pub use unit_sink::UnitSink;
