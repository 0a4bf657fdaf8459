//! Texts from a tape, on one line, unable to steer a terminal.

/// The text with control characters, line feeds and invisible signs escaped. Quotes
/// and backslashes stay as they are.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_debug());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character is not seen, or changes the order in which others are.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_steers_a_terminal_is_escaped_and_text_stays() {
        let steering = "\u{1b}[31m a\"b\\ e\u{301} 漢 हि\n\u{202e}\u{7f}\u{9b}";
        let shown = "\\u{1b}[31m a\"b\\ e\u{301} 漢 हि\\n\\u{202e}\\u{7f}\\u{9b}";
        assert_eq!(super::escaped(steering), shown);
    }
}
