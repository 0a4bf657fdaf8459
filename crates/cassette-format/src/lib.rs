//! The cassette on disk, its schema and store, and the traits that every part
//! of cassette shares.
#![forbid(unsafe_code)]

pub mod descriptor;
pub mod json;
pub mod portable;
pub mod process;
pub mod schema;
pub mod store;
mod sys;
