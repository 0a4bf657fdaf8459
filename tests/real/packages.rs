//! What others have made and is installed on this machine, or not.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the directory in which `install.sh` was told to put everything.
const AGENTS: &str = "CASSETTE_AGENTS";

/// Programs and packages below one directory.
#[derive(Debug, Clone)]
pub(crate) struct Packages {
    directory: PathBuf,
}

impl Packages {
    /// Where all of `needed` is there. Else one line says what a conversation lacks.
    pub(crate) fn with(conversation: &str, needed: &[&str]) -> Option<Self> {
        let packages = Self::look_for(needed);
        if let Err(missing) = &packages {
            tell(&format!("SKIPPED {conversation}: {missing}"));
        }
        packages.ok()
    }

    fn look_for(needed: &[&str]) -> Result<Self, String> {
        let named = std::env::var_os(AGENTS);
        let named = named.ok_or_else(|| format!("{AGENTS} names no directory"))?;
        let absolute = std::fs::canonicalize(&named);
        let directory = absolute.map_err(|error| format!("{}: {error}", named.display()))?;
        for package in needed {
            if !directory.join(package).exists() {
                return Err(format!("no {package} in {AGENTS}"));
            }
        }
        let is_for_node = needed.iter().any(|package| package.starts_with("npm/"));
        if is_for_node && Command::new("node").arg("--version").output().is_err() {
            return Err("no node on the PATH".to_owned());
        }
        Ok(Self { directory })
    }

    /// A file or directory of them.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.directory.join(relative)
    }
}

/// Not by `println!`, which a test that passes keeps to itself.
pub(crate) fn tell(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// A command of a program and its arguments.
pub(crate) fn command(program: &Path, arguments: &[&str]) -> Vec<OsString> {
    let arguments = arguments.iter().map(OsString::from);
    std::iter::once(program.into()).chain(arguments).collect()
}
