//! Finding and replacing the values of known secrets in bytes. No I/O.
//!
//! [`Secrets`] are the names and values to look for, mostly those variables
//! of an environment that [`SecretNames`] takes for secret. A
//! [`SecretFilter`] finds them in a message and replaces them; a
//! [`SecretStream`] finds them in a byte stream, however it is cut into
//! chunks; [`StreamedTexts`] finds those that an agent spread over several
//! messages.
//!
//! What is found and what is not is listed at [`SecretFilter`].

mod filter;
mod forms;
mod hit;
mod matcher;
mod overlaps;
mod redaction_token;
mod replacement;
mod secret_name;
mod secret_names;
mod secret_set;
mod skip_table;
mod stream;
mod streamed;
mod whole_escapes;

pub use filter::{FilterTooLarge, SecretFilter};
pub use hit::{Hit, StreamHit};
pub use redaction_token::redaction_token;
pub use replacement::Replaced;
pub use secret_name::SecretName;
pub use secret_names::SecretNames;
pub use secret_set::{SecretRefused, Secrets};
pub use stream::{SecretStream, Settled};
pub(crate) use streamed::SecretParts;
pub use streamed::{Reach, SplitHit, StreamedTexts};

#[cfg(test)]
mod tests;
