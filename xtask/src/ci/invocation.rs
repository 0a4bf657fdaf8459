//! One command of a step: printed, run from the root, without standard input. Also the questions
//! to the machine: is a tool there, which targets are installed.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::metadata::cargo;

/// A command that is going to be run.
#[derive(Debug)]
pub(crate) struct Invocation {
    command: Command,
    shown: String,
}

impl Invocation {
    /// `cargo` with these arguments, split at spaces.
    pub(crate) fn cargo(arguments: &str) -> Self {
        let mut command = Command::new(cargo());
        command.args(arguments.split(' '));
        // Snapshots that differ fail; they never leave new files in the work tree.
        command.env("INSTA_UPDATE", "no");
        Self {
            command,
            shown: format!("cargo {arguments}"),
        }
    }

    /// A program of the path.
    pub(crate) fn program(name: &str) -> Self {
        Self {
            command: Command::new(name),
            shown: name.to_owned(),
        }
    }

    /// Adds an argument that may hold spaces.
    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.shown = format!("{} {}", self.shown, argument.as_ref().display());
        self.command.arg(argument);
        self
    }

    /// Adds arguments, split at spaces.
    pub(crate) fn args(self, arguments: &str) -> Self {
        arguments.split(' ').fold(self, Self::arg)
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.shown = format!("{name}='{}' {}", value.as_ref().display(), self.shown);
        self.command.env(name, value);
        self
    }

    /// Prints the command and runs it; fails unless it succeeds.
    pub(crate) fn run(mut self, root: &Path) -> anyhow::Result<()> {
        writeln!(io::stdout(), "$ {}", self.shown)?;
        let status = self
            .command
            .current_dir(root)
            .stdin(Stdio::null())
            .status()
            .with_context(|| format!("cannot start `{}`", self.shown))?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.shown);
        }
        Ok(())
    }
}

/// Whether Cargo has this subcommand.
pub(crate) fn has_subcommand(name: &str) -> bool {
    let mut command = Command::new(cargo());
    command.args([name, "--version"]).stdin(Stdio::null());
    command.output().is_ok_and(|output| output.status.success())
}

/// The targets, besides the machine's own, whose standard library rustup has installed.
pub(crate) fn other_targets() -> Vec<String> {
    let host = host_target();
    let installed = answer("rustup", &["target", "list", "--installed"]);
    installed
        .lines()
        .filter(|target| *target != host)
        .map(str::to_owned)
        .collect()
}

/// The target of the machine itself; empty where `rustc` does not say it.
pub(crate) fn host_target() -> String {
    let said = answer("rustc", &["-vV"]);
    let mut lines = said.lines();
    let host = lines.find_map(|line| line.strip_prefix("host: "));
    host.unwrap_or_default().to_owned()
}

/// A value for `RUSTFLAGS`: what the caller set and one `--cfg` more.
pub(crate) fn rustflags_with_cfg(name: &str) -> OsString {
    let mut flags = std::env::var_os("RUSTFLAGS").unwrap_or_default();
    if !flags.is_empty() {
        flags.push(" ");
    }
    flags.push(format!("--cfg {name}"));
    flags
}

/// What a program prints; nothing if there is no such program.
fn answer(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failing_command_is_named_with_its_status() {
        let failure = Invocation::cargo("no-such-subcommand")
            .arg("x y")
            .env("A", "b");

        let error = failure.run(&std::env::temp_dir()).unwrap_err();

        assert_eq!(
            error.to_string(),
            "`A='b' cargo no-such-subcommand x y` ended with exit status: 101"
        );
    }
}
