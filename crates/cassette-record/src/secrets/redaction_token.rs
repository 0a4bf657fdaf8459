//! What stands in the place of a secret.

/// The token of a secret: `${REDACTED:NAME}`.
///
/// It may stand in a JSON string as it is, in one inside of another too: what
/// is not an ASCII letter, digit, `_`, `-` or `.` in the name becomes `_`.
#[must_use]
pub fn redaction_token(name: &str) -> String {
    let name = name.replace(
        |character: char| !character.is_ascii_alphanumeric() && !"_-.".contains(character),
        "_",
    );
    format!("${{REDACTED:{name}}}")
}

/// The token where one with the name would hold a secret itself: shorter than
/// any secret.
pub(super) const ANONYMOUS_TOKEN: &str = "***";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_names_the_variable_and_needs_no_escape() {
        assert_eq!(redaction_token("API_KEY"), "${REDACTED:API_KEY}");
        assert_eq!(redaction_token("a.b-c"), "${REDACTED:a.b-c}");
        assert_eq!(redaction_token("a\"\\}\n(é)"), "${REDACTED:a_______}");
    }
}
