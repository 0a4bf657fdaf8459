//! Rule: no library opens the door to unsafe code, but for one file of one library.

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};
use crate::rust::{Source, attributes};

pub(crate) const RULE: Rule = Rule {
    name: "forbid-unsafe",
    text: "the `lib.rs` of every library crate has `#![forbid(unsafe_code)]`; that of process-local \
           denies it, and only its `sys/lease_linux.rs` opens it",
    check,
};

/// The library that only denies it, and its file that opens it.
const OPEN_LIBRARY: &str = "crates/process-local";
const OPEN_FILE: &str = "crates/process-local/src/sys/lease_linux.rs";

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = opened_elsewhere(tree);
    for member in tree.libraries() {
        let path = format!("{}/src/lib.rs", member.folder);
        let wanted = if member.folder == OPEN_LIBRARY {
            "deny"
        } else {
            "forbid"
        };
        let forbidden = tree
            .sources()
            .filter(|(file, _)| file.path == path)
            .any(|(_, source)| {
                attributes(&source.tokens).iter().any(|attribute| {
                    attribute.inner && attribute.is(wanted) && attribute.mentions("unsafe_code")
                })
            });
        if !forbidden {
            let found = format!("no `#![{wanted}(unsafe_code)]`");
            findings.push(Finding::violation(&path, 1, found));
        }
    }
    findings
}

/// Where else in that library the lint is set.
fn opened_elsewhere(tree: &Tree) -> Vec<Finding> {
    let sources = tree.sources_below(OPEN_LIBRARY);
    let elsewhere = sources.filter(|(file, _)| file.path != OPEN_FILE);
    let opens = |(file, source): (&TextFile, &Source)| {
        let set = attributes(&source.tokens).into_iter().find(|attribute| {
            ["allow", "warn", "expect"]
                .iter()
                .any(|level| attribute.is(level))
                && attribute.mentions("unsafe_code")
        });
        set.map(|_| Finding::violation(&file.path, 1, "opens the door to unsafe code"))
    };
    elsewhere.filter_map(opens).collect()
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
    fn one_file_alone_opens_the_door() {
        let library = |file: &str, text: &str| {
            let lib = ("crates/process-local/src/lib.rs", "#![deny(unsafe_code)]");
            let opening = "#![expect(unsafe_code, reason = \"a\")]";
            let tree = Tree::of(&[lib, (OPEN_FILE, opening), (file, text)]);
            let tree = tree.with_library("process-local", &[]);
            check(&tree)
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        let other = "crates/process-local/src/a.rs";

        assert_eq!(library(other, "fn a() {}"), [""; 0]);
        assert_eq!(
            library(other, "#[expect(unsafe_code)] fn a() {}"),
            ["crates/process-local/src/a.rs:1: opens the door to unsafe code"]
        );
    }

    #[test]
    fn library_that_forbids_unsafe_code_is_fine() {
        assert_eq!(findings("//! Docs.\n#![forbid(unsafe_code)]"), [""; 0]);
    }
}
