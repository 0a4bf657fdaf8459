//! Rule: a lint is silenced only by `expect`, which complains once it is no longer needed. That the
//! reason is given is for clippy to see.

use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::rust::{Attribute, attributes};

pub(crate) const RULE: Rule = Rule {
    name: "suppressions",
    text: "no `#[allow(…)]`: use `#[expect(…, reason = \"…\")]`",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let attributes = attributes(&source.tokens);
        let allowing = attributes.iter().filter(|attribute| allows(attribute));
        findings.extend(
            allowing.map(|found| Finding::violation(&file.path, found.line, "`allow` of a lint")),
        );
    }
    findings
}

fn allows(attribute: &Attribute<'_>) -> bool {
    let conditional = || {
        attribute
            .tokens
            .windows(2)
            .any(|pair| pair[0].is("allow") && pair[1].is("("))
    };
    attribute.is("allow") || (attribute.is("cfg_attr") && conditional())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(&Tree::of(&[("a.rs", text)]))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn allow_is_reported_in_every_form() {
        let text = "#![allow(dead_code)]\n#[allow(\n    clippy::exit)]\nfn a() {}\n\
                    #[cfg_attr(test, allow(dead_code))]\nfn b() {}";

        assert_eq!(lines(text), [1, 2, 5]);
    }

    #[test]
    fn expect_and_functions_of_that_name_are_fine() {
        assert_eq!(
            lines("#[expect(dead_code, reason = \"b\")]\nfn a() { allow(1) }"),
            [0; 0]
        );
    }
}
