//! Comparing what a step came to with what a vector expects.

use serde_json::Value;

use crate::payload;

/// Compares an outcome; payloads by their own rule, numbers by value.
pub(crate) fn same(what: &str, expected: &Value, actual: &Value) -> Result<(), String> {
    let differs = || Err(format!("{what}: expected {expected}, found {actual}"));
    match (expected, actual) {
        (Value::Object(wanted), _) if wanted.contains_key("compare") => {
            if payload::matches(expected, &payload::bytes(actual)) {
                Ok(())
            } else {
                differs()
            }
        }
        (Value::Object(wanted), Value::Object(found)) => {
            let classes = wanted.get("error").and_then(Value::as_array);
            if classes
                .is_some_and(|classes| found.get("error").is_some_and(|it| classes.contains(it)))
            {
                return Ok(());
            }
            let same_keys = wanted.keys().all(|key| found.contains_key(key));
            if wanted.len() != found.len() || !same_keys {
                return differs();
            }
            wanted
                .iter()
                .try_for_each(|(key, value)| same(&format!("{what} {key}"), value, &found[key]))
        }
        // The rewritten messages of projection vectors.
        (Value::String(wanted), Value::String(found)) if what.ends_with(" text") => {
            let wanted = serde_json::json!({"text": wanted});
            if payload::matches(&wanted, found.as_bytes()) {
                Ok(())
            } else {
                differs()
            }
        }
        (Value::Array(wanted), Value::Array(found)) if wanted.len() == found.len() => {
            let pairs = wanted.iter().zip(found).enumerate();
            pairs.into_iter().try_for_each(|(at, (wanted, found))| {
                same(&format!("{what} {}", at + 1), wanted, found)
            })
        }
        (Value::Number(wanted), Value::Number(found)) if wanted.as_f64() == found.as_f64() => {
            Ok(())
        }
        _ if expected == actual => Ok(()),
        _ => differs(),
    }
}
