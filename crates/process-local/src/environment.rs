//! The environment of a process as a value: what it inherits, what overrides
//! that, and where its command is searched for. No process is started here.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf, is_separator};

use cassette_format::process::{EffectiveEnvironment, Inheritance, LaunchSpec};

use crate::sys;

/// Variables by which an agent knows that another one started it. They are not
/// inherited; an override may set them.
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

    /// The variables that a process gets.
    #[must_use]
    pub fn effective(&self) -> EffectiveEnvironment {
        self.inherited.iter().chain(self.overrides.iter()).collect()
    }

    /// Where a command is searched for, first match wins: `PATH` of the overrides,
    /// inherited `PATH`, the usual directories of the system. Each directory
    /// comes once. Entries that are not absolute are left out, so that what is run
    /// never depends on where the host happens to be.
    #[must_use]
    pub fn search_directories(&self) -> Vec<PathBuf> {
        let overrides = path_entries(&self.overrides);
        let inherited = path_entries(&self.inherited);
        let usual = sys::FALLBACK_DIRECTORIES.into_iter().map(PathBuf::from);
        let mut known = HashSet::new();
        overrides
            .into_iter()
            .chain(inherited)
            .chain(usual)
            .filter(|directory| directory.is_absolute() && known.insert(directory.clone()))
            .collect()
    }

    /// The file that `command` names. One with a separator is not searched for and
    /// given back as it is.
    #[must_use]
    pub fn find(&self, command: impl AsRef<OsStr>) -> Option<PathBuf> {
        let command = command.as_ref();
        if command
            .as_encoded_bytes()
            .iter()
            .any(|byte| is_separator(char::from(*byte)))
        {
            return Some(PathBuf::from(command));
        }
        let mut candidates = self
            .search_directories()
            .into_iter()
            .map(|directory| directory.join(command));
        candidates.find(|candidate| sys::is_command(Path::new(candidate)))
    }
}

fn path_entries(environment: &EffectiveEnvironment) -> Vec<PathBuf> {
    environment
        .get("PATH")
        .map(|path| std::env::split_paths(path).collect())
        .unwrap_or_default()
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
    fn overrides_are_searched_first_each_directory_once_and_no_relative_one() {
        let environment = Environment::inherited(variables(&[("PATH", "/in:/both::.:rel")]))
            .with_overrides(pairs(&[("PATH", "/over:/both:../up")]));

        let mut expected: Vec<PathBuf> = ["/over", "/both", "/in"].map(PathBuf::from).into();
        expected.extend(sys::FALLBACK_DIRECTORIES.map(PathBuf::from));
        assert_eq!(environment.search_directories(), expected);
    }

    #[test]
    fn a_command_with_a_separator_is_not_searched_for() {
        let environment = Environment::inherited(variables(&[("PATH", "/bin")]));

        assert_eq!(environment.find("./sh"), Some(PathBuf::from("./sh")));
    }

    #[test]
    fn a_command_is_a_file_that_may_be_executed() {
        let environment = Environment::inherited(variables(&[("PATH", "/etc:/bin")]));

        assert_eq!(environment.find("sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(environment.find("passwd.no-such-command"), None);
        assert_eq!(environment.find("hostname.d"), None);
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
