//! `DEVIATIONS.md`: vectors that ours differs from on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::vector::Vector;

/// Our own expectations, by `kind/name`.
#[derive(Debug, Default)]
pub(crate) struct Deviations(BTreeMap<String, Value>);

impl Deviations {
    /// Reads the file in `folder`; no file, no deviations.
    pub(crate) fn read(folder: &Path) -> Self {
        let path = folder.join("DEVIATIONS.md");
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text),
            Err(_) => Self::default(),
        }
    }

    fn parse(text: &str) -> Self {
        let sections = text.split("\n## ").skip(1).map(|section| {
            let (title, body) = section.split_once('\n').unwrap_or((section, ""));
            assert!(
                body.contains("Contract: \""),
                "{title}: no sentence of the contract"
            );
            let json = body
                .split_once("```json\n")
                .and_then(|(_, rest)| rest.split_once("```"));
            let (json, _) = json.unwrap_or_else(|| panic!("{title}: no json block"));
            let expect =
                serde_json::from_str(json).unwrap_or_else(|error| panic!("{title}: {error}"));
            (title.trim().to_owned(), expect)
        });
        Self(sections.collect())
    }

    /// Our expectation of a vector, if it is listed.
    pub(crate) fn take(&mut self, vector: &Vector) -> Option<Value> {
        self.0.remove(&vector.title())
    }

    /// The sections that no vector asked for.
    pub(crate) fn left(self) -> impl Iterator<Item = String> {
        self.0.into_keys()
    }
}

#[test]
fn a_section_is_read_with_its_json_block() {
    let text = "# T\n\n## replay/x\n\nContract: \"s\"\n\n```json\n{\"load\": {}}\n```\n";
    let expected = BTreeMap::from([("replay/x".to_owned(), serde_json::json!({"load": {}}))]);
    assert_eq!(Deviations::parse(text).0, expected);
}
