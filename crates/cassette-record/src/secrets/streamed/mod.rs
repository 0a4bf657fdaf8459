//! Finding secrets that are spread over several messages.

mod fingerprint;
mod message_scope;
mod open_texts;
mod place_trail;
mod split_hit;
mod streamed_texts;

pub use split_hit::{Reach, SplitHit};
pub use streamed_texts::StreamedTexts;
