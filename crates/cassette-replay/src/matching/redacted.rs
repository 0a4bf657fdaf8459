//! Recorded texts in which secrets were replaced by `${REDACTED:NAME}`.

use std::collections::BTreeMap;
use std::fmt;

use memchr::memmem;

/// The secrets of this side, by the name that stands in their tokens.
#[derive(Clone, Default)]
pub(super) struct Secrets(BTreeMap<String, Option<String>>);

/// How a token begins.
const OPEN: &str = "${REDACTED:";

/// A token of the text and where it stands.
struct Token<'t> {
    before: &'t str,
    name: &'t str,
    behind: &'t str,
}

impl Secrets {
    /// Those of these variables. Of two with the same name in a token none is known.
    pub(super) fn new(variables: &[(&str, &str)]) -> Self {
        let mut secrets = BTreeMap::new();
        for (name, value) in variables.iter().filter(|(_, value)| !value.is_empty()) {
            let same = |known: &mut Option<String>| {
                if known.as_deref() != Some(*value) {
                    *known = None;
                }
            };
            let entry = secrets.entry(name_in_token(name)).and_modify(same);
            entry.or_insert_with(|| Some((*value).to_owned()));
        }
        Self(secrets)
    }

    /// Whether `sent` is what `recorded` says, tokens standing for this side's
    /// values, or for any text where none is known.
    pub(super) fn agree(&self, recorded: &str, sent: &str) -> bool {
        let Some(pieces) = self.pieces(recorded) else {
            return false;
        };
        let (Some((first, rest)), Some((last, middle))) =
            (pieces.split_first(), pieces.split_last())
        else {
            return false;
        };
        if rest.is_empty() {
            return first == sent;
        }
        let Some(inside) = sent
            .strip_prefix(first.as_str())
            .and_then(|sent| sent.strip_suffix(last.as_str()))
        else {
            return false;
        };
        let mut inside = inside.as_bytes();
        middle.iter().skip(1).all(|piece| {
            let found = memmem::find(inside, piece.as_bytes());
            inside = found.map_or(&[][..], |at| &inside[at + piece.len()..]);
            found.is_some()
        })
    }

    /// `text` with tokens in the place of the secrets.
    pub(super) fn masked(&self, text: &str) -> String {
        let known = self.0.iter();
        let known = known.filter_map(|(name, value)| Some((name, value.as_deref()?)));
        let mut known: Vec<(&String, &str)> = known.collect();
        // One may be the beginning of another.
        known.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        known
            .into_iter()
            .fold(text.to_owned(), |text, (name, value)| {
                text.replace(value, &format!("{OPEN}{name}}}"))
            })
    }

    /// Whether a recorded text holds a token whose value is not known here.
    pub(super) fn is_unknown_in(&self, recorded: &str) -> bool {
        let mut rest = recorded;
        while let Some(token) = next_token(rest) {
            if !matches!(self.0.get(token.name), Some(Some(_))) {
                return true;
            }
            rest = token.behind;
        }
        false
    }

    /// The texts between which anything may stand; `None` where no token is.
    fn pieces(&self, recorded: &str) -> Option<Vec<String>> {
        let mut pieces = Vec::new();
        let (mut piece, mut rest) = (String::new(), recorded);
        let mut found = false;
        while let Some(token) = next_token(rest) {
            found = true;
            piece.push_str(token.before);
            match self.0.get(token.name) {
                Some(Some(value)) => piece.push_str(value),
                _ => pieces.push(std::mem::take(&mut piece)),
            }
            rest = token.behind;
        }
        piece.push_str(rest);
        pieces.push(piece);
        found.then_some(pieces)
    }
}

impl fmt::Debug for Secrets {
    /// Shows the names, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn next_token(text: &str) -> Option<Token<'_>> {
    let (before, rest) = text.split_once(OPEN)?;
    let (name, behind) = rest.split_once('}')?;
    Some(Token {
        before,
        name,
        behind,
    })
}

/// The name as it stands in a token: what is not an ASCII letter, digit, `_`, `-`
/// or `.` becomes `_`.
fn name_in_token(name: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    name.replace(|character| !plain(character), "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_value_matches_only_itself() {
        let secrets = Secrets::new(&[("API_KEY", "sk-12345"), ("EMPTY", "")]);
        assert!(secrets.agree("Bearer ${REDACTED:API_KEY}.", "Bearer sk-12345."));
        assert!(!secrets.agree("Bearer ${REDACTED:API_KEY}.", "Bearer sk-1234."));
        assert!(!secrets.agree("sk-12345", "sk-12345"), "no token");
        assert!(secrets.agree("${REDACTED:EMPTY}", "anything"));
    }

    #[test]
    fn an_unknown_value_matches_any_text_between_what_stands_around_it() {
        let secrets = Secrets::default();
        let recorded = "a${REDACTED:X}b${REDACTED:Y}${REDACTED:Z}c";
        for sent in ["abc", "aXbYc", "abbcbc"] {
            assert!(secrets.agree(recorded, sent), "{sent}");
        }
        for sent in ["", "ac", "bXbc", "aXbY", "aXcYc"] {
            assert!(!secrets.agree(recorded, sent), "{sent}");
        }
        assert!(!secrets.agree("ab${REDACTED:X}bc", "abc"), "no overlap");
    }

    #[test]
    fn two_variables_with_one_name_in_tokens_are_not_told_apart() {
        let secrets = Secrets::new(&[("A B", "first"), ("A_B", "second")]);
        assert!(secrets.agree("${REDACTED:A_B}", "either"));
        assert!(secrets.is_unknown_in("${REDACTED:A_B}"));
    }

    #[test]
    fn secrets_are_masked_and_never_shown() {
        let secrets = Secrets::new(&[("API_KEY", "sk-12345")]);
        assert_eq!(secrets.masked("x sk-12345 y"), "x ${REDACTED:API_KEY} y");
        assert_eq!(format!("{secrets:?}"), r#"{"API_KEY"}"#);
        assert!(secrets.is_unknown_in("${REDACTED:API_KEY} ${REDACTED:OTHER}"));
        assert!(!secrets.is_unknown_in("${REDACTED:API_KEY}"));
    }
}
