//! Making traffic portable and putting it back: path fields, directories and
//! their tokens, what may not be on a tape. Pure functions and small values over
//! single messages; streams, secrets and comparison live elsewhere.
//!
//! ```
//! use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming};
//! use cassette_format::portable::{
//!     Direction, HomeTokens, Projection, Resolution, RootSources, Roots, Rules,
//! };
//! use cassette_format::schema::{CwdToken, LaunchOrdinal};
//!
//! let acp = Descriptor::new(
//!     "acp".parse()?,
//!     "local:acp".parse()?,
//!     MessageFraming::Lines,
//!     Dialect::JsonRpc,
//! );
//! let token = CwdToken::new(&"session-1".parse()?, LaunchOrdinal::FIRST);
//! let roots = |home, cwd| {
//!     let sources = RootSources {
//!         variables: &[("HOME", home)],
//!         cwd: Some(cwd),
//!         ..RootSources::default()
//!     };
//!     Roots::new(&acp, &sources, token.as_str(), HomeTokens::Shared)
//! };
//!
//! let here = roots("/home/ada", "/home/ada/work");
//! let mut projection = Projection::new(&acp, here, Rules::default());
//! let message = br#"{"method":"session/new","params":{"cwd":"/home/ada/work/app"}}"#;
//! let portable = projection.message(Direction::Outbound, message)?;
//! assert_eq!(
//!     &portable[..],
//!     br#"{"method":"session/new","params":{"cwd":"${SESSION_CWD:session-1:1}/app"}}"#
//! );
//!
//! let there = roots("/root", "/srv/ci");
//! let resolution = Resolution::new(&acp, &there, (token.as_str(), ""), &Rules::default());
//! let resolved = resolution.message(&portable);
//! assert_eq!(
//!     &resolved.bytes[..],
//!     br#"{"method":"session/new","params":{"cwd":"/srv/ci/app"}}"#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a [`Projection`] made portable a [`Resolution`] into the same
//! directories puts back byte for byte: but for an excluded environment,
//! replaced e-mails and generated values, texts that the caller's rules changed,
//! and these spellings, which come back as the same path:
//!
//! - homes that share `${REPLAY_HOME}` come back as the first of them, unless
//!   [`HomeTokens::Numbered`] gives each its own;
//! - a token that was in the message before is taken for one;
//! - of two spellings of one directory the given one comes back: escapes in it
//!   (`\/work`), `.` and `..` before and in it, percent-encoding, `/private`,
//!   Windows forms, further directories that stand for the working directory;
//! - on another side, the slug of a project whose slug is equal becomes that of
//!   the working directory there.
//!
//! Of bytes that are no JSON all is read that can be recognised: strings whatever
//! bytes stand in them, members wherever a string stands before a colon, what
//! brackets enclose. Of a string that the bytes end in, secrets are refused and
//! directories made portable; a path in one may stay as it is, since it may be the
//! beginning of any.

mod account;
mod audit;
mod credentials;
mod envelope;
mod field_class;
mod file_uri;
mod path_prefix;
mod plan;
mod projection;
mod raw_text;
mod readable_members;
mod removal;
mod resolution;
mod rewrite;
mod roots;
mod rules;
mod violation;
mod walk;

pub use audit::Audit;
pub use field_class::{FieldClass, FieldClasses};
pub use path_prefix::map_path;
pub use projection::{Direction, MAX_ROOTS_LEFT, Projection};
pub use resolution::Resolution;
pub use roots::{HOME_TOKEN, RootSources, Roots, cwd_slug};
pub use rules::{FreeText, HomeTokens, Literal, Redactor, Rules};
pub use violation::{ContentError, PORTABLE_EMAIL};
