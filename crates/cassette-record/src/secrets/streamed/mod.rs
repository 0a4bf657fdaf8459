//! Finding secrets that are spread over several messages.

mod fingerprint;
mod last_pieces;
mod message_scope;
mod open_texts;
mod place_trail;
mod secret_parts;
mod split_hit;
mod streamed_texts;

pub(crate) use secret_parts::SecretParts;
pub use split_hit::{Reach, SplitHit};
pub use streamed_texts::StreamedTexts;
