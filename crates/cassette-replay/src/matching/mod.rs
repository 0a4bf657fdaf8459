//! Decisions about single messages, without waiting and without a clock: whether
//! what the host sends is what was recorded, and how what the agent said then is
//! said now. Order, time and probes that are skipped lie outside.
//!
//! ```
//! use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming};
//! use cassette_format::portable::{RootSources, Rules};
//! use cassette_replay::matching::{Correspondence, MatchRules, Matcher, Side};
//!
//! let agent = Descriptor::new(
//!     "acp".parse()?,
//!     "local:acp".parse()?,
//!     MessageFraming::Lines,
//!     Dialect::JsonRpc,
//! );
//! let rules = Rules::default();
//! let side = Side {
//!     sources: RootSources { cwd: Some("/srv/ci"), ..RootSources::default() },
//!     cwd_token: "${SESSION_CWD:session-1:1}",
//!     ..Side::new(&rules)
//! };
//! let mut matcher = Matcher::new(MatchRules::new(&agent, &side));
//! let mut known = Correspondence::default();
//!
//! let recorded = br#"{"id":1,"method":"session/new","params":{"cwd":"${SESSION_CWD:session-1:1}/app"}}"#;
//! let sent = br#"{"method":"session/new","id":"a","params":{"cwd":"/srv/ci/app"}}"#;
//! let matched = matcher.judge(recorded, sent, &known)?;
//! known.learn(&matched);
//!
//! let answer = br#"{"id":1,"result":{}}"#;
//! let edits = matcher.rewrite(answer, &known).ok_or("an answer has the id that was sent")?;
//! assert_eq!(&edits.apply(answer)?.bytes[..], br#"{"id":"a","result":{}}"#);
//!
//! let other = br#"{"method":"session/new","id":"a","params":{"cwd":"/etc"}}"#;
//! let difference = matcher.judge(recorded, other, &known).unwrap_err();
//! assert_eq!(
//!     difference.to_string(),
//!     "$.params.cwd: expected \"${SESSION_CWD:session-1:1}/app\", found \"/etc\"\n\
//!      1 other value is equal"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod broken_text;
mod comparison;
mod correspondence;
mod departure;
mod difference;
mod directories;
mod duplicates;
mod exemptions;
mod field_names;
mod findings;
mod framed;
mod header;
mod headers;
mod identities;
mod inbound;
mod key_hash;
mod matched;
mod matcher;
mod message_id;
mod pairing;
mod redacted;
mod request;
mod rules;
mod search;
mod shown;
mod spelling;
mod tree;

pub use correspondence::Correspondence;
pub use departure::{Bound, Departure, DepartureKind};
pub use difference::Difference;
pub use header::{Envelope, Outcome};
pub use identities::{Identities, IdentityConflict};
pub use matched::{Equality, Matched};
pub use matcher::Matcher;
pub use message_id::MessageId;
pub use request::Request;
pub use rules::{MatchRules, Side};
pub use search::Search;
