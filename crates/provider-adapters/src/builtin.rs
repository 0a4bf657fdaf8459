//! The registry of every provider that comes with this crate.

use cassette_format::descriptor::Registry;

use crate::providers::all;

/// A registry of every provider that comes with this crate. More can be
/// registered in it.
#[must_use]
pub fn builtin() -> Registry {
    let mut registry = Registry::new();
    for descriptor in all() {
        let registered = registry.register(descriptor);
        debug_assert!(
            registered.is_ok(),
            "built-in descriptors agree: {registered:?}"
        );
    }
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_descriptor_is_registered() {
        let names: Vec<String> = builtin()
            .providers()
            .map(|provider| provider.to_string())
            .collect();
        let expected = [
            "codex",
            "claude-code",
            "tutti-agent",
            "acp",
            "claude-stream-json",
            "mcp",
            "lsp",
            "raw",
        ];
        assert_eq!(names, expected);
        assert_eq!(all().len(), expected.len());
    }
}
