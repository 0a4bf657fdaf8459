//! `DEVIATIONS.md`: vectors that ours differs from on purpose.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::vector::Vector;

/// What ours expects otherwise, by `kind/name`.
#[derive(Debug, Default)]
pub(crate) struct Deviations(BTreeMap<String, Ours>);

#[derive(Debug, Clone, PartialEq)]
enum Ours {
    /// In place of the vector's whole expectation.
    Whole(Value),
    /// Changes to it, see [`patch`].
    Patch(Value),
}

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
        let mut deviations = BTreeMap::new();
        for section in text.split("\n## ").skip(1) {
            let (title, body) = section.split_once('\n').unwrap_or((section, ""));
            assert!(
                body.contains("Contract: \""),
                "{title}: no sentence of the contract"
            );
            let ours = ours(title, body);
            for vector in title.split(", ").map(str::trim) {
                let twice = deviations.insert(vector.to_owned(), ours.clone());
                assert!(twice.is_none(), "{vector}: two sections");
            }
        }
        Self(deviations)
    }

    /// Our expectation of a vector, if it is listed.
    pub(crate) fn take(&mut self, vector: &Vector) -> Option<Value> {
        Some(match self.0.remove(&vector.title())? {
            Ours::Whole(expect) => expect,
            Ours::Patch(changes) => {
                let mut expect = vector.expect.clone();
                patch(&mut expect, &changes);
                expect
            }
        })
    }

    /// The sections that no vector asked for.
    pub(crate) fn left(self) -> impl Iterator<Item = String> {
        self.0.into_keys()
    }
}

fn ours(title: &str, body: &str) -> Ours {
    let block = |name: &str| {
        let (_, rest) = body.split_once(&format!("```{name}\n"))?;
        let (text, _) = rest.split_once("```")?;
        Some(serde_json::from_str(text).unwrap_or_else(|error| panic!("{title}: {error}")))
    };
    match (block("json"), block("json patch")) {
        (Some(expect), None) => Ours::Whole(expect),
        (None, Some(changes)) => Ours::Patch(changes),
        _ => panic!("{title}: not one json block"),
    }
}

/// Changes a value: members of an object each, elements of a list by their number,
/// `*` all of them. An object whose only member is `=` stands for that member's value
/// as a whole; `first` cuts a list to so many elements.
fn patch(value: &mut Value, changes: &Value) {
    let Some(members) = changes.as_object() else {
        value.clone_from(changes);
        return;
    };
    if let (1, Some(whole)) = (members.len(), members.get("=")) {
        value.clone_from(whole);
        return;
    }
    for (key, change) in members {
        match (key.as_str(), &mut *value) {
            ("*", Value::Object(object)) => {
                object.values_mut().for_each(|value| patch(value, change));
            }
            ("first", Value::Array(list)) => {
                list.truncate(usize::try_from(change.as_u64().unwrap()).unwrap());
            }
            ("*", Value::Array(list)) => list.iter_mut().for_each(|value| patch(value, change)),
            (at, Value::Array(list)) => {
                let at: usize = at.parse().unwrap_or_else(|_| panic!("`{at}` is no place"));
                patch(&mut list[at], change);
            }
            (key, Value::Object(object)) => {
                patch(object.entry(key).or_insert(Value::Null), change);
            }
            (key, other) => {
                let mut object = serde_json::Map::new();
                patch(object.entry(key).or_insert(Value::Null), change);
                *other = Value::Object(object);
            }
        }
    }
}

#[test]
fn changes_reach_single_members_elements_and_all_of_them() {
    let mut value = serde_json::json!({"a": [{"b": 1}, {"b": 2}], "c": {"x": {}, "y": {"z": 1}}});
    let changes = serde_json::json!({"a": {"1": {"b": {"=": {"d": 3}}}}, "c": {"*": {"z": 4}}});
    patch(&mut value, &changes);
    let mut list = serde_json::json!({"a": [1, 2, 3]});
    patch(&mut list, &serde_json::json!({"a": {"0": 4, "first": 2}}));
    assert_eq!(list, serde_json::json!({"a": [4, 2]}));
    assert_eq!(
        value,
        serde_json::json!({"a": [{"b": 1}, {"b": {"d": 3}}], "c": {"x": {"z": 4}, "y": {"z": 4}}})
    );
}

#[test]
fn a_section_is_read_with_its_json_block() {
    let text = "# T\n\n## replay/x\n\nContract: \"s\"\n\n```json\n{\"load\": {}}\n```\n";
    let ours = Ours::Whole(serde_json::json!({"load": {}}));
    let expected = BTreeMap::from([("replay/x".to_owned(), ours)]);
    assert_eq!(Deviations::parse(text).0, expected);
}
