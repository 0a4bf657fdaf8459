//! The environment of a process as a value: what it inherits, and what overrides
//! that. No process is started here.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use cassette_format::process::{EffectiveEnvironment, Inheritance, LaunchSpec};

use crate::search_path::SearchPath;
use crate::verified::is_refused;

/// Variables by which an agent knows that another one started it: CLAUDECODE,
/// CLAUDE_CODE_ENTRYPOINT, CLAUDE_CODE_SESSION_ID and CLAUDE_CODE_CHILD_SESSION. They
/// are not inherited; an override may set them.
pub const NESTING_GUARDS: [&str; 4] = [
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_CHILD_SESSION",
];

/// Inherited variables and overrides. `Debug` shows names only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    inherited: EffectiveEnvironment,
    overrides: EffectiveEnvironment,
}

impl Environment {
    /// An environment that inherits `variables`, but for [`NESTING_GUARDS`].
    #[must_use]
    pub fn inherited(mut variables: EffectiveEnvironment) -> Self {
        for guard in NESTING_GUARDS {
            variables.remove(guard);
        }
        Self {
            inherited: variables,
            overrides: EffectiveEnvironment::empty(),
        }
    }

    /// The environment of a launch from this process.
    #[must_use]
    pub fn of_launch(spec: &LaunchSpec) -> Self {
        let environment = match spec.inheritance {
            Inheritance::Inherit => Self::inherited(std::env::vars_os().collect()),
            Inheritance::Clear => Self::default(),
        };
        environment.with_overrides(spec.environment.iter().cloned())
    }

    /// With further overrides; the last value of a name wins.
    #[must_use]
    pub fn with_overrides(
        mut self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        for (name, value) in variables {
            self.overrides.set(name, value);
        }
        self
    }

    /// Without the inherited variables that a verified program must not get.
    pub(crate) fn without_refused(mut self) -> Self {
        let variables = std::mem::take(&mut self.inherited);
        let kept = variables.iter().filter(|(name, _)| !is_refused(name));
        self.inherited = kept.collect();
        self
    }

    /// The variables that a process gets.
    #[must_use]
    pub fn effective(&self) -> EffectiveEnvironment {
        self.inherited.iter().chain(self.overrides.iter()).collect()
    }

    /// The first name that no process can be given: an empty one, or one with `=` or a
    /// zero byte in it.
    pub(crate) fn unsayable_name(&self) -> Option<String> {
        let unsayable = |name: &OsStr| {
            let bytes = name.as_encoded_bytes();
            bytes.is_empty() || bytes.iter().any(|byte| matches!(byte, b'=' | 0))
        };
        let mut names = self.overrides.iter().map(|(name, _)| name);
        let name = names.find(|name| unsayable(name))?;
        Some(name.to_string_lossy().into_owned())
    }

    /// The overrides alone.
    pub(crate) const fn overrides(&self) -> &EffectiveEnvironment {
        &self.overrides
    }

    /// Where commands are searched for in it.
    #[must_use]
    pub fn search_path(&self) -> SearchPath {
        SearchPath::of(&self.overrides, &self.inherited)
    }

    /// The file that `command` names. One with a separator is not searched for and
    /// given back as it is.
    #[must_use]
    pub fn find(&self, command: impl AsRef<OsStr>) -> Option<PathBuf> {
        self.search_path().find(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> EffectiveEnvironment {
        pairs.iter().copied().collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    #[test]
    fn overrides_win_over_inherited_variables_and_the_last_override_over_the_first() {
        let environment = Environment::inherited(variables(&[("A", "1"), ("B", "1")]))
            .with_overrides(pairs(&[("B", "2"), ("C", "2"), ("C", "3")]));

        assert_eq!(
            environment.effective(),
            variables(&[("A", "1"), ("B", "2"), ("C", "3")])
        );
    }

    #[test]
    fn nesting_guards_are_not_inherited_but_may_be_set() {
        let inherited: EffectiveEnvironment = NESTING_GUARDS
            .into_iter()
            .map(|guard| (guard, "1"))
            .chain([("A", "1")])
            .collect();
        let environment = Environment::inherited(inherited);

        assert_eq!(environment.effective(), variables(&[("A", "1")]));
        assert_eq!(
            environment
                .with_overrides(pairs(&[("CLAUDECODE", "0")]))
                .effective(),
            variables(&[("A", "1"), ("CLAUDECODE", "0")])
        );
    }

    #[test]
    fn a_cleared_environment_holds_the_overrides_alone() {
        let mut spec = LaunchSpec::new(["agent"]).with_variable("A", "1");
        spec.inheritance = Inheritance::Clear;

        assert_eq!(
            Environment::of_launch(&spec).effective(),
            variables(&[("A", "1")])
        );
    }

    #[test]
    fn debug_output_never_shows_a_value() {
        let environment = Environment::inherited(variables(&[("KEY", "hush-1")]))
            .with_overrides(pairs(&[("TOKEN", "hush-2")]));

        assert_eq!(
            format!("{environment:?}"),
            r#"Environment { inherited: {"KEY"}, overrides: {"TOKEN"} }"#
        );
    }
}
