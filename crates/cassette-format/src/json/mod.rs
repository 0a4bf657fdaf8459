//! JSON by position: scan, edit and frame bytes without ever building a tree.
//!
//! Traffic must come out as it went in, so nothing here parses into values
//! and prints them again. Three tools share the [`Span`] as their currency:
//!
//! - the [`Scanner`] reads a sequence of JSON texts (RFC 8259) and yields
//!   where things are; [`Members`] and [`Elements`] walk one container;
//! - [`Edits`] and the [`Splicer`] replace spans and leave every other byte
//!   alone;
//! - the [`Framer`] cuts a stream into messages, however its bytes arrive.
//!
//! The scanner takes everything that the grammar allows, because agents send
//! it: lone surrogate escapes, `1e999`, integers of any length, duplicate and
//! escaped keys, any depth. What the grammar refuses it refuses, and so does
//! it bytes that are not UTF-8. It does not recurse, and apart from one bit a
//! level of depth it does not allocate.
//!
//! ```
//! use cassette_format::json::{Edits, decode_string, members, string_eq, Scanner, Span};
//!
//! let message = br#"{"id": 1.0, "cwd":"\/home\/ada"}"#;
//! let mut edits = Edits::new();
//! for member in members(message, Span::whole(message)) {
//!     let member = member?;
//!     if string_eq(message, member.key, "cwd") {
//!         assert_eq!(decode_string(message, member.value.span), "/home/ada");
//!         edits.replace(member.value.span, br#""~""#);
//!     }
//! }
//! let spliced = edits.apply(message)?;
//! assert_eq!(&spliced.bytes[..], br#"{"id": 1.0, "cwd":"~"}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod byte_class;
mod decode;
mod edits;
mod encode;
mod framer;
mod framing;
mod header;
mod members;
mod message_search;
mod nesting;
mod number;
mod path;
mod place;
mod reader;
mod scan_error;
mod scanner;
mod skip;
mod span;
mod spelling;
mod splicer;
mod string;
mod token;

pub(crate) use decode::{Piece, Pieces, string_body};
pub use decode::{decode_string, string_eq};
pub use edits::{Edits, Spliced};
pub use encode::write_string;
pub use framer::Framer;
pub use framing::{Ending, Framing, FramingError, FramingLimits, Message};
pub use members::{Elements, Members, elements, members};
pub use number::{as_i64, as_u64};
pub use path::path_at;
pub(crate) use path::paths_at;
pub(crate) use reader::{Reader, Standing};
pub use scan_error::{Expected, Found, ScanError};
pub use scanner::Scanner;
pub use span::Span;
pub use spelling::{spelling_of, spellings_of};
pub use splicer::{Landing, SpliceError, Splicer};
pub use token::{Member, Token, TokenKind, Value, ValueKind};

#[cfg(test)]
mod tests;
