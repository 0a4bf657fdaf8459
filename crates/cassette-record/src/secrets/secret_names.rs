//! Which variables hold secrets, judged by their names alone.

use std::collections::BTreeMap;

/// Words that say that a variable holds a secret.
const SECRET_WORDS: [&str; 30] = [
    "ACCESSKEY",
    "APIKEY",
    "AUTH",
    "BEARER",
    "COOKIE",
    "COOKIES",
    "CRED",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "JWT",
    "KEY",
    "KEYS",
    "PASS",
    "PASSCODE",
    "PASSPHRASE",
    "PASSPHRASES",
    "PASSWD",
    "PASSWORD",
    "PASSWORDS",
    "PAT",
    "PRIVATE",
    "PRIVATEKEY",
    "PWD",
    "SECRET",
    "SECRETKEY",
    "SECRETS",
    "SSHPASS",
    "TOKEN",
    "TOKENS",
];

/// What a word may end with to say so: `PGPASSWORD`, `NPMTOKEN`. `KEY` is not
/// among them, because of `MONKEY`.
const SECRET_ENDINGS: [&str; 10] = [
    "APIKEY",
    "ACCESSKEY",
    "SECRETKEY",
    "PRIVATEKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "PASSWD",
    "PASSWORD",
    "SECRET",
    "TOKEN",
];

/// Last words that say that the variable tells where a secret is, or how long
/// it lives, whatever stands before.
const ABOUT_A_SECRET: [&str; 18] = [
    "AGE",
    "COUNT",
    "DIR",
    "DIRECTORY",
    "ENABLED",
    "EXPIRES",
    "EXPIRY",
    "FILE",
    "FILENAME",
    "FOLDER",
    "LENGTH",
    "LIMIT",
    "PATH",
    "SOCK",
    "SOCKET",
    "TIMEOUT",
    "TTL",
    "TTY",
];

/// Last words behind which `AUTH` says only what the variable is about.
const ABOUT_AUTH: [&str; 14] = [
    "DOMAIN", "ENDPOINT", "HOST", "ISSUER", "METHOD", "MODE", "PORT", "PROVIDER", "REALM",
    "SERVER", "TYPE", "URI", "URL", "USER",
];

/// Words that make `TOKENS` a number: `MAX_OUTPUT_TOKENS`.
const MEASURES: [&str; 8] = [
    "BUDGET", "CONTEXT", "INPUT", "MAX", "MIN", "NUM", "OUTPUT", "THINKING",
];

/// Names that look secret and are not: `GIT_CONFIG_KEY_0` holds the name of a setting.
const PUBLIC: [&[&str]; 1] = [&["GIT", "CONFIG", "KEY"]];

/// Decides by its name whether a variable holds a secret.
///
/// A name is cut into words at everything that is not a letter or a digit,
/// digits at the end of a word are dropped, and case does not matter. It is
/// secret if one of its words is: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`,
/// `PASSWD`, `PASSPHRASE`, `PASS`, `PAT`, `CREDENTIAL`, `CREDS`, `AUTH`,
/// `BEARER`, `JWT`, `COOKIE`, `PRIVATE` and their plurals; or if a word ends
/// so: `PGPASSWORD`, `NPMTOKEN`. `PWD` is one only behind another word
/// (`MYSQL_PWD`).
///
/// It is not if its last word says that only something about a secret is told:
/// `SSH_AUTH_SOCK`, `TOKEN_FILE`, `AUTH_URL`. Nor are `GIT_CONFIG_KEY_0`, `KEYBOARD`, `MONKEY`,
/// `XAUTHORITY`, `GIT_AUTHOR_NAME`, `SSH_ASKPASS`, `TOKENIZERS_PARALLELISM` and
/// `MAX_OUTPUT_TOKENS`. Where it is wrong, say so with
/// [`with`](Self::with) and [`without`](Self::without).
///
/// ```
/// use cassette_record::SecretNames;
///
/// let names = SecretNames::default().with("DATABASE_URL").without("GPG_KEY");
/// assert!(names.is_secret("OPENAI_API_KEY"));
/// assert!(names.is_secret("database_url"));
/// assert!(!names.is_secret("GPG_KEY"));
/// assert!(!names.is_secret("SSH_AUTH_SOCK"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecretNames {
    /// By name in upper case.
    decided: BTreeMap<String, Decision>,
    others: Others,
}

