//! One Rust file, read once: all its tokens, and those that are not its unit tests.

use super::{Attribute, LexFailure, Token, attributes, closing, tokens};

/// The tokens of a file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Everything.
    pub(crate) tokens: Vec<Token>,
    /// Everything but `#[cfg(test)] mod …`.
    pub(crate) production: Vec<Token>,
}

impl Source {
    /// Reads a file's text.
    pub(crate) fn parse(text: &str) -> Result<Self, LexFailure> {
        let tokens = tokens(text)?;
        let production = without_unit_tests(&tokens);
        Ok(Self { tokens, production })
    }
}

/// Drops each module behind a `cfg` attribute that asks for `test`.
fn without_unit_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut done = 0;
    for attribute in attributes(tokens) {
        let start = attribute.end - attribute.tokens.len() - 3;
        if start < done || !asks_for_test(&attribute) {
            continue;
        }
        if let Some(end) = module_end(tokens, attribute.end) {
            kept.extend_from_slice(&tokens[done..start]);
            done = end;
        }
    }
    kept.extend_from_slice(&tokens[done..]);
    kept
}

fn asks_for_test(attribute: &Attribute<'_>) -> bool {
    !attribute.inner
        && attribute.is("cfg")
        && attribute.mentions("test")
        && !attribute.mentions("not")
        && !attribute.mentions("any")
}

/// The position after the module that starts here, behind more attributes and a visibility.
fn module_end(tokens: &[Token], mut position: usize) -> Option<usize> {
    loop {
        match tokens.get(position)?.text.as_str() {
            "#" => position = closing(tokens, position + 1) + 1,
            "pub" => position += 1,
            "(" => position = closing(tokens, position) + 1,
            "mod" => break,
            _ => return None,
        }
    }
    let body = position + 2;
    if tokens.get(body)?.is("{") {
        Some(closing(tokens, body) + 1)
    } else {
        Some(body + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn production(source: &str) -> String {
        let source = Source::parse(source).unwrap();
        source
            .production
            .iter()
            .map(|token| token.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn unit_tests_are_cut_out_whole() {
        let source =
            "mod a;\n#[cfg(test)]\n#[path = \"x\"]\npub(crate) mod tests { fn f() {} }\nmod b;";

        assert_eq!(production(source), "mod a ; mod b ;");
    }

    #[test]
    fn test_modules_in_their_own_file_are_cut_out() {
        assert_eq!(
            production("#[cfg(all(test, unix))]\nmod tests;\nstruct A;"),
            "struct A ;"
        );
    }

    #[test]
    fn code_that_is_also_built_outside_tests_stays() {
        let kept = "# [ cfg ( not ( test ) ) ] mod a { }";

        assert_eq!(production("#[cfg(not(test))] mod a {}"), kept);
    }
}
