//! One provider a file, as data.

pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod raw;
pub(crate) mod tutti_agent;
