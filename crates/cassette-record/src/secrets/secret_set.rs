//! The secrets that are looked for: names and values, held in memory only.

use std::fmt;

use cassette_format::process::EffectiveEnvironment;

use super::{SecretName, SecretNames};

/// Bytes that a value must have: shorter ones occur by chance.
const MIN_VALUE: usize = 8;
/// Bytes that a value may have: the filter's memory grows with all forms of
/// it, some 20 times as long together.
const MAX_VALUE: usize = 16 << 10;
/// Bytes that a line must have to be looked for by itself.
const MIN_LINE: usize = 16;

/// Names and values of secrets. `Debug` shows the names only.
#[derive(Clone, Default)]
pub struct Secrets {
    entries: Vec<Entry>,
}

/// Why a value is not looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretRefused {
    /// It would be found everywhere.
    #[error("value of {name} has {length} bytes, secrets must have {MIN_VALUE} or more")]
    TooShort {
        /// The variable.
        name: SecretName,
        /// Bytes of the value, white space around it not counted.
        length: usize,
    },
    /// Its forms would take too much memory.
    #[error("value of {name} has {length} bytes, secrets may have {MAX_VALUE}")]
    TooLong {
        /// The variable.
        name: SecretName,
        /// Bytes of the value, white space around it not counted.
        length: usize,
    },
}

/// One thing to look for: a value or a line of one.
#[derive(Clone)]
struct Entry {
    name: SecretName,
    value: Vec<u8>,
}

impl Secrets {
    /// No secret at all.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// The values of those variables that `names` takes for secret, and why
    /// some of them are not looked for. Empty variables hide nothing and are
    /// passed over.
    #[must_use]
    pub fn from_environment(
        environment: &EffectiveEnvironment,
        names: &SecretNames,
    ) -> (Self, Vec<SecretRefused>) {
        let mut secrets = Self::new();
        let mut refused = Vec::new();
        for (name, value) in environment.iter() {
            let name = name.to_string_lossy();
            let value = value.as_encoded_bytes();
            if !names.is_secret(&name) || value.trim_ascii().is_empty() {
                continue;
            }
            if let Err(reason) = secrets.add(&name, value) {
                refused.push(reason);
            }
        }
        (secrets, refused)
    }

    /// Adds a value, and each longer line of one that has several. White space
    /// around values and lines does not count. Of a value that was added
    /// before, the first name stays.
    ///
    /// # Errors
    /// If the value has less than 8 bytes or more than 16 KiB; nothing is added
    /// then.
    pub fn add(&mut self, name: &str, value: impl AsRef<[u8]>) -> Result<(), SecretRefused> {
        let name = SecretName::new(name);
        let value = value.as_ref().trim_ascii();
        let length = value.len();
        if length < MIN_VALUE {
            return Err(SecretRefused::TooShort { name, length });
        }
        if length > MAX_VALUE {
            return Err(SecretRefused::TooLong { name, length });
        }
        self.insert(&name, value);
        let lines = value.split(|byte| matches!(byte, b'\n' | b'\r'));
        for line in lines.map(<[u8]>::trim_ascii) {
            if line.len() >= MIN_LINE && !line.starts_with(b"-----") {
                self.insert(&name, line);
            }
        }
        Ok(())
    }

    /// Adds all of another set.
    pub fn extend(&mut self, others: Self) {
        for Entry { name, value } in others.entries {
            self.insert(&name, &value);
        }
    }

    /// How many values and lines of values are looked for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names, in the order in which they were added, each once.
    pub fn names(&self) -> impl Iterator<Item = &SecretName> {
        let mut seen = std::collections::BTreeSet::new();
        self.entries
            .iter()
            .map(|entry| &entry.name)
            .filter(move |name| seen.insert(*name))
    }

    /// Everything to look for, lines too.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&SecretName, &[u8])> {
        self.entries
            .iter()
            .map(|entry| (&entry.name, &entry.value[..]))
    }

    fn insert(&mut self, name: &SecretName, value: &[u8]) {
        if self.entries.iter().all(|entry| entry.value != value) {
            let (name, value) = (name.clone(), value.to_vec());
            self.entries.push(Entry { name, value });
        }
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(secrets: &Secrets) -> Vec<(&str, &[u8])> {
        secrets
            .iter()
            .map(|(name, value)| (name.as_str(), value))
            .collect()
    }

    #[test]
    fn short_and_long_values_are_refused_without_being_shown() {
        let mut secrets = Secrets::new();
        let short = secrets.add("A_KEY", "  7 bytes\n").unwrap_err();
        assert_eq!(
            short.to_string(),
            "value of A_KEY has 7 bytes, secrets must have 8 or more"
        );
        let long = secrets.add("A_KEY", vec![b'x'; MAX_VALUE + 1]).unwrap_err();
        assert_eq!(
            long.to_string(),
            "value of A_KEY has 16385 bytes, secrets may have 16384"
        );
        assert!(!format!("{short:?}{long:?}").contains("7 bytes\\"));
        assert!(secrets.is_empty());
    }

    #[test]
    fn debug_shows_names_only() {
        let mut secrets = Secrets::new();
        secrets.add("A_KEY", "s3cret-value").unwrap();
        secrets.add("B_KEY", "s3cret-other").unwrap();
        assert_eq!(format!("{secrets:?}"), r#"{"A_KEY", "B_KEY"}"#);
    }

    #[test]
    fn the_first_name_of_a_value_stays() {
        let mut secrets = Secrets::new();
        secrets.add("A", "s3cret-value").unwrap();
        secrets.add("B", " s3cret-value\n").unwrap();
        assert_eq!(entries(&secrets), [("A", &b"s3cret-value"[..])]);
    }

    #[test]
    fn longer_lines_are_secrets_of_the_same_name() {
        let value = "-----BEGIN PRIVATE KEY-----\r\n0123456789abcdef\r\n  fedcba9876543210\nshort\n-----END PRIVATE KEY-----\n";
        let mut secrets = Secrets::new();
        secrets.add("PEM", value).unwrap();
        assert_eq!(
            entries(&secrets),
            [
                ("PEM", value.trim().as_bytes()),
                ("PEM", b"0123456789abcdef"),
                ("PEM", b"fedcba9876543210"),
            ]
        );
    }

    #[test]
    fn secrets_come_from_the_environment_by_their_names() {
        let environment = EffectiveEnvironment::from_iter([
            ("API_KEY", "abcdefgh"),
            ("HOME", "/home/ada"),
            ("CI_TOKEN", "true"),
            ("NPM_TOKEN", ""),
        ]);
        let (secrets, refused) = Secrets::from_environment(&environment, &SecretNames::default());
        assert_eq!(entries(&secrets), [("API_KEY", &b"abcdefgh"[..])]);
        let name = SecretName::new("CI_TOKEN");
        assert_eq!(refused, [SecretRefused::TooShort { name, length: 4 }]);
    }
}
