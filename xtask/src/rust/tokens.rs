//! The flat list of a file's tokens. What a token means is for the sibling modules to say.

use std::str::FromStr as _;

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree};

/// A word, a mark, a bracket or a literal. `::` is one token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// As written; empty for literals, so that no rule looks into them.
    pub(crate) text: String,
    /// The first line, from 1.
    pub(crate) line: usize,
    /// The last line; differs from `line` for long literals.
    pub(crate) last_line: usize,
}

impl Token {
    fn new(text: impl Into<String>, span: Span) -> Self {
        Self {
            text: text.into(),
            line: span.start().line,
            last_line: span.end().line,
        }
    }

    /// Whether the token is exactly this text.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// Whether the token is an identifier or a keyword.
    pub(crate) fn is_word(&self) -> bool {
        self.text
            .starts_with(|first: char| first == '_' || first.is_alphabetic())
    }
}

/// A file that is not Rust.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LexFailure {
    /// The line where reading failed, from 1.
    pub(crate) line: usize,
}

/// Splits a file into tokens; comments and documentation leave none.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, LexFailure> {
    let stream = TokenStream::from_str(without_shebang(text)).map_err(|error| LexFailure {
        line: error.span().start().line,
    })?;
    let mut flat = Vec::new();
    flatten(stream, &mut flat);
    Ok(flat)
}

/// The position of the bracket that closes the one at `open`, or the last position.
pub(crate) fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return position;
        }
    }
    tokens.len().saturating_sub(1)
}

/// Drops a `#!/…` line but not its line feed, so that line numbers stay.
fn without_shebang(text: &str) -> &str {
    if text.starts_with("#!") && !text.starts_with("#![") {
        text.find('\n').map_or("", |end| &text[end..])
    } else {
        text
    }
}

fn flatten(stream: TokenStream, flat: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Group(group) => flatten_group(&group, flat),
            TokenTree::Ident(word) => flat.push(Token::new(word.to_string(), word.span())),
            TokenTree::Literal(literal) => flat.push(Token::new("", literal.span())),
            TokenTree::Punct(mark) if mark.as_char() == '#' && is_comment(mark.span()) => {
                // The lexer turns documentation into `#[doc = "…"]`: skip up to its brackets.
                for skipped in trees.by_ref() {
                    if matches!(skipped, TokenTree::Group(_)) {
                        break;
                    }
                }
            }
            TokenTree::Punct(mark) => {
                let doubled = mark.as_char() == ':'
                    && mark.spacing() == Spacing::Joint
                    && matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                if doubled {
                    trees.next();
                    flat.push(Token::new("::", mark.span()));
                } else {
                    flat.push(Token::new(mark.as_char(), mark.span()));
                }
            }
        }
    }
}

fn flatten_group(group: &Group, flat: &mut Vec<Token>) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => return flatten(group.stream(), flat),
    };
    flat.push(Token::new(open, group.span_open()));
    flatten(group.stream(), flat);
    flat.push(Token::new(close, group.span_close()));
}

fn is_comment(span: Span) -> bool {
    span.source_text().is_some_and(|text| text.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(String, usize)> {
        tokens(source)
            .unwrap()
            .into_iter()
            .map(|token| (token.text, token.line))
            .collect()
    }

    #[test]
    fn comments_documentation_and_strings_leave_no_words() {
        let source =
            "//! fn a\n/// fn b\n/* fn c */ const D: &str = \"fn e\"; // fn f\n/** fn g */";

        let words: Vec<_> = tokens(source)
            .unwrap()
            .into_iter()
            .filter(Token::is_word)
            .map(|token| token.text)
            .collect();

        assert_eq!(words, ["const", "D", "str"]);
    }

    #[test]
    fn attributes_stay_and_double_colons_are_one_token() {
        let expected = ["#", "[", "a", "::", "b", "]"].map(|text| (text.to_owned(), 2));

        assert_eq!(texts("\n#[a::b]"), expected);
    }

    #[test]
    fn shebang_keeps_the_line_numbers() {
        assert_eq!(texts("#!/usr/bin/env run\nx"), [("x".to_owned(), 2)]);
    }

    #[test]
    fn unreadable_text_says_where() {
        assert_eq!(tokens("fn a() {}\n}"), Err(LexFailure { line: 2 }));
    }
}
