//! Rule: nothing half-done is kept. Tests too.

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};
use crate::rust::{Source, attributes};

pub(crate) const RULE: Rule = Rule {
    name: "leftovers",
    text: "no `todo!`, `unimplemented!`, `dbg!`, `#[ignore]` and no mark for later repair",
    check,
};

const MACROS: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// In two pieces, so that this file does not hold the mark itself.
const MARK: &str = concat!("FIX", "ME");

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        findings.extend(left_in_code(file, source));
        let marked = file.lines().filter(|(_, text)| text.contains(MARK));
        findings.extend(marked.map(|(line, _)| Finding::violation(&file.path, line, MARK)));
    }
    findings
}

fn left_in_code(file: &TextFile, source: &Source) -> Vec<Finding> {
    let called = source
        .tokens
        .windows(2)
        .filter(|pair| pair[1].is("!") && MACROS.contains(&pair[0].text.as_str()));
    let ignored = attributes(&source.tokens);
    let ignored = ignored.iter().filter(|attribute| attribute.is("ignore"));
    called
        .map(|pair| Finding::violation(&file.path, pair[0].line, format!("`{}!`", pair[0].text)))
        .chain(ignored.map(|found| Finding::violation(&file.path, found.line, "`#[ignore]`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<String> {
        check(&Tree::of(&[("a.rs", text)]))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn leftovers_are_reported() {
        let text = format!(
            "fn a() {{ todo!() }}\nfn b() {{ dbg!(1); unimplemented!() }}\n\
             #[test]\n#[ignore = \"slow\"]\nfn c() {{}}\n// {MARK}: later\n"
        );

        let expected = [
            "a.rs:1: `todo!`".to_owned(),
            "a.rs:2: `dbg!`".to_owned(),
            "a.rs:2: `unimplemented!`".to_owned(),
            "a.rs:4: `#[ignore]`".to_owned(),
            format!("a.rs:6: {MARK}"),
        ];
        assert_eq!(findings(&text), expected);
    }

    #[test]
    fn words_in_comments_and_strings_are_fine() {
        assert_eq!(
            findings("// todo!() and #[ignore]\nconst A: &str = \"dbg!(\";"),
            [""; 0]
        );
    }
}
