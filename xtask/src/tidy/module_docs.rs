//! Rule: each Rust file says in its first line what lives in it.

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};

pub(crate) const RULE: Rule = Rule {
    name: "module-docs",
    text: "a Rust file starts with `//!`: what lives here, and what does not",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources()
        .filter_map(|(file, _)| undocumented(file))
        .collect()
}

fn undocumented(file: &TextFile) -> Option<Finding> {
    let is_shebang = |text: &str| text.starts_with("#!") && !text.starts_with("#![");
    let first = file
        .lines()
        .find(|(line, text)| *line > 1 || !is_shebang(text));
    let (line, text) = first.unwrap_or((1, ""));
    let documented = text
        .strip_prefix("//!")
        .is_some_and(|docs| !docs.trim().is_empty());
    (!documented).then(|| Finding::violation(&file.path, line, "no module documentation"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of_finding(text: &str) -> Option<usize> {
        check(&Tree::of(&[("a.rs", text)]))
            .first()
            .map(|finding| finding.line)
    }

    #[test]
    fn file_without_documentation_is_reported() {
        assert_eq!(line_of_finding("use a::b;\n//! Late.\n"), Some(1));
        assert_eq!(line_of_finding("//!\nuse a::b;\n"), Some(1));
        assert_eq!(line_of_finding(""), Some(1));
        assert_eq!(
            line_of_finding("#!/usr/bin/env run\nfn main() {}\n"),
            Some(2)
        );
    }

    #[test]
    fn documentation_may_follow_a_shebang() {
        assert_eq!(line_of_finding("//! Docs.\n"), None);
        assert_eq!(line_of_finding("#!/usr/bin/env run\n//! Docs.\n"), None);
    }
}
