//! Rust text as tidy sees it: tokens with line numbers, attributes and paths. No syntax tree.
//!
//! Comments, documentation and the insides of strings never show up here as code.

mod attributes;
mod paths;
mod source;
mod tokens;

pub(crate) use attributes::{Attribute, attributes};
pub(crate) use paths::{PathUse, paths};
pub(crate) use source::Source;
pub(crate) use tokens::{LexFailure, Token, closing, tokens};
