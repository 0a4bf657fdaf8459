//! Rule: every Rust file can be read, as otherwise no other rule has looked at it.

use super::rule::{Finding, Rule};
use super::tree::Tree;

pub(crate) const RULE: Rule = Rule {
    name: "syntax",
    text: "a Rust file can be split into tokens",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if let Some(Err(failure)) = &file.rust {
            findings.push(Finding::violation(
                &file.path,
                failure.line,
                "not readable as Rust",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_file_is_reported() {
        let found = check(&Tree::of(&[("a.rs", "//! Docs.\nfn a( {}")]));

        assert_eq!(
            found,
            [Finding::violation("a.rs", 2, "not readable as Rust")]
        );
    }
}
