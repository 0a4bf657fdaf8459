//! Rule: what depends on the operating system is in one place of each crate. Only `cfg`s are looked
//! at, and only below `src` of the crates.

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};
use crate::rust::{Token, closing};

pub(crate) const RULE: Rule = Rule {
    name: "platform-cfg",
    text: "`cfg(unix)`, `cfg(windows)` and `cfg(target_os …)` only in a crate's `sys` module",
    check,
};

const PLATFORMS: [&str; 4] = ["unix", "windows", "target_os", "target_family"];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources_below("crates/") {
        if !is_outside_sys(file) {
            continue;
        }
        for (position, token) in source.tokens.iter().enumerate() {
            if token.is("cfg") || token.is("cfg_attr") {
                let named = platform(&source.tokens, position).map(|name| {
                    Finding::violation(&file.path, token.line, format!("`{name}` in a `cfg`"))
                });
                findings.extend(named);
            }
        }
    }
    findings
}

fn is_outside_sys(file: &TextFile) -> bool {
    let mut parts = file.path.split('/').skip(2);
    parts.next() == Some("src") && !parts.any(|part| part == "sys" || part == "sys.rs")
}

/// The platform that the `cfg` at this position asks for.
fn platform(tokens: &[Token], start: usize) -> Option<&'static str> {
    let open = start + 1 + usize::from(tokens.get(start + 1)?.is("!"));
    if !tokens.get(open)?.is("(") {
        return None;
    }
    let inside = &tokens[open..closing(tokens, open)];
    PLATFORMS
        .into_iter()
        .find(|name| inside.iter().any(|token| token.is(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&Tree::of(&[(path, text)]))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn platforms_outside_sys_are_reported() {
        let text = "#[cfg(unix)]\nfn a() {}\nfn b() { if cfg!(target_os = \"linux\") {} }\n\
                    #[cfg_attr(not(windows), expect(dead_code))]\nfn c() {}";

        let expected = [
            "crates/a/src/b.rs:1: `unix` in a `cfg`",
            "crates/a/src/b.rs:3: `target_os` in a `cfg`",
            "crates/a/src/b.rs:4: `windows` in a `cfg`",
        ];
        assert_eq!(findings("crates/a/src/b.rs", text), expected);
    }

    #[test]
    fn sys_and_other_conditions_are_fine() {
        assert_eq!(
            findings("crates/a/src/sys/open.rs", "#[cfg(unix)] mod b;"),
            [""; 0]
        );
        assert_eq!(
            findings("crates/a/tests/b.rs", "#[cfg(unix)] mod b;"),
            [""; 0]
        );
        assert_eq!(
            findings("crates/a/src/b.rs", "#[cfg(test)] mod unix;"),
            [""; 0]
        );
    }
}