/// What the caller said of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Secret,
    Public,
}

/// What becomes of the names of which the caller said nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Others {
    #[default]
    ByWords,
    Public,
}

impl SecretNames {
    /// No name but those added.
    #[must_use]
    pub const fn only_added() -> Self {
        Self {
            decided: BTreeMap::new(),
            others: Others::Public,
        }
    }

    /// Takes this name for secret, whatever its words say.
    #[must_use]
    pub fn with(self, name: &str) -> Self {
        self.decide(name, Decision::Secret)
    }

    /// Takes this name for public, whatever its words say.
    #[must_use]
    pub fn without(self, name: &str) -> Self {
        self.decide(name, Decision::Public)
    }

    /// Whether a variable of this name holds a secret.
    #[must_use]
    pub fn is_secret(&self, name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        match (self.decided.get(&name), self.others) {
            (Some(decision), _) => *decision == Decision::Secret,
            (None, Others::ByWords) => is_secret_by_words(&name),
            (None, Others::Public) => false,
        }
    }

    fn decide(mut self, name: &str, decision: Decision) -> Self {
        self.decided.insert(name.to_ascii_uppercase(), decision);
        self
    }
}

/// Judges a name in upper case.
fn is_secret_by_words(name: &str) -> bool {
    let words: Vec<&str> = name
        .split(|character: char| !character.is_alphanumeric())
        .map(|word| word.trim_end_matches(|character: char| character.is_ascii_digit()))
        .filter(|word| !word.is_empty())
        .collect();
    let Some(last) = words.last() else {
        return false;
    };
    if ABOUT_A_SECRET.contains(last) || PUBLIC.contains(&&words[..]) {
        return false;
    }
    words
        .iter()
        .enumerate()
        .any(|(position, word)| match *word {
            "PWD" => position > 0,
            "AUTH" => !ABOUT_AUTH.contains(last),
            "TOKENS" => !words.iter().any(|word| MEASURES.contains(word)),
            word => {
                SECRET_WORDS.contains(&word)
                    || SECRET_ENDINGS.iter().any(|ending| word.ends_with(ending))
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_secret_word_are_secret() {
        for name in [
            "OPENAI_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "aws_session_token",
            "GITHUB_PAT",
            "DB_PASS",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SSHPASS",
            "NPMTOKEN",
            "npm_config_//registry.example/:_authToken",
            "KEY",
            "API_KEY_2",
            "TOKEN2",
            "GOOGLE_CREDENTIALS",
            "BROWSER_COOKIE",
            "NPM_AUTH",
            "API_TOKENS",
            "GPG_PRIVATE",
            "x-api-key",
        ] {
            assert!(SecretNames::default().is_secret(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_look_alike_are_public() {
        for name in [
            "SSH_AUTH_SOCK",
            "GIT_CONFIG_KEY_0",
            "KEYBOARD",
            "XAUTHORITY",
            "MONKEY",
            "GPG_TTY",
            "TOKENIZERS_PARALLELISM",
            "GIT_AUTHOR_NAME",
            "SSH_ASKPASS",
            "PWD",
            "OLDPWD",
            "PATH",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
            "MAX_THINKING_TOKENS",
            "OAUTH_TOKEN_FILE",
            "AUTH_URL",
            "COMPASS_HOME",
            "HOME",
            "",
            "___",
        ] {
            assert!(!SecretNames::default().is_secret(name), "{name}");
        }
    }

    #[test]
    fn the_caller_has_the_last_word_whatever_the_case() {
        let names = SecretNames::default()
            .with("database_url")
            .without("Gpg_Key");
        assert!(names.is_secret("DATABASE_URL"));
        assert!(!names.is_secret("GPG_KEY"));
        assert!(names.clone().with("GPG_KEY").is_secret("gpg_key"));
        assert!(!names.without("DATABASE_URL").is_secret("DATABASE_URL"));
    }

    #[test]
    fn only_added_names_are_secret_where_nothing_else_is_wanted() {
        let names = SecretNames::only_added().with("A");
        assert!(names.is_secret("a"));
        assert!(!names.is_secret("API_KEY"));
    }
}
