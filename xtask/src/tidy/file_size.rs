//! Rule: how long a Rust file may be. Counted are lines with code: not blank ones, not comments or
//! documentation, not unit tests at the end of a file.

use std::collections::BTreeSet;

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};
use crate::rust::Token;

pub(crate) const RULE: Rule = Rule {
    name: "file-size",
    text: "a file has fewer than 800 lines of code, better fewer than 500 (1200 and 1000 when all \
           of it is tests)",
    check,
};

/// From how many lines on a file is reported.
#[derive(Debug, Clone, Copy)]
struct Limits {
    warn: usize,
    fail: usize,
}

const CODE: Limits = Limits {
    warn: 500,
    fail: 800,
};
const TESTS: Limits = Limits {
    warn: 1000,
    fail: 1200,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let (limits, tokens) = if file.is_test() {
            (TESTS, &source.tokens)
        } else {
            (CODE, &source.production)
        };
        let lines = code_lines(file, tokens);
        let found = format!("{} lines of code", lines.len());
        // The finding points at the line with which the limit is reached.
        if let Some(line) = lines.iter().nth(limits.fail - 1) {
            findings.push(Finding::violation(&file.path, *line, found));
        } else if let Some(line) = lines.iter().nth(limits.warn - 1) {
            findings.push(Finding::warning(&file.path, *line, found));
        }
    }
    findings
}

fn code_lines(file: &TextFile, tokens: &[Token]) -> BTreeSet<usize> {
    let blank: BTreeSet<usize> = file
        .lines()
        .filter(|(_, text)| text.trim().is_empty())
        .map(|(line, _)| line)
        .collect();
    tokens
        .iter()
        .flat_map(|token| token.line..=token.last_line)
        .filter(|line| !blank.contains(line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, lines: usize, rest: &str) -> Vec<Finding> {
        let mut text = "//! Docs.\n\n// A comment.\n".to_owned();
        text.push_str(&"const A: u8 = 0; // more\n".repeat(lines));
        text.push_str(rest);
        check(&Tree::of(&[(path, &text)]))
    }

    #[test]
    fn long_file_is_reported_where_the_limit_is_reached() {
        let expected = Finding::violation("a/src/b.rs", 803, "900 lines of code");

        assert_eq!(findings("a/src/b.rs", 900, ""), [expected]);
    }

    #[test]
    fn longish_file_is_a_warning() {
        assert_eq!(findings("a/src/b.rs", 499, ""), []);
        let expected = Finding::warning("a/src/b.rs", 503, "500 lines of code");
        assert_eq!(findings("a/src/b.rs", 500, ""), [expected]);
    }

    #[test]
    fn unit_tests_and_test_files_have_more_room() {
        let tests = format!(
            "#[cfg(test)]\nmod tests {{\n{}}}\n",
            "fn f() {}\n".repeat(900)
        );

        assert_eq!(findings("a/src/b.rs", 10, &tests), []);
        assert_eq!(findings("a/src/b/tests.rs", 900, ""), []);
        assert_eq!(findings("a/src/b/tests.rs", 1200, "").len(), 1);
    }

    #[test]
    fn long_literals_count_without_their_blank_lines() {
        let tree = Tree::of(&[("a.rs", "const A: &str = \"\nb\n\nc\";")]);

        assert_eq!(
            code_lines(&tree.files[0], &tree.sources().next().unwrap().1.tokens).len(),
            3
        );
    }
}
