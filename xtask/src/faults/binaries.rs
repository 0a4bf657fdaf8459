//! The test binaries: built once, found by what Cargo says of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::scenario::{Binary, Build, Scenario};
use crate::ci::{STOCK_MEMBER, rustflags_with_cfg};
use crate::metadata::{Metadata, cargo};

/// What has the schedules built.
const SCHEDULES_CFG: &str = "shuttle";

/// A test binary: its package, and its name unless it is the library's.
type Key = (Build, String, Option<String>);

/// Where the binaries are.
#[derive(Debug)]
pub(crate) struct Binaries(BTreeMap<Key, PathBuf>);

impl Binaries {
    /// Builds those of the scenarios.
    pub(crate) fn build(metadata: &Metadata, scenarios: &[&Scenario]) -> anyhow::Result<Self> {
        let mut found = BTreeMap::new();
        for build in [Build::Ordinary, Build::Schedules] {
            let wanted: Vec<&Scenario> = scenarios
                .iter()
                .filter(|scenario| scenario.build == build)
                .copied()
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let said = compile(&mut command(metadata, build, &wanted))?;
            let binaries = said.lines().filter_map(test_binary);
            found.extend(binaries.map(|(package, name, path)| ((build, package, name), path)));
        }
        Ok(Self(found))
    }

    /// The binary of a scenario.
    pub(crate) fn of(&self, scenario: &Scenario) -> anyhow::Result<&PathBuf> {
        let Scenario {
            package, binary, ..
        } = scenario;
        let name = match binary {
            Binary::Library => None,
            Binary::Test(name) => Some((*name).to_owned()),
        };
        let key = (scenario.build, (*package).to_owned(), name);
        self.0
            .get(&key)
            .with_context(|| format!("cargo built no {binary:?} of {package}"))
    }
}

fn command(metadata: &Metadata, build: Build, wanted: &[&Scenario]) -> Command {
    let mut command = Command::new(cargo());
    command.args(["test", "--no-run", "--message-format"]);
    command.arg("json-render-diagnostics");
    match build {
        // All that the tests' own run builds, or features would differ and all be built anew.
        Build::Ordinary => {
            command.args(["--workspace", "--exclude", STOCK_MEMBER]);
        }
        Build::Schedules => {
            let packages: BTreeSet<&str> = wanted.iter().map(|it| it.package).collect();
            for package in packages {
                command.args(["--package", package]);
            }
            // A folder of its own, or all would be built in turn.
            command.arg("--release").arg("--target-dir");
            command.arg(metadata.target.join(SCHEDULES_CFG));
            command.env("RUSTFLAGS", rustflags_with_cfg(SCHEDULES_CFG));
            let binaries: BTreeSet<Binary> = wanted.iter().map(|it| it.binary).collect();
            for binary in binaries {
                match binary {
                    Binary::Library => command.arg("--lib"),
                    Binary::Test(name) => command.args(["--test", name]),
                };
            }
        }
    }
    command
        .current_dir(&metadata.root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    command
}

fn compile(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().context("cannot start cargo test")?;
    if !output.status.success() {
        bail!("the tests were not built: {}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The package, the name unless it is the library's, and the place of the test binary that a
/// line of Cargo's tells of.
fn test_binary(line: &str) -> Option<(String, Option<String>, PathBuf)> {
    let message: Value = serde_json::from_str(line).ok()?;
    let executable = message["executable"].as_str()?;
    if message["profile"]["test"] != true {
        return None;
    }
    let target = &message["target"];
    let kind = target["kind"].as_array()?.first()?.as_str()?;
    let name = match kind {
        "lib" => None,
        "test" => Some(target["name"].as_str()?.to_owned()),
        _ => return None,
    };
    let package = package_name(message["package_id"].as_str()?)?;
    Some((package, name, PathBuf::from(executable)))
}

/// The name in an identity such as `path+file:///w/crates/one#0.1.0` or
/// `path+file:///w/tests#two@0.1.0`.
fn package_name(id: &str) -> Option<String> {
    let (path, fragment) = id.split_once('#')?;
    let name = fragment
        .split_once('@')
        .map_or_else(|| path.rsplit('/').next(), |(name, _)| Some(name));
    name.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_is_the_folder_unless_it_is_named() {
        let name = |id| package_name(id).unwrap();

        assert_eq!(name("path+file:///w/crates/one#0.1.0"), "one");
        assert_eq!(name("path+file:///w/tests#two@0.1.0"), "two");
    }

    #[test]
    fn only_test_binaries_are_taken() {
        let line = |kind: &str, name: &str, test: bool| {
            let message = serde_json::json!({
                "package_id": "path+file:///w/crates/one#0.1.0",
                "target": {"kind": [kind], "name": name},
                "profile": {"test": test},
                "executable": "/w/target/debug/deps/one-1",
            });
            test_binary(&message.to_string())
        };
        let place = PathBuf::from("/w/target/debug/deps/one-1");

        let library = ("one".to_owned(), None, place.clone());
        assert_eq!(line("lib", "one", true), Some(library));
        let test = ("one".to_owned(), Some("integration".to_owned()), place);
        assert_eq!(line("test", "integration", true), Some(test));
        assert_eq!(line("bin", "one", false), None);
        assert_eq!(test_binary("   Compiling one"), None);
    }
}
