//! Tests of the built-in descriptors, of descriptor files and of the page that
//! describes them.
#![cfg(test)]

mod builtin;
mod documentation;
mod files;
mod formats;
mod mistakes;
mod mutations;
mod tables;
