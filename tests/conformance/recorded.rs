//! What a recording left on disk, compared with what a vector expects.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use base64::Engine;
use cassette_format::descriptor::Registry;
use cassette_format::portable::Rules;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::audit;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::audit::verdict;
use crate::class;
use crate::outcome::same;
use crate::payload;

/// Compares every cassette below `folder`; there must be no other.
pub(crate) fn compare(folder: &Path, registry: &Registry, expected: &Value) -> Result<(), String> {
    let expected = expected.as_object().unwrap();
    let mut found: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    let wanted: Vec<&String> = expected.keys().collect();
    if wanted
        .iter()
        .map(|name| name.as_str())
        .ne(found.iter().map(String::as_str))
    {
        return Err(format!("cassettes: expected {wanted:?}, found {found:?}"));
    }
    for (name, expected) in expected {
        compare_one(&folder.join(name), registry, expected)
            .map_err(|reason| format!("cassette {name}: {reason}"))?;
    }
    Ok(())
}

fn compare_one(dir: &Path, registry: &Registry, expected: &Value) -> Result<(), String> {
    let frames = fs::read(dir.join("frames.jsonl")).unwrap();
    let manifest = fs::read(dir.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let lines: Vec<Value> = frames
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    compare_frames(&expected["frames"], &lines)?;
    compare_manifest(expected, manifest, (&frames, &lines))?;

    let options = ReadOptions::default().for_providers(registry.providers());
    let reload = match Tape::open(dir, &options) {
        Ok(_) => json!({"ok": true}),
        Err(error) => json!({"error": class::of_open(&error)}),
    };
    same("reload", &expected["reload"], &reload)?;
    let rules = Rules::default();
    let audited = audit(dir, registry, &ReadOptions::default(), &rules);
    same("audit", &expected["audit"], &verdict(audited.as_deref()))
}

fn compare_frames(expected: &Value, lines: &[Value]) -> Result<(), String> {
    let expected = expected.as_array().unwrap();
    if expected.len() != lines.len() {
        return Err(format!(
            "{} frames expected, {} found",
            expected.len(),
            lines.len()
        ));
    }
    for (at, (expected, line)) in expected.iter().zip(lines).enumerate() {
        let what = format!("frame {}", at + 1);
        let data = data(line);
        if !matches_segments(expected["payload"].as_array().unwrap(), &data) {
            let data = String::from_utf8_lossy(&data);
            return Err(format!(
                "{what}: expected {}, found {data:?}",
                expected["payload"]
            ));
        }
        assert!(line["elapsedMs"].as_u64().is_some());
        let rest = |frame: &Value| {
            let mut rest = frame.as_object().unwrap().clone();
            rest.retain(|key, _| !["payload", "data", "elapsedMs"].contains(&key.as_str()));
            Value::Object(rest)
        };
        same(&what, &rest(expected), &rest(line))?;
    }
    Ok(())
}

/// Whether the data is these segments in order. A rewritten one reaches to the end of
/// its line, if that is not where the data ends.
fn matches_segments(segments: &[Value], data: &[u8]) -> bool {
    let Some((first, others)) = segments.split_first() else {
        return data.is_empty();
    };
    let lengths: Vec<usize> = if first["compare"] == "bytes" {
        vec![payload::bytes(first).len()]
    } else {
        let ends = data.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        ends.map(|(at, _)| at + 1).chain([data.len()]).collect()
    };
    lengths.into_iter().any(|length| {
        length <= data.len()
            && payload::matches(first, &data[..length])
            && matches_segments(others, &data[length..])
    })
}

fn compare_manifest(
    expected: &Value,
    mut found: Value,
    (frames, lines): (&[u8], &[Value]),
) -> Result<(), String> {
    let mut wanted = expected["manifest"].clone();
    let complete = found["status"] == "complete";
    let stored = found["storedBytes"].take();
    let stored_wanted = if complete { frames.len() } else { 0 };
    if stored != json!(stored_wanted) {
        return Err(format!(
            "storedBytes: expected {stored_wanted}, found {stored}"
        ));
    }
    let digest = if complete {
        let digest = Sha256::digest(frames);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    } else {
        String::new()
    };
    if found["framesSha256"] != json!(digest) {
        return Err(format!("framesSha256 is {}", found["framesSha256"]));
    }
    let sizes = sizes(lines);
    for manifest in [&mut wanted, &mut found] {
        let object = manifest.as_object_mut().unwrap();
        object.remove("storedBytes");
        object.remove("framesSha256");
        if object["connections"].is_null() {
            object.insert("connections".into(), json!([]));
        }
        for kind in object["framesByKind"].as_object_mut().unwrap().values_mut() {
            kind.as_object_mut().unwrap().remove("storedBytes");
        }
    }
    if expected["payloadExact"] != true {
        let ours = found.as_object_mut().unwrap();
        if complete {
            check_sizes(ours, &sizes)?;
        }
        let wanted = wanted.as_object_mut().unwrap();
        for manifest in [ours, wanted] {
            manifest.remove("payloadBytes");
            manifest.remove("maxFrameBytes");
            for kind in manifest["framesByKind"]
                .as_object_mut()
                .unwrap()
                .values_mut()
            {
                kind.as_object_mut().unwrap().remove("payloadBytes");
            }
        }
    }
    same("manifest", &wanted, &found)
}

/// Payload bytes of the frames, by kind.
fn sizes(lines: &[Value]) -> BTreeMap<String, Vec<u64>> {
    let mut sizes: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in lines {
        let message = line["message"].as_str().unwrap_or_default();
        let size = (data(line).len() + message.len()) as u64;
        let kind = line["kind"].as_str().unwrap().to_owned();
        sizes.entry(kind).or_default().push(size);
    }
    sizes
}

fn check_sizes(
    manifest: &serde_json::Map<String, Value>,
    sizes: &BTreeMap<String, Vec<u64>>,
) -> Result<(), String> {
    let all = || sizes.values().flatten();
    let by_kind = sizes.iter().all(|(kind, sizes)| {
        manifest["framesByKind"][kind]["payloadBytes"] == json!(sizes.iter().sum::<u64>())
    });
    let fits = manifest["payloadBytes"] == json!(all().sum::<u64>())
        && manifest["maxFrameBytes"] == json!(all().max().copied().unwrap_or_default())
        && by_kind;
    if fits {
        Ok(())
    } else {
        Err(format!("payload bytes do not agree with {sizes:?}"))
    }
}

fn data(line: &Value) -> Vec<u8> {
    let base64 = line["data"].as_str().unwrap_or_default();
    base64::engine::general_purpose::STANDARD
        .decode(base64)
        .unwrap()
}

#[test]
fn segments_match_in_order_and_to_the_last_byte() {
    let bytes = |text: &str| json!({"compare": "bytes", "text": text});
    let json = |text: &str| json!({"compare": "json", "text": text});
    let segments = [bytes("a\n"), json("{\"b\":1}\n"), bytes("c")];
    assert!(matches_segments(&segments, b"a\n{ \"b\":1}\nc"));
    assert!(!matches_segments(&segments, b"a\n{ \"b\":1}\ncd"));
    assert!(!matches_segments(&segments, b"a\n{ \"b\":2}\nc"));
    assert!(matches_segments(&[json("{\"b\":1}\n")], b"{\"b\" :1}\r\n"));
}
