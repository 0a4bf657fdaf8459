//! The registry of every provider that comes with this crate.

use cassette_format::descriptor::Registry;

use crate::providers::{claude_code, codex, raw, tutti_agent};

/// A registry of every provider that comes with this crate. More can be
/// registered in it.
#[must_use]
pub fn builtin() -> Registry {
    let mut registry = Registry::new();
    let descriptors =
        [codex::descriptor(), claude_code::descriptor(), tutti_agent::descriptor(), raw::descriptor()];
    for descriptor in descriptors {
        let registered = registry.register(descriptor);
        debug_assert!(registered.is_ok(), "built-in descriptors agree: {registered:?}");
    }
    registry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_descriptor_is_registered() {
        let names: Vec<String> =
            builtin().providers().map(|provider| provider.to_string()).collect();
        assert_eq!(names, ["codex", "claude-code", "tutti-agent", "raw"]);
    }
}
