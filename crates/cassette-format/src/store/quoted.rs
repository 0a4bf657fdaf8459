//! Texts from a file inside an error: between backticks, on one line, short.

use std::fmt::{self, Write};

/// More characters than this are cut.
const LIMIT: usize = 120;

/// Shows `text` so that it can neither break a line nor steer a terminal.
pub(super) const fn quoted(text: &str) -> Quoted<'_> {
    Quoted(text)
}

/// A text that is shown with care.
pub(super) struct Quoted<'t>(&'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('`')?;
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(LIMIT) {
            if character == '"' || character == '\'' || character == '\\' {
                f.write_char(character)?;
            } else {
                write!(f, "{}", character.escape_debug())?;
            }
        }
        f.write_str(if characters.next().is_some() {
            "…`"
        } else {
            "`"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_quotes_are_not() {
        let shown = quoted("a\u{1b}[2J\n\"é\\").to_string();
        assert_eq!(shown, "`a\\u{1b}[2J\\n\"é\\`");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(
            quoted(&"x".repeat(LIMIT)).to_string().chars().count(),
            LIMIT + 2
        );
        assert_eq!(
            quoted(&"x".repeat(LIMIT + 1)).to_string(),
            format!("`{}…`", "x".repeat(LIMIT))
        );
    }
}
