//! Rule: no drawer for things that belong nowhere. Only Rust files, their folders and modules.

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};
use crate::rust::Source;

pub(crate) const RULE: Rule = Rule {
    name: "banned-names",
    text: "a file, folder or module is named after one noun or operation; never util, utils, \
           helpers, common, misc, types, core or manager",
    check,
};

const BANNED: [&str; 8] = [
    "util", "utils", "helpers", "common", "misc", "types", "core", "manager",
];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        findings.extend(path_finding(file));
        findings.extend(module_findings(file, source));
    }
    findings
}

fn path_finding(file: &TextFile) -> Option<Finding> {
    let path = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    let part = path.split('/').find(|part| BANNED.contains(part))?;
    Some(Finding::violation(
        &file.path,
        1,
        format!("`{part}` in the file's path"),
    ))
}

fn module_findings(file: &TextFile, source: &Source) -> Vec<Finding> {
    let named = source.tokens.windows(2).filter(|pair| pair[0].is("mod"));
    named
        .filter(|pair| BANNED.contains(&pair[1].text.as_str()))
        .map(|pair| {
            Finding::violation(
                &file.path,
                pair[1].line,
                format!("module `{}`", pair[1].text),
            )
        })
        .collect()
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
    fn banned_files_folders_and_modules_are_reported() {
        assert_eq!(
            findings("a/src/utils.rs", ""),
            ["a/src/utils.rs:1: `utils` in the file's path"]
        );
        assert_eq!(
            findings("a/tests/common/mod.rs", ""),
            ["a/tests/common/mod.rs:1: `common` in the file's path"]
        );
        assert_eq!(
            findings("a/src/b.rs", "\nmod helpers {}"),
            ["a/src/b.rs:2: module `helpers`"]
        );
    }

    #[test]
    fn longer_names_and_paths_of_the_language_are_fine() {
        assert_eq!(
            findings("a/src/common_prefix.rs", "use core::fmt; // mod misc"),
            [""; 0]
        );
    }
}
