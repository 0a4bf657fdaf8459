//! What `cassette-format` promises to other crates, tested from outside: the
//! store on real files, the schema's text forms, streams over a connection.
#![cfg(test)]

mod conversion;
mod error_texts;
mod files;
mod frames;
mod identities;
mod loading;
mod manifest;
mod memory;
mod odd_connections;
mod peak_memory;
mod portable;
mod prefix;
mod random_tapes;
mod reference_sample;
mod replace;
mod stdio;
mod summary;
mod tape_files;
mod violation_order;
mod violations;
