//! Where a command is searched for: directories in order, each with the reason
//! why it is among them. What a command may be is for [`sys`](crate::sys) to say.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf, is_separator};

use cassette_format::process::EffectiveEnvironment;

use crate::sys;

/// Variables by which version managers say where they are, and where their
/// commands are below that. Read from the overrides and what is inherited.
///
/// As the managers' documentation has it: `n` and Volta keep commands in `bin`,
/// asdf and mise keep shims, fnm an alias of the default version; pnpm had them in
/// its home itself before version 11, and has them in `bin` since.
const MANAGERS: [(&str, &str); 7] = [
    ("N_PREFIX", "bin"),
    ("PNPM_HOME", ""),
    ("PNPM_HOME", "bin"),
    ("VOLTA_HOME", "bin"),
    ("ASDF_DATA_DIR", "shims"),
    ("MISE_DATA_DIR", "shims"),
    ("FNM_DIR", "aliases/default/bin"),
];

/// The directories in which a command is searched for, first match wins. Each is
/// absolute and comes once.
///
/// In order: `PATH` of the overrides; the directories of version managers that the
/// environment names; inherited `PATH`; the usual directories of the system and
/// below the home, so that a host started from a desktop, whose `PATH` is short,
/// finds what its user installed.
///
/// Entries that are not absolute are left out: what is run never depends on where
/// the host happens to be.
///
/// `Display` shows a directory a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    directories: Vec<SearchDirectory>,
}

/// A directory in which commands are searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchDirectory {
    /// The directory, whether it exists or not.
    pub path: PathBuf,
    /// Why it is searched.
    pub origin: SearchOrigin,
}

/// Why a directory is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchOrigin {
    /// The launch has it in `PATH`.
    Override,
    /// This variable of a version manager names it.
    Manager(&'static str),
    /// The host has it in `PATH`.
    Inherited,
    /// Commands are usually there.
    Usual,
}

impl SearchPath {
    pub(crate) fn of(overrides: &EffectiveEnvironment, inherited: &EffectiveEnvironment) -> Self {
        let entries = |environment, origin| {
            let entries = path_entries(environment).into_iter();
            entries.map(move |path| SearchDirectory { path, origin })
        };
        let value = |name: &str| overrides.get(name).or_else(|| inherited.get(name));
        let managers = MANAGERS.into_iter().filter_map(|(name, below)| {
            let mut path = PathBuf::from(value(name)?);
            if !below.is_empty() {
                path.push(below);
            }
            let origin = SearchOrigin::Manager(name);
            Some(SearchDirectory { path, origin })
        });
        let home = value("HOME").or_else(|| value("USERPROFILE"));
        let below_home = home.into_iter().flat_map(|home| {
            let below = sys::HOME_DIRECTORIES.into_iter();
            below.map(|below| Path::new(home).join(below))
        });
        let usual = sys::SYSTEM_DIRECTORIES.into_iter().map(PathBuf::from);
        let usual = below_home.chain(usual).map(|path| SearchDirectory {
            path,
            origin: SearchOrigin::Usual,
        });
        let mut known = HashSet::new();
        let directories = entries(overrides, SearchOrigin::Override)
            .chain(managers)
            .chain(entries(inherited, SearchOrigin::Inherited))
            .chain(usual)
            .filter(|directory| directory.path.is_absolute())
            .filter(|directory| known.insert(directory.path.clone()))
            .collect();
        Self { directories }
    }

    /// The directories, first to last.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &SearchDirectory> {
        self.directories.iter()
    }

    /// The directories alone, first to last.
    #[must_use]
    pub fn into_paths(self) -> Vec<PathBuf> {
        let directories = self.directories.into_iter();
        directories.map(|directory| directory.path).collect()
    }

    /// The file that `command` names. One with a separator is not searched for and
    /// given back as it is.
    #[must_use]
    pub fn find(&self, command: impl AsRef<OsStr>) -> Option<PathBuf> {
        let command = command.as_ref();
        let mut bytes = command.as_encoded_bytes().iter();
        if bytes.any(|byte| is_separator(char::from(*byte))) {
            return Some(PathBuf::from(command));
        }
        let mut candidates = self.iter().map(|directory| directory.path.join(command));
        candidates.find_map(sys::command_file)
    }

    /// All of it as a value of `PATH`, for a launch whose process should find by
    /// itself what its host finds: many an agent is a script that begins with
    /// `#!/usr/bin/env node`.
    ///
    /// Directories whose names hold the separator of `PATH` are left out.
    ///
    /// ```
    /// use process_local::{Environment, LaunchSpec};
    ///
    /// let spec = LaunchSpec::new(["agent"]);
    /// let path = Environment::of_launch(&spec).search_path();
    /// let spec = spec.with_variable("PATH", path.to_path_variable());
    /// # assert!(!spec.environment.is_empty());
    /// ```
    #[must_use]
    pub fn to_path_variable(&self) -> OsString {
        let sayable = |path: &&PathBuf| std::env::join_paths([path]).is_ok();
        let paths = self.directories.iter().map(|directory| &directory.path);
        std::env::join_paths(paths.filter(sayable)).unwrap_or_default()
    }
}

