//! Inspection of transcripts: the report does not depend on how the content arrives, and what it
//! takes for sound is what `serde_json` takes for objects, one a line.
//!
//! An input is a choice of layout, lengths of pieces, and the content.

use std::fs;

use cassette_format::descriptor::TranscriptLayout;
use cassette_format::json::Found;
use fork_state::{Damage, DamageKind, Limits, ProviderSessionId, TranscriptReport, inspect};
use serde::de::IgnoredAny;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::cuts::{Cuts, pieces};
use crate::zst::stored_frames;

/// Any bytes.
pub fn rollout(data: &[u8]) {
    let mut choices = Cuts::of(data);
    let layout = match choices.below(2) {
        0 => TranscriptLayout::Rollouts {
            directories: vec!["sessions".into()],
            traces: Vec::new(),
        },
        _ => TranscriptLayout::ProjectFiles {
            directory: "projects".into(),
            subdirectory: None,
        },
    };
    let lengths = choices.lengths(8);
    let content = choices.rest();
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let inspected = |name: &str, bytes: &[u8]| {
        let path = scratch.path().join(name);
        fs::write(&path, bytes).expect("is written");
        inspect(&path, &layout, &Limits::default()).expect("is read to its end")
    };
    let report = inspected("whole.jsonl", content);
    // Each frame of a compressed file is read by itself.
    let mut cut = inspected("cut.jsonl.zst", &stored_frames(&pieces(content, lengths)));
    cut.is_compressed = false;
    assert_eq!(cut, report);
    check_content(content, &report);
    check_records(content, &report);
    for damage in &report.damages {
        check_place(content, damage);
    }
    if matches!(layout, TranscriptLayout::Rollouts { .. }) {
        check_sessions(content, &report);
    }
}

fn check_content(content: &[u8], report: &TranscriptReport) {
    assert_eq!(report.size, content.len() as u64);
    let digest: [u8; 32] = Sha256::digest(content).into();
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(report.sha256.to_string(), digest);
    let places = report.damages.iter().map(|damage| damage.offset);
    assert!(places.clone().all(|offset| offset <= report.size));
    let records = report.damages.iter().map(|damage| damage.record);
    assert!(records.clone().is_sorted() && records.max() <= Some(report.records));
}

/// At the place of a damage stands what its kind says.
fn check_place(content: &[u8], damage: &Damage) {
    let (before, there) = content.split_at(usize::try_from(damage.offset).unwrap());
    let line = before.rsplit(|byte| *byte == b'\n').next();
    let line = line.unwrap_or_default().trim_ascii();
    match damage.kind {
        DamageKind::TornTail => assert!(!there.contains(&b'\n')),
        DamageKind::Splice => assert!(there.starts_with(b"{") && !line.is_empty()),
        DamageKind::Concatenated => assert!(there.starts_with(b"{") && line.ends_with(b"}")),
        DamageKind::NulRun { length } => {
            let (run, behind) = there.split_at(usize::try_from(length).unwrap());
            assert!(!run.is_empty() && run.iter().all(|byte| *byte == 0));
            assert!(!behind.starts_with(b"\0"));
        }
        DamageKind::OtherSession | DamageKind::UnreadableSession | DamageKind::UnreadableBase => {
            assert!(there.starts_with(b"{"))
        }
        DamageKind::NotAnObject { found } => assert!(stands(there, found), "{damage}"),
        _ => {}
    }
}

/// Whether `there` begins with what was found.
fn stands(there: &[u8], found: Found) -> bool {
    let Some(byte) = there.first() else {
        return found == Found::End;
    };
    match found {
        Found::End => false,
        Found::Structural(character) => char::from(*byte) == character,
        Found::Digit => byte.is_ascii_digit(),
        Found::Letter => byte.is_ascii_alphabetic(),
        Found::Blank => *byte == b' ',
        Found::Control(code) => *byte == code,
        Found::Symbol => byte.is_ascii_punctuation(),
        Found::ByteOrderMark => there.starts_with("\u{feff}".as_bytes()),
        _ => !byte.is_ascii(),
    }
}

/// Lines that are not blank are counted, and sound if each is an object.
fn check_records(content: &[u8], report: &TranscriptReport) {
    let lines = content.split(|byte| *byte == b'\n');
    let is_blank = |line: &&[u8]| line.iter().all(|byte| b" \t\r".contains(byte));
    let records: Vec<&[u8]> = lines.filter(|line| !is_blank(line)).collect();
    assert_eq!(report.records, records.len() as u64);
    let is_object = |line: &&[u8]| {
        let begins = line.trim_ascii_start().first() == Some(&b'{');
        begins && serde_json::from_slice::<IgnoredAny>(line).is_ok()
    };
    let all_objects = !records.is_empty() && records.iter().all(is_object);
    let is_of_content = |kind: DamageKind| {
        matches!(
            kind,
            DamageKind::OtherSession | DamageKind::UnreadableSession | DamageKind::UnreadableBase
        )
    };
    let mut damages = report.damages.iter();
    let are_objects = damages.all(|damage| is_of_content(damage.kind));
    // Of more damages than are kept, those that are may all be of one kind.
    if report.more_damages == 0 || all_objects {
        assert_eq!(are_objects, all_objects, "{report:?}");
    }
}

/// The first record names the session, as `serde_json` reads it.
fn check_sessions(content: &[u8], report: &TranscriptReport) {
    let lines = content.split(|byte| *byte == b'\n');
    let mut records = lines.filter(|line| !line.trim_ascii().is_empty());
    let first = records.next().unwrap_or_default();
    let Ok(Value::Object(first)) = serde_json::from_slice::<Value>(first) else {
        return;
    };
    let mut expected: Vec<ProviderSessionId> = Vec::new();
    let is_head = first.get("type").and_then(Value::as_str) == Some("session_meta");
    let payload = first.get("payload").filter(|_| is_head);
    for field in ["id", "session_id"] {
        match payload.and_then(|payload| payload.get(field)) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) if is_readable(text) => {
                let session = text.parse().ok();
                expected.extend(session.filter(|it| !expected.contains(it)));
            }
            Some(_) => {
                let kind = report.damages.first().map(|damage| damage.kind);
                assert_eq!(kind, Some(DamageKind::UnreadableSession));
                break;
            }
        }
    }
    assert_eq!(report.sessions, expected);
}

fn is_readable(text: &str) -> bool {
    text.len() <= 512 && !text.contains(char::REPLACEMENT_CHARACTER)
}
