//! The environment of a process, as a value whose `Debug` never shows values.

use std::ffi::{OsStr, OsString};
use std::fmt;

/// Whether a process sees the environment of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inheritance {
    /// The host's variables, then the overrides.
    #[default]
    Inherit,
    /// The overrides alone.
    Clear,
}

/// The variables that a process really got: inherited ones and overrides.
///
/// Portability and the secret filter work from this, so that a home directory
/// or key that was only inherited is recognised too. `Debug` shows names only.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct EffectiveEnvironment {
    /// In the order in which they were first set; each name once.
    variables: Vec<(OsString, OsString)>,
}

impl EffectiveEnvironment {
    /// No variable at all.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            variables: Vec::new(),
        }
    }

    /// Sets a variable; the last value of a name wins, at the place of the first.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let (name, value) = (name.into(), value.into());
        match self.variables.iter_mut().find(|(known, _)| *known == name) {
            Some(variable) => variable.1 = value,
            None => self.variables.push((name, value)),
        }
    }

    /// Takes a variable away.
    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        self.variables.retain(|(known, _)| known != name.as_ref());
    }

    /// The value of the variable with exactly this name.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.iter()
            .find(|(known, _)| *known == name.as_ref())
            .map(|(_, value)| value)
    }

    /// The value of a variable whose name equals `name` without ASCII case; an
    /// exact match comes first.
    #[must_use]
    pub fn get_ignoring_case(&self, name: &str) -> Option<&OsStr> {
        self.get(name).or_else(|| {
            self.iter()
                .find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value)
        })
    }

    /// All variables, in the order in which they were first set.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// How many variables there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there is no variable.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for EffectiveEnvironment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let mut environment = Self::empty();
        for (name, value) in variables {
            environment.set(name, value);
        }
        environment
    }
}

impl fmt::Debug for EffectiveEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.variables.iter().map(|(name, _)| name))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_never_shows_a_value() {
        let environment = EffectiveEnvironment::from_iter([("API_KEY", "s3cret-value")]);
        let shown = format!("{environment:?}");
        assert_eq!(shown, r#"{"API_KEY"}"#);
    }

    #[test]
    fn exact_names_win_over_names_that_differ_by_case() {
        let environment = EffectiveEnvironment::from_iter([("HOME", "/a"), ("home", "/b")]);
        assert_eq!(
            environment.get_ignoring_case("home"),
            Some(OsStr::new("/b"))
        );
        assert_eq!(
            environment.get_ignoring_case("Home"),
            Some(OsStr::new("/a"))
        );
    }
}
