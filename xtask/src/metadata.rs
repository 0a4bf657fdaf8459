//! What `cargo metadata` says about the workspace: its root and its members. No dependency graph
//! beyond the members' own manifests.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The workspace as its manifests describe it.
#[derive(Debug)]
pub(crate) struct Metadata {
    /// The folder of the root manifest.
    pub(crate) root: PathBuf,
    /// Where Cargo puts what it builds.
    pub(crate) target: PathBuf,
    /// All members, in Cargo's order.
    pub(crate) members: Vec<Member>,
}

/// One package of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// The package's name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// Its folder, relative to the root, with `/`.
    pub(crate) folder: String,
    /// Whether it has a library target.
    pub(crate) library: bool,
    /// The members it names as normal, dev or build dependency.
    pub(crate) edges: BTreeSet<String>,
}

impl Metadata {
    /// Asks Cargo about the workspace that the current directory is in.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let output = Command::new(cargo())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .context("cannot start cargo metadata")?;
        if !output.status.success() {
            bail!(
                "cargo metadata failed: {}",
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        let answer = serde_json::from_slice(&output.stdout).context("cargo metadata: not JSON")?;
        Self::parse(&answer)
    }

    fn parse(answer: &Value) -> anyhow::Result<Self> {
        let root = PathBuf::from(text(answer, "workspace_root")?);
        let packages = list(answer, "packages")?;
        let names: BTreeSet<&str> = packages
            .iter()
            .map(|package| text(package, "name"))
            .collect::<Result<_, _>>()?;
        let members = packages
            .iter()
            .map(|package| Member::parse(package, &root, &names))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            target: PathBuf::from(text(answer, "target_directory")?),
            root,
            members,
        })
    }
}

impl Member {
    fn parse(package: &Value, root: &Path, members: &BTreeSet<&str>) -> anyhow::Result<Self> {
        let manifest = Path::new(text(package, "manifest_path")?);
        let folder = manifest.parent().unwrap_or(root).strip_prefix(root)?;
        let mut edges = BTreeSet::new();
        for dependency in list(package, "dependencies")? {
            let name = text(dependency, "name")?;
            if members.contains(name) {
                edges.insert(name.to_owned());
            }
        }
        let mut library = false;
        for target in list(package, "targets")? {
            library |= list(target, "kind")?.iter().any(|kind| kind == "lib");
        }
        Ok(Self {
            name: text(package, "name")?.to_owned(),
            version: text(package, "version")?.to_owned(),
            folder: folder.to_string_lossy().replace('\\', "/"),
            library,
            edges,
        })
    }

    /// Whether this is one of the libraries that users depend on.
    pub(crate) fn is_library_crate(&self) -> bool {
        self.library && self.folder.starts_with("crates/")
    }
}

/// The Cargo that started us, or the one in the path.
pub(crate) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn text<'a>(value: &'a Value, key: &str) -> anyhow::Result<&'a str> {
    value[key]
        .as_str()
        .with_context(|| format!("cargo metadata: no string `{key}`"))
}

fn list<'a>(value: &'a Value, key: &str) -> anyhow::Result<&'a [Value]> {
    let list = value[key]
        .as_array()
        .with_context(|| format!("cargo metadata: no list `{key}`"))?;
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn dependencies_of_every_kind_on_members_are_edges() {
        let package = |name: &str, kind: &str, dependencies: Value| {
            json!({
                "name": name,
                "version": "1.2.3",
                "manifest_path": format!("/w/crates/{name}/Cargo.toml"),
                "targets": [{"kind": [kind]}],
                "dependencies": dependencies,
            })
        };
        let answer = json!({
            "workspace_root": "/w",
            "target_directory": "/w/target",
            "packages": [
                package("a", "lib", json!([])),
                package("b", "lib", json!([])),
                package("c", "bin", json!([
                    {"name": "a", "kind": null},
                    {"name": "b", "kind": "dev"},
                    {"name": "serde", "kind": "build"},
                ])),
            ],
        });

        let members = Metadata::parse(&answer).unwrap().members;

        let expected = Member {
            name: "c".to_owned(),
            version: "1.2.3".to_owned(),
            folder: "crates/c".to_owned(),
            library: false,
            edges: BTreeSet::from(["a".to_owned(), "b".to_owned()]),
        };
        assert_eq!(members[2], expected);
        assert!(members[0].is_library_crate());
    }
}
