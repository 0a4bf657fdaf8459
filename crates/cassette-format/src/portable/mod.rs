//! Making traffic portable and putting it back: path fields, directories and
//! their tokens, what may not be on a tape. Pure functions and small values over
//! single messages; streams, secrets and comparison live elsewhere.

mod account;
mod audit;
mod envelope;
mod field_class;
mod file_uri;
mod path_prefix;
mod plan;
mod projection;
mod raw_text;
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
pub use projection::{Direction, Projection};
pub use resolution::Resolution;
pub use roots::{HOME_TOKEN, RootSources, Roots};
pub use rules::{FreeText, HomeTokens, Literal, Redactor, Rules};
pub use violation::{ContentError, PORTABLE_EMAIL};
