//! Rule: which member of the workspace may depend on which. External dependencies are not looked at.

use super::edges::{Existing, Node, Place, compare};
use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::metadata::Member;

pub(crate) const RULE: Rule = Rule {
    name: "crate-edges",
    text: "dependencies between members (normal, dev and build) equal the block `crate-edges` of \
           ARCHITECTURE.md",
    check,
};

fn check(tree: &Tree) -> Vec<Finding> {
    let existing: Existing = tree
        .members
        .iter()
        .map(|member| (member.name.clone(), node(tree, member)))
        .collect();
    compare(tree, RULE.name, &existing)
}

fn node(tree: &Tree, member: &Member) -> Node {
    let manifest = format!("{}/Cargo.toml", member.folder);
    let place = |to: &String| {
        let line = tree
            .file(&manifest)
            .map_or(1, |file| dependency_line(&file.text, to));
        (to.clone(), Place::new(&manifest, line))
    };
    Node {
        edges: member.edges.iter().map(place).collect(),
        place: Place::new(&manifest, 1),
    }
}

/// The line that names the dependency as key or table.
fn dependency_line(manifest: &str, name: &str) -> usize {
    let names = |line: &str| {
        let line = line.trim_start();
        let table = line
            .strip_prefix('[')
            .and_then(|table| table.split(']').next());
        if table.is_some_and(|table| table.rsplit('.').next() == Some(name)) {
            return true;
        }
        let rest = line.trim_start_matches('"').strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['.', '=', ' ', '"']))
    };
    manifest
        .lines()
        .position(names)
        .map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"b\"\n\n[dev-dependencies]\nab.workspace = true\n\
                            a.workspace = true\n";

    fn findings(list: &str) -> Vec<String> {
        let document = format!("```crate-edges\n{list}\n```\n");
        let tree = Tree::of(&[
            ("ARCHITECTURE.md", &document),
            ("crates/b/Cargo.toml", MANIFEST),
        ])
        .with_library("a", &[])
        .with_library("b", &["a"]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn planted_edge_is_reported_at_its_line_in_the_manifest() {
        assert_eq!(
            findings("a ->\nb ->"),
            ["crates/b/Cargo.toml:6: edge `b -> a` is not allowed"]
        );
    }

    #[test]
    fn edge_that_is_gone_is_reported_in_the_document() {
        assert_eq!(
            findings("a -> b\nb -> a"),
            ["ARCHITECTURE.md:2: edge `a -> b` is listed but unused"]
        );
    }

    #[test]
    fn dependency_tables_are_found_too() {
        assert_eq!(dependency_line("[package]\n[dependencies.a]\n", "a"), 2);
    }
}
