//! Descriptor files: read or told of, every place in the text, in order and once; what is read
//! from TOML is read again from its JSON.

use std::collections::BTreeSet;
use std::fmt;

use cassette_format::descriptor::Descriptor;
use provider_adapters::{DescriptorMistakes, MAX_MISTAKES, parse_json, parse_toml};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Any bytes: what of them is text.
pub fn descriptor_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    check(text, &parse_toml(text));
    let read = parse_json(text);
    check(text, &read);
    if read.is_ok() {
        let Names(names) = serde_json::from_str(text).expect("is JSON for others too");
        let once: BTreeSet<&String> = names.iter().collect();
        assert_eq!(once.len(), names.len(), "a field is there twice: {names:?}");
    }
}

/// The names of an object's members, however often they are there.
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some((name, _)) = members.next_entry::<String, IgnoredAny>()? {
                    names.push(name);
                }
                Ok(Names(names))
            }
        }

        deserializer.deserialize_map(Members)
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
