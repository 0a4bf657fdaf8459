//! Descriptor files: read or told of, every place in the text, in order and once; what is read
//! from TOML is read again from its JSON.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use cassette_format::descriptor::Descriptor;
use provider_adapters::{DescriptorMistakes, MAX_MISTAKES, parse_json, parse_toml};
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Fields of the layout that the complete file does not have.
const ROLLOUTS: [&str; 2] = ["directories", "traces"];

/// The names of all fields, on every level.
static KNOWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let complete = include_str!("../corpus/descriptor_file/complete.toml");
    let complete = parse_toml(complete).expect("is sound");
    let json = serde_json::to_string(&complete).expect("has no keys but texts");
    let Names(names) = serde_json::from_str(&json).expect("was written");
    let names = names.into_iter().flatten();
    names.chain(ROLLOUTS.map(String::from)).collect()
});

/// Any bytes: what of them is text.
pub fn descriptor_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    check(text, &parse_toml(text));
    let read = parse_json(text);
    check(text, &read);
    if read.is_ok() {
        let _: IgnoredAny = serde_json::from_str(text).expect("is JSON for others too");
        // Halves of surrogate pairs are read by us alone.
        if let Ok(names) = serde_json::from_str::<Names>(text) {
            names.check();
        }
    }
}

/// The names of all members of a value, object by object, however often they are there.
#[derive(Default)]
struct Names(Vec<Vec<String>>);

impl Names {
    /// No object has a name twice, and there is none that no field has.
    fn check(&self) {
        for names in &self.0 {
            let once: BTreeSet<&String> = names.iter().collect();
            assert_eq!(once.len(), names.len(), "a field is there twice: {names:?}");
            let unknown = names.iter().find(|name| !KNOWN.contains(*name));
            assert_eq!(unknown, None, "is no field");
        }
    }
}

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Parts)
    }
}

/// Gathers the names of a value.
struct Parts;

impl<'de> Visitor<'de> for Parts {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Names, A::Error> {
        let (mut own, mut all) = (Vec::new(), Names::default());
        while let Some((name, Names(inner))) = members.next_entry::<String, Names>()? {
            own.push(name);
            all.0.extend(inner);
        }
        all.0.push(own);
        Ok(all)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Names, A::Error> {
        let mut all = Names::default();
        while let Some(Names(inner)) = elements.next_element()? {
            all.0.extend(inner);
        }
        Ok(all)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Names, E> {
        Ok(Names::default())
    }

    fn visit_unit<E>(self) -> Result<Names, E> {
        Ok(Names::default())
    }
}

fn check(text: &str, outcome: &Result<Descriptor, DescriptorMistakes>) {
    match outcome {
        Ok(descriptor) => {
            let json = serde_json::to_string(descriptor).expect("has no keys but texts");
            assert_eq!(parse_json(&json).as_ref(), Ok(descriptor));
        }
        Err(mistakes) => check_places(text, mistakes),
    }
}

fn check_places(text: &str, mistakes: &DescriptorMistakes) {
    let places: Vec<_> = mistakes.iter().map(|it| (it.line, it.column)).collect();
    assert!(places.is_sorted(), "{places:?}");
    let lines: Vec<&str> = text.split('\n').collect();
    for (line, column) in places {
        let length = lines[line - 1].chars().count();
        assert!((1..=length + 1).contains(&column), "{line}:{column}");
    }
    let told: BTreeSet<String> = mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), mistakes.len(), "told twice: {mistakes}");
    assert!((1..=MAX_MISTAKES).contains(&mistakes.len()));
    let shown = mistakes.to_string();
    let is_plain = |character: char| character == '\n' || !character.is_control();
    assert!(shown.chars().all(is_plain), "{shown:?}");
}
