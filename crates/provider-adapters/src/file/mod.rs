//! Descriptor files: a provider that a user describes in TOML or JSON.
//!
//! - `read`: the ways in;
//! - `node`: one view of both formats, each value with its place;
//! - `table`, `entry`, `names`, `fields`: from there to a descriptor, every mistake
//!   noted;
//! - `mistake`, `kind`: what is said of them.

mod entry;
mod fields;
mod findings;
mod kind;
mod mistake;
mod names;
mod nearest;
mod node;
mod pointer;
mod read;
mod shown;
mod table;

pub use findings::MAX_MISTAKES;
pub use kind::MistakeKind;
pub use mistake::{DescriptorMistake, DescriptorMistakes};
pub use read::{
    DescriptorFileError, MAX_DESCRIPTOR_BYTES, parse_json, parse_toml, read_descriptor,
};
