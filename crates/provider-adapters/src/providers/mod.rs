//! One provider a file, as data. Each value has its source beside it:
//!
//! - "reference table": the descriptor table of the system that this project
//!   implements; these values are what the conformance vectors expect;
//! - "captured": seen in the sample traffic of the version named at the top of
//!   the file;
//! - a specification or schema by its name: only read there.

mod acp;
mod all;
mod claude_code;
mod claude_stream_json;
mod codex;
mod lsp;
mod mcp;
mod notation;
mod raw;
mod tutti_agent;

pub(crate) use all::all;
