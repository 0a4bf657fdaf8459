//! The allowed edges in `ARCHITECTURE.md`, and their comparison with the edges that exist. Finding
//! the existing ones is for [`super::crate_edges`] and [`super::module_edges`].
//!
//! A list is a fenced block whose info string is its name. Each line is `from -> to, to`; nothing
//! after the arrow means that there are none. Blank lines and lines that start with `#` are
//! skipped. The list has to be equal to what exists: a line for each node, no edge too many.

use std::collections::BTreeMap;

use super::rule::Finding;
use super::tree::Tree;

/// The document that holds the lists.
pub(crate) const DOCUMENT: &str = "ARCHITECTURE.md";

/// Where something is, for a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// Relative to the root.
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
}

impl Place {
    /// The place of a path and a line.
    pub(crate) fn new(path: impl Into<String>, line: usize) -> Self {
        Self {
            path: path.into(),
            line,
        }
    }

    fn finding(&self, found: String) -> Finding {
        Finding::violation(&self.path, self.line, found)
    }
}

/// The edges that exist: for each node its place and what it uses where.
pub(crate) type Existing = BTreeMap<String, Node>;

/// A node of [`Existing`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    /// Where the node itself is.
    pub(crate) place: Place,
    /// The nodes that it uses, each with the first place where it does.
    pub(crate) edges: BTreeMap<String, Place>,
}

/// Compares the block of this name with what exists.
pub(crate) fn compare(tree: &Tree, block: &str, existing: &Existing) -> Vec<Finding> {
    let (listed, mut findings) = match listed(tree, block) {
        Ok(listed) => listed,
        Err(finding) => return vec![finding],
    };
    for (from, node) in existing {
        let Some((_, allowed)) = listed.get(from) else {
            findings.push(
                node.place
                    .finding(format!("`{from}` has no line in `{block}`")),
            );
            continue;
        };
        for (to, place) in &node.edges {
            if !allowed.contains(to) {
                findings.push(place.finding(format!("edge `{from} -> {to}` is not allowed")));
            }
        }
    }
    for (from, (line, allowed)) in &listed {
        let place = Place::new(DOCUMENT, *line);
        let Some(node) = existing.get(from) else {
            findings.push(place.finding(format!("`{from}` is listed but does not exist")));
            continue;
        };
        for to in allowed.iter().filter(|to| !node.edges.contains_key(*to)) {
            findings.push(place.finding(format!("edge `{from} -> {to}` is listed but unused")));
        }
    }
    findings
}

/// For each node its line and the nodes that it may use.
type Listed = BTreeMap<String, (usize, Vec<String>)>;

/// Reads a block; lines that cannot be read become findings.
fn listed(tree: &Tree, block: &str) -> Result<(Listed, Vec<Finding>), Finding> {
    let missing = || Finding::violation(DOCUMENT, 1, format!("no fenced block `{block}`"));
    let document = tree.file(DOCUMENT).ok_or_else(missing)?;
    let opening = format!("```{block}");
    let mut lines = document
        .lines()
        .skip_while(|(_, line)| line.trim_end() != opening);
    lines.next().ok_or_else(missing)?;

    let (mut listed, mut findings) = (Listed::new(), Vec::new());
    for (line, text) in lines.take_while(|(_, text)| !text.starts_with("```")) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let Some((from, to)) = text.split_once("->") else {
            findings.push(Finding::violation(
                DOCUMENT,
                line,
                format!("no `->` in `{text}`"),
            ));
            continue;
        };
        let names = to.split(',').map(str::trim).filter(|name| !name.is_empty());
        let entry = (line, names.map(str::to_owned).collect());
        if listed.insert(from.trim().to_owned(), entry).is_some() {
            let found = format!("`{}` has a second line", from.trim());
            findings.push(Finding::violation(DOCUMENT, line, found));
        }
    }
    Ok((listed, findings))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(path: &str, edges: &[(&str, usize)]) -> Node {
        let edges = edges
            .iter()
            .map(|&(to, line)| (to.to_owned(), Place::new(path, line)))
            .collect();
        Node {
            place: Place::new(path, 1),
            edges,
        }
    }

    fn findings(block: &str) -> Vec<String> {
        let text = format!("# Map\n```edges\n{block}\n```\n");
        let tree = Tree::of(&[(DOCUMENT, &text)]);
        let existing = Existing::from([
            ("a".to_owned(), node("a.rs", &[("b", 7), ("c", 8)])),
            ("b".to_owned(), node("b.rs", &[])),
        ]);
        compare(&tree, "edges", &existing)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn equal_list_has_no_findings() {
        assert_eq!(findings("# a comment\na -> c, b\n\nb ->"), [""; 0]);
    }

    #[test]
    fn missing_and_stale_entries_are_reported_where_they_are() {
        let expected = [
            "a.rs:8: edge `a -> c` is not allowed",
            "b.rs:1: `b` has no line in `edges`",
            "ARCHITECTURE.md:3: edge `a -> d` is listed but unused",
            "ARCHITECTURE.md:4: `e` is listed but does not exist",
        ];
        assert_eq!(findings("a -> b, d\ne ->"), expected);
    }

    #[test]
    fn unreadable_and_repeated_lines_are_reported() {
        let expected = [
            "ARCHITECTURE.md:3: no `->` in `a b`",
            "ARCHITECTURE.md:6: `b` has a second line",
        ];
        assert_eq!(findings("a b\na -> b, c\nb ->\nb ->"), expected);
    }

    #[test]
    fn missing_block_is_reported_once() {
        let found = compare(&Tree::default(), "edges", &Existing::new());

        assert_eq!(
            found,
            [Finding::violation(DOCUMENT, 1, "no fenced block `edges`")]
        );
    }
}
