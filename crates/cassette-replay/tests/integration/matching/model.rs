//! The judge beside a simple model: two messages are equal if serde_json reads the
//! same from them, numbers as they are written.

use std::collections::BTreeMap;

use cassette_format::json::write_string;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::value::RawValue;

use super::side::Side;

/// A value, without order and layout.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Object(BTreeMap<String, Self>),
    List(Vec<Self>),
    Text(String),
    Literal(String),
}

impl Model {
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        Some(match text.as_bytes().first()? {
            b'{' => {
                let members: Members<'_> = serde_json::from_str(text).ok()?;
                let read =
                    |(key, value): (String, &RawValue)| Some((key, Self::read(value.get())?));
                Self::Object(members.0.into_iter().map(read).collect::<Option<_>>()?)
            }
            b'[' => {
                let elements: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let read = |value: &RawValue| Self::read(value.get());
                Self::List(elements.into_iter().map(read).collect::<Option<_>>()?)
            }
            b'"' => Self::Text(serde_json::from_str(text).ok()?),
            _ => {
                let literal: &RawValue = serde_json::from_str(text).ok()?;
                Self::Literal(literal.get().to_owned())
            }
        })
    }
}

/// The members of an object, in order and as often as they are there.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// A value with its order.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Object(Vec<(String, Self)>),
    List(Vec<Self>),
    Text(String),
    Literal(String),
}

pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    let literal = prop_oneof![
        Just("null"),
        Just("true"),
        Just("0"),
        Just("-0"),
        Just("1.0"),
        Just("1e3"),
        Just("12345678901234567890"),
    ];
    let text = prop_oneof![
        "[a-c]{0,2}".boxed(),
        Just("é😀\n\"".to_owned()).boxed(),
        Just("${x}/".to_owned()).boxed()
    ];
    let leaf = prop_oneof![
        literal.prop_map(|literal| Tree::Literal(literal.to_owned())),
        text.prop_map(Tree::Text),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Tree::List),
            vec(("[a-d]{0,1}", inner), 0..6).prop_map(Tree::Object),
        ]
    })
}

/// How a value is written; `seed` decides on layout, order and escapes.
pub(crate) fn written(tree: &Tree, seed: &mut u64) -> String {
    let mut draw = |count: u64| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 33) % count
    };
    let gap = [" ", "", "", "\n\t"][usize::try_from(draw(4)).unwrap()].to_owned();
    let escaped = draw(3) == 0;
    let reversed = draw(2) == 0;
    let inside = match tree {
        Tree::Literal(literal) => literal.clone(),
        Tree::Text(text) => string(text, escaped),
        Tree::List(items) => {
            let items: Vec<String> = items.iter().map(|item| written(item, seed)).collect();
            format!("[{}]", items.join(","))
        }
        Tree::Object(members) => {
            let mut order: Vec<_> = members.iter().collect();
            let names: std::collections::BTreeSet<_> = members.iter().map(|it| &it.0).collect();
            // Of equal names the last counts, so that their order stays.
            if reversed && names.len() == members.len() {
                order.reverse();
            }
            let member = |(name, value): &&(String, Tree)| {
                format!("{}{gap}:{}", string(name, escaped), written(value, seed))
            };
            let members: Vec<String> = order.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
    };
    format!("{gap}{inside}{gap}")
}

fn string(text: &str, escaped: bool) -> String {
    if escaped {
        let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
        return format!("\"{}\"", units.collect::<String>());
    }
    let mut output = Vec::new();
    write_string(&mut output, text);
    String::from_utf8(output).unwrap()
}

/// A provider without identities: the model knows none.
pub(crate) fn plain() -> Side {
    Side::new().changed(|side| side.descriptor.identity_fields = Default::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn one_value_matches_however_it_is_written(tree in trees(), seeds in any::<(u64, u64)>()) {
        let (mut first, mut second) = seeds;
        let (recorded, sent) = (written(&tree, &mut first), written(&tree, &mut second));
        prop_assert_eq!(Model::read(&recorded), Model::read(&sent));
        let verdict = plain().judge(&recorded, &sent);
        prop_assert!(verdict.is_ok(), "{}\n{}\n{:?}", recorded, sent, verdict);
    }

    #[test]
    fn two_values_match_where_the_model_says_so(
        a in trees(),
        b in trees(),
        seeds in any::<(u64, u64)>(),
    ) {
        let (mut first, mut second) = seeds;
        let (recorded, sent) = (written(&a, &mut first), written(&b, &mut second));
        let same = Model::read(&recorded) == Model::read(&sent);
        prop_assert_eq!(plain().matches(&recorded, &sent), same, "{}\n{}", recorded, sent);
    }
}
