//! Rule: which top-level module of `cassette-format` may use which. `lib.rs` and tests are exempt;
//! names are not resolved, so a path through the root has to name the module.

use std::collections::{BTreeMap, BTreeSet};

use super::edges::{Existing, Node, Place, compare};
use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};
use crate::rust::{PathUse, Source, paths};

pub(crate) const RULE: Rule = Rule {
    name: "module-edges",
    text: "paths between the top-level modules of cassette-format equal the block `module-edges` \
           of ARCHITECTURE.md, and name the module they go to",
    check,
};

const SOURCES: &str = "crates/cassette-format/src/";

fn check(tree: &Tree) -> Vec<Finding> {
    let files: Vec<_> = tree.sources_below(SOURCES).filter_map(located).collect();
    let names: BTreeSet<&str> = files.iter().map(|file| file.modules[0]).collect();
    let mut findings = Vec::new();
    let mut existing = Existing::new();
    for file in &files {
        let from = file.modules[0];
        let node = existing.entry(from.to_owned()).or_insert_with(|| Node {
            place: Place::new(&file.text.path, 1),
            edges: BTreeMap::new(),
        });
        if file.text.is_test() {
            continue;
        }
        for path in paths(&file.source.production) {
            let Some(to) = through_root(&path, file.modules.len()) else {
                continue;
            };
            if !names.contains(to) {
                let found = format!("`{}` does not name a module", path.segments.join("::"));
                findings.push(Finding::violation(&file.text.path, path.line, found));
            } else if to != from {
                let place = || Place::new(&file.text.path, path.line);
                node.edges.entry(to.to_owned()).or_insert_with(place);
            }
        }
    }
    findings.extend(compare(tree, RULE.name, &existing));
    findings
}

/// A file with the modules it is in, outermost first.
struct Located<'a> {
    text: &'a TextFile,
    source: &'a Source,
    modules: Vec<&'a str>,
}

fn located<'a>((text, source): (&'a TextFile, &'a Source)) -> Option<Located<'a>> {
    let inside = text.path.strip_prefix(SOURCES)?.strip_suffix(".rs")?;
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    (inside != "lib").then(|| Located {
        text,
        source,
        modules: inside.split('/').collect(),
    })
}

/// The first name after the crate's root, if the path goes there.
fn through_root(path: &PathUse, file_depth: usize) -> Option<&str> {
    let mut segments = path.segments.iter().map(String::as_str).peekable();
    if segments.next_if_eq(&"crate").is_some() {
        return segments.next();
    }
    segments.next_if_eq(&"self");
    let mut left = file_depth + path.inline_modules;
    while segments.next_if_eq(&"super").is_some() {
        left = left.saturating_sub(1);
    }
    if left == 0 { segments.next() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(list: &str, files: &[(&str, &str)]) -> Vec<String> {
        let document = format!("```module-edges\n{list}\n```\n");
        let mut all: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (format!("{SOURCES}{path}"), *text))
            .collect();
        all.push((
            format!("{SOURCES}lib.rs"),
            "mod schema; pub use crate::schema::Manifest;",
        ));
        all.push((format!("{SOURCES}schema/mod.rs"), "//! Schema."));
        all.push(("ARCHITECTURE.md".to_owned(), &document));
        let all: Vec<_> = all
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        check(&Tree::of(&all))
            .iter()
            .map(|finding| finding.to_string().replace(SOURCES, ""))
            .collect()
    }

    #[test]
    fn planted_edges_are_reported_however_they_are_written() {
        let edge = ["store/read.rs:2: edge `store -> schema` is not allowed"];
        let list = "schema ->\nstore ->";

        for text in [
            "//! Read.\nuse crate::schema::Manifest;",
            "//! Read.\nuse crate::{schema};",
            "//! Read.\nuse super::super::schema::Manifest;",
            "//! Read.\nfn f(_: &crate::schema::Manifest) {}",
            "//! Read.\nmod deep { use super::super::super::schema; }",
        ] {
            assert_eq!(findings(list, &[("store/read.rs", text)]), edge, "{text}");
        }
        assert_eq!(
            findings(list, &[("store.rs", "//! Store.\nuse super::schema;")]),
            ["store.rs:2: edge `store -> schema` is not allowed"]
        );
    }

    #[test]
    fn paths_inside_a_module_are_no_edges() {
        let text =
            "//! Read.\nuse super::write::W;\nuse self::deep::D;\nuse crate::store::read::R;";

        assert_eq!(
            findings("schema ->\nstore ->", &[("store/read.rs", text)]),
            [""; 0]
        );
    }

    #[test]
    fn tests_may_use_anything() {
        let inline = "//! Read.\n#[cfg(test)]\nmod tests { use crate::schema::Manifest; }";
        let own = "//! Tests.\nuse crate::schema::Manifest;";

        let files = [("store/read.rs", inline), ("store/read/tests.rs", own)];
        assert_eq!(findings("schema ->\nstore ->", &files), [""; 0]);
    }

    #[test]
    fn path_that_hides_its_module_is_reported() {
        let expected = ["store.rs:1: `crate::Manifest` does not name a module"];

        assert_eq!(
            findings(
                "schema ->\nstore ->",
                &[("store.rs", "use crate::Manifest;")]
            ),
            expected
        );
    }

    #[test]
    fn listed_edge_that_nothing_uses_is_reported() {
        assert_eq!(
            findings("schema -> store\nstore ->", &[("store.rs", "")]),
            ["ARCHITECTURE.md:2: edge `schema -> store` is listed but unused"]
        );
    }
}
