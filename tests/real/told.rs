//! What a client was told, compared with what another was told.

use serde_json::Value;

/// Fails with the places that differ, not with whole messages.
pub(crate) fn assert_same(recorded: &[Value], played: &[Value]) {
    let mut found = Vec::new();
    for (index, (recorded, played)) in recorded.iter().zip(played).enumerate() {
        differences(recorded, played, &index.to_string(), &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
    let shared = recorded.len().min(played.len());
    let (recorded, played) = (&recorded[shared..], &played[shared..]);
    assert_eq!(recorded, played, "told behind what both were told");
}

fn differences(recorded: &Value, played: &Value, place: &str, found: &mut Vec<String>) {
    match (recorded, played) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            for (name, recorded) in one {
                differences(recorded, &other[name], &format!("{place}/{name}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (recorded, played)) in one.iter().zip(other).enumerate() {
                differences(recorded, played, &format!("{place}/{index}"), found);
            }
        }
        (recorded, played) if recorded == played => {}
        (recorded, played) => found.push(format!("{place}: {recorded} was played as {played}")),
    }
}
