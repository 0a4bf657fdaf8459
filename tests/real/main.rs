//! The command `cassette` with agents, servers and clients of others: recorded in one directory
//! and home, played to the same client in another. They are looked for below the directory that
//! `CASSETTE_AGENTS` names, where `install.sh` has put them; a conversation that lacks one is
//! skipped, and that is said.
#![cfg(test)]

mod acp;
mod cassette;
mod claude;
mod codex;
mod line_client;
mod mcp;
mod model;
mod packages;
mod place;
mod studio;
mod told;
