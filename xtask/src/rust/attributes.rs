//! The attributes of a file: `#[…]` and `#![…]`, with what is between the brackets.

use super::{Token, closing};

/// One attribute.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attribute<'a> {
    /// The line of its `#`, from 1.
    pub(crate) line: usize,
    /// Whether it is `#![…]`.
    pub(crate) inner: bool,
    /// The tokens between the brackets.
    pub(crate) tokens: &'a [Token],
    /// The position after its closing bracket in the list it was found in.
    pub(crate) end: usize,
}

impl Attribute<'_> {
    /// Whether the attribute is this word, with or without arguments.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.tokens.first().is_some_and(|first| first.is(name))
    }

    /// Whether this word occurs anywhere in it.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.is(word))
    }
}

/// All attributes in order.
pub(crate) fn attributes(tokens: &[Token]) -> Vec<Attribute<'_>> {
    (0..tokens.len())
        .filter_map(|position| attribute_at(tokens, position))
        .collect()
}

fn attribute_at(tokens: &[Token], start: usize) -> Option<Attribute<'_>> {
    if !tokens[start].is("#") {
        return None;
    }
    let inner = tokens.get(start + 1)?.is("!");
    let open = start + 1 + usize::from(inner);
    if !tokens.get(open)?.is("[") {
        return None;
    }
    let close = closing(tokens, open);
    Some(Attribute {
        line: tokens[start].line,
        inner,
        tokens: &tokens[open + 1..close],
        end: close + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::tokens;

    #[test]
    fn inner_and_outer_attributes_are_found_with_their_lines() {
        let tokens = tokens("#![forbid(unsafe_code)]\n#[test]\nfn a() {}").unwrap();

        let found: Vec<_> = attributes(&tokens)
            .iter()
            .map(|attribute| (attribute.line, attribute.inner, attribute.tokens.len()))
            .collect();

        assert_eq!(found, [(1, true, 4), (2, false, 1)]);
    }
}
