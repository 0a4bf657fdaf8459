//! Rule: libraries do not read JSON into a tree, which would lose what it does not keep: the spelling
//! of numbers, the order of keys, repeated keys. Their tests may.

use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::rust::{PathUse, paths};

pub(crate) const RULE: Rule = Rule {
    name: "json-value",
    text: "no `serde_json::Value` in a library crate: traffic passes through losslessly",
    check,
};

const LOSSY: [&str; 4] = ["Value", "value", "json", "*"];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in tree.libraries() {
        let folder = format!("{}/src/", member.folder);
        for (file, source) in tree
            .sources_below(&folder)
            .filter(|(file, _)| !file.is_test())
        {
            let lossy = paths(&source.production).into_iter().filter(is_lossy);
            findings.extend(lossy.map(|path| {
                let found = format!("`{}`", path.segments.join("::"));
                Finding::violation(&file.path, path.line, found)
            }));
        }
    }
    findings
}

/// `serde_json::value::RawValue` keeps the text and is fine.
fn is_lossy(path: &PathUse) -> bool {
    path.starts_with(&["serde_json"])
        && LOSSY.contains(&path.segments[1].as_str())
        && path
            .segments
            .last()
            .is_none_or(|last| !last.ends_with("RawValue"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let tree = Tree::of(&[(path, text)]).with_library("a", &[]);
        check(&tree)
            .into_iter()
            .map(|finding| finding.found)
            .collect()
    }

    #[test]
    fn value_trees_in_libraries_are_reported() {
        let text = "use serde_json::{Map, Value};\nfn b() { serde_json::json!({}); }";

        assert_eq!(
            found("crates/a/src/b.rs", text),
            ["`serde_json::Value`", "`serde_json::json`"]
        );
    }

    #[test]
    fn tests_other_packages_and_raw_values_are_fine() {
        let text = "use serde_json::Value;";
        let tests = format!("#[cfg(test)]\nmod tests {{ {text} }}");

        assert_eq!(found("crates/a/src/b.rs", &tests), [""; 0]);
        assert_eq!(found("crates/a/src/tests.rs", text), [""; 0]);
        assert_eq!(found("xtask/src/b.rs", text), [""; 0]);
        assert_eq!(
            found("crates/a/src/b.rs", "use serde_json::value::RawValue;"),
            [""; 0]
        );
    }
}
