//! All providers, in the order in which they are listed everywhere.

use cassette_format::descriptor::Descriptor;

use super::{acp, claude_code, claude_stream_json, codex, lsp, mcp, raw, tutti_agent};

/// The descriptors of all providers.
pub(crate) fn all() -> [Descriptor; 8] {
    [
        codex::descriptor(),
        claude_code::descriptor(),
        tutti_agent::descriptor(),
        acp::descriptor(),
        claude_stream_json::descriptor(),
        mcp::descriptor(),
        lsp::descriptor(),
        raw::descriptor(),
    ]
}
