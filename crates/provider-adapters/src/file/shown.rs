//! Texts of a file as they are shown in an error: short, on one line.

/// Characters that are shown; the others become `…`.
const MAX_CHARS: usize = 60;

/// The text with its control characters escaped, cut when it is long.
pub(super) fn shown(text: &str) -> String {
    let mut characters = text.chars();
    let mut shown: String = characters
        .by_ref()
        .take(MAX_CHARS)
        .flat_map(char::escape_debug)
        .collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Names as a list for people: `` `a`, `b` or `c` ``.
pub(super) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_text_stays_on_one_short_line() {
        assert_eq!(shown("a\nb"), "a\\nb");
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
    }

    #[test]
    fn names_are_listed_for_people() {
        assert_eq!(listed(&[]), "");
        assert_eq!(listed(&["a"]), "`a`");
        assert_eq!(listed(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
