//! Rule: `lib.rs` and `mod.rs` only list what there is.

use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::rust::{Token, closing};

pub(crate) const RULE: Rule = Rule {
    name: "listing-files",
    text: "`lib.rs` and `mod.rs` hold docs, modules and named `pub use`s; no functions, no globs",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        if !matches!(file.name(), "lib.rs" | "mod.rs") {
            continue;
        }
        for (position, token) in source.tokens.iter().enumerate() {
            if token.is("fn") {
                findings.push(Finding::violation(&file.path, token.line, "a function"));
            } else if token.is("pub")
                && let Some(line) = glob_line(&source.tokens, position)
            {
                findings.push(Finding::violation(
                    &file.path,
                    line,
                    "a glob in a `pub use`",
                ));
            }
        }
    }
    findings
}

/// The line of the `*` if a `pub use` with one starts here.
fn glob_line(tokens: &[Token], start: usize) -> Option<usize> {
    let mut position = start + 1;
    if tokens.get(position)?.is("(") {
        position = closing(tokens, position) + 1;
    }
    if !tokens.get(position)?.is("use") {
        return None;
    }
    let mut rest = tokens[position..].iter().take_while(|token| !token.is(";"));
    rest.find(|token| token.is("*")).map(|token| token.line)
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
    fn functions_and_globs_are_reported() {
        let text =
            "//! Docs: fn a.\nmod a;\npub use a::{B, c::*};\npub(crate) use d::*;\nfn e() {}";

        let expected = [
            "a/src/lib.rs:3: a glob in a `pub use`",
            "a/src/lib.rs:4: a glob in a `pub use`",
            "a/src/lib.rs:5: a function",
        ];
        assert_eq!(findings("a/src/lib.rs", text), expected);
    }

    #[test]
    fn other_files_may_hold_functions() {
        assert_eq!(findings("a/src/b.rs", "fn a() {}"), [""; 0]);
    }
}