impl fmt::Display for SearchPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for SearchDirectory { path, origin } in &self.directories {
            writeln!(f, "{} ({origin})", path.display())?;
        }
        Ok(())
    }
}

impl fmt::Display for SearchOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Override => "PATH of the launch",
            Self::Manager(variable) => variable,
            Self::Inherited => "PATH",
            Self::Usual => "usual place",
        })
    }
}

pub(crate) fn path_entries(environment: &EffectiveEnvironment) -> Vec<PathBuf> {
    environment
        .get_ignoring_case("PATH")
        .map(|path| std::env::split_paths(path).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(overrides: &[(&str, &str)], inherited: &[(&str, &str)]) -> SearchPath {
        SearchPath::of(
            &overrides.iter().copied().collect(),
            &inherited.iter().copied().collect(),
        )
    }

    fn but_for_usual_places(path: &SearchPath) -> Vec<(&str, SearchOrigin)> {
        path.iter()
            .filter(|directory| directory.origin != SearchOrigin::Usual)
            .map(|directory| (directory.path.to_str().unwrap(), directory.origin))
            .collect()
    }

    #[test]
    fn overrides_come_first_then_version_managers_then_the_inherited_path() {
        let path = path(
            &[("PATH", "/over:/both"), ("VOLTA_HOME", "/volta")],
            &[
                ("PATH", "/in:/both:/n/bin"),
                ("VOLTA_HOME", "/elsewhere"),
                ("N_PREFIX", "/n"),
                ("PNPM_HOME", "/pnpm"),
                ("ASDF_DATA_DIR", "/asdf"),
                ("MISE_DATA_DIR", "/mise"),
                ("FNM_DIR", "/fnm"),
            ],
        );

        assert_eq!(
            but_for_usual_places(&path),
            [
                ("/over", SearchOrigin::Override),
                ("/both", SearchOrigin::Override),
                ("/n/bin", SearchOrigin::Manager("N_PREFIX")),
                ("/pnpm", SearchOrigin::Manager("PNPM_HOME")),
                ("/pnpm/bin", SearchOrigin::Manager("PNPM_HOME")),
                ("/volta/bin", SearchOrigin::Manager("VOLTA_HOME")),
                ("/asdf/shims", SearchOrigin::Manager("ASDF_DATA_DIR")),
                ("/mise/shims", SearchOrigin::Manager("MISE_DATA_DIR")),
                ("/fnm/aliases/default/bin", SearchOrigin::Manager("FNM_DIR")),
                ("/in", SearchOrigin::Inherited),
            ]
        );
    }

    #[test]
    fn usual_places_come_last_and_those_below_the_home_first() {
        let path = path(&[("HOME", "/home/of-launch")], &[("HOME", "/home/of-host")]);

        let expected: Vec<PathBuf> = sys::HOME_DIRECTORIES
            .iter()
            .map(|below| Path::new("/home/of-launch").join(below))
            .chain(sys::SYSTEM_DIRECTORIES.iter().map(PathBuf::from))
            .collect();
        let found: Vec<PathBuf> = path.iter().map(|found| found.path.clone()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn entries_that_are_not_absolute_are_left_out() {
        let path = path(
            &[("PATH", "../up:"), ("VOLTA_HOME", "volta")],
            &[("PATH", ":.:rel:/in")],
        );

        assert_eq!(
            but_for_usual_places(&path),
            [("/in", SearchOrigin::Inherited)]
        );
    }

    #[test]
    fn a_command_with_a_separator_is_not_searched_for() {
        let path = path(&[("PATH", "/bin")], &[]);

        assert_eq!(path.find("./sh"), Some(PathBuf::from("./sh")));
    }

    #[test]
    fn it_can_be_printed_and_passed_on() {
        let path = path(
            &[("PATH", "/over")],
            &[("PNPM_HOME", "/pn:pm"), ("N_PREFIX", "/n")],
        );

        let shown = path.to_string();
        let head: Vec<&str> = shown.lines().take(4).collect();
        assert_eq!(
            head,
            [
                "/over (PATH of the launch)",
                "/n/bin (N_PREFIX)",
                "/pn:pm (PNPM_HOME)",
                "/pn:pm/bin (PNPM_HOME)",
            ]
        );
        let variable = path.to_path_variable().into_string().unwrap();
        assert!(variable.starts_with("/over:/n/bin:"), "{variable}");
        assert!(!variable.contains("/pn"), "{variable}");
    }
}
