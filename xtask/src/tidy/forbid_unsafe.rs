//! Rule: no library opens the door to unsafe code.

use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::rust::attributes;

pub(crate) const RULE: Rule = Rule {
    name: "forbid-unsafe",
    text: "the `lib.rs` of every library crate has `#![forbid(unsafe_code)]`",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in tree.libraries() {
        let path = format!("{}/src/lib.rs", member.folder);
        let forbidden = tree
            .sources()
            .filter(|(file, _)| file.path == path)
            .any(|(_, source)| {
                attributes(&source.tokens).iter().any(|attribute| {
                    attribute.inner && attribute.is("forbid") && attribute.mentions("unsafe_code")
                })
            });
        if !forbidden {
            findings.push(Finding::violation(&path, 1, "no `#![forbid(unsafe_code)]`"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<String> {
        let tree = Tree::of(&[("crates/a/src/lib.rs", text)]).with_library("a", &[]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn library_that_does_not_forbid_unsafe_code_is_reported() {
        let expected = ["crates/a/src/lib.rs:1: no `#![forbid(unsafe_code)]`"];

        assert_eq!(findings("//! Docs.\n// #![forbid(unsafe_code)]"), expected);
        assert_eq!(findings("#![deny(unsafe_code)]"), expected);
    }

    #[test]
    fn library_that_forbids_unsafe_code_is_fine() {
        assert_eq!(findings("//! Docs.\n#![forbid(unsafe_code)]"), [""; 0]);
    }
}
