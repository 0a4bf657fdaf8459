//! `manifest.json` as text: what is written, what survives being read and
//! written again, what is refused.

use cassette_format::schema::{
    Annotations, CaptureOrigin, CassetteStatus, LaunchOrdinal, Manifest, Origin, RecoveryNote,
    Redactions, SchemaVersion, SyncPolicy, TapeLimits, Tool,
};
use cassette_format::store::{FieldError, read_manifest, write_manifest};
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::tape_files::{Draft, connection};

/// The text of `manifest`, after checking that it reads back as equal and is
/// written again as the same bytes.
fn text_of(manifest: &Manifest) -> String {
    let text = write_manifest(manifest);
    let read = read_manifest(&text).unwrap();
    assert_eq!(&read, manifest);
    assert_eq!(write_manifest(&read), text);
    String::from_utf8(text).unwrap()
}

/// Checks that `text`, indented as a manifest and in its order, is written
/// again byte for byte.
fn assert_survives(text: &str) {
    let manifest = read_manifest(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(write_manifest(&manifest)).unwrap(), text);
}

fn refusal(text: impl AsRef<[u8]>) -> FieldError {
    read_manifest(text.as_ref()).expect_err("the manifest is broken")
}

#[test]
fn manifest_of_a_recording_that_begins_is_empty_and_incomplete() {
    assert_snapshot!(text_of(&Manifest::incomplete(TapeLimits::default())));
}

#[test]
fn manifest_of_a_running_recording_lists_its_launches_and_counts_nothing() {
    let mut manifest = Manifest::incomplete(TapeLimits {
        max_frame_bytes: 1024,
        max_stored_bytes: 65536,
    });
    manifest.connections = vec![connection(1, "codex")];
    assert_snapshot!(text_of(&manifest));
}

#[test]
fn manifest_of_a_complete_tape_lists_kinds_by_name() {
    assert_snapshot!(text_of(&Draft::conversation().manifest));
}

#[test]
fn manifest_of_a_complete_empty_tape_has_the_digest_of_nothing() {
    assert_snapshot!(text_of(&Draft::new(Vec::new(), Vec::new()).manifest));
}

#[test]
fn both_capture_origins_and_odd_identities_are_written_as_they_are() {
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    let mut attached = connection(2, " Claude-Code ");
    attached.capture_origin = CaptureOrigin::AttachedLiveConnection;
    attached.launch_ordinal = LaunchOrdinal::new(u64::MAX);
    attached.root_agent_session = "a \"quoted\"\\ <root> & \u{2028}\u{7f}\u{1}"
        .parse()
        .unwrap();
    manifest.connections = vec![connection(1, "codex"), attached];
    assert_snapshot!(text_of(&manifest));
}

#[test]
fn every_annotation_is_written_in_its_place() {
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.annotations = Annotations {
        tool: Some(Tool {
            name: "cassette".into(),
            version: "0.1.0".into(),
            unknown: Vec::new(),
        }),
        agent_version: Some("codex 0.99".into()),
        argv: Some(vec!["codex".into(), "app-server".into()]),
        recorded_at: Some("2026-01-02T03:04:05Z".into()),
        origin: Some(Origin::Recovered),
        redactions: Some(Redactions {
            count: 2,
            rules: vec!["OPENAI_API_KEY".into()],
            unknown: Vec::new(),
        }),
        sync_policy: Some(SyncPolicy::OnFinish),
        recovery: Some(RecoveryNote {
            mode: "tail".into(),
            kept_frames: 12,
            dropped_bytes: 34,
            reason: "torn last line".into(),
            unknown: Vec::new(),
        }),
        unknown: Vec::new(),
    };
    assert_snapshot!(text_of(&manifest));
}

#[test]
fn empty_lists_of_annotations_stay_empty_lists() {
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.annotations.argv = Some(Vec::new());
    manifest.annotations.redactions = Some(Redactions::default());
    assert_snapshot!(text_of(&manifest));
}

/// A manifest with fields of a newer version in every object there is.
const NEWER: &str = r#"{
  "schemaVersion": 4,
  "projectionVersion": 1,
  "status": "paused",
  "frameCount": 3,
  "payloadBytes": 4,
  "storedBytes": 5,
  "maxFrameBytes": 6,
  "limits": {
    "maxFrameBytes": 7,
    "maxStoredBytes": 8,
    "maxConnections": 1e3
  },
  "framesByKind": {
    "resize": {
      "frameCount": 1,
      "payloadBytes": 2,
      "storedBytes": 3
    },
    "stdout": {
      "frameCount": 1,
      "payloadBytes": 2,
      "storedBytes": 3,
      "largest": 12345678901234567890123,
      "smallest": -0.0
    }
  },
  "framesSha256": "",
  "connections": [
    {
      "connectionId": "connection-1",
      "provider": "codex",
      "agentSessionId": "s",
      "rootAgentSessionId": "s",
      "launchOrdinal": 1,
      "cwdToken": "",
      "captureOrigin": "resumed",
      "pid": [1,   2,
        {"a":null}]
    }
  ],
  "annotations": {
    "tool": {
      "name": "n",
      "version": "v",
      "commit": "\u00e9\/"
    },
    "origin": "imagined",
    "redactions": {
      "count": 1,
      "rules": [],
      "places": {}
    },
    "syncPolicy": "always",
    "recovery": {
      "mode": "m",
      "keptFrames": 1,
      "droppedBytes": 2,
      "reason": "",
      "by": true
    },
    "mood": false
  },
  "extra": {"nested": {"deeper": "\ud800"}},
  "extra": "again",
  "k\u0065y \ud83d": null,
  "": 0
}
"#;

#[test]
fn unknown_fields_of_every_object_survive_byte_for_byte() {
    assert_survives(NEWER);
    let manifest = read_manifest(NEWER.as_bytes()).unwrap();
    assert_eq!(text_of(&manifest), NEWER);
    let keys: Vec<&str> = manifest.unknown.iter().map(|field| field.key()).collect();
    assert_eq!(keys, ["extra", "extra", "key \u{fffd}", ""]);
    assert_eq!(
        manifest.unknown[0].json(),
        r#"{"nested": {"deeper": "\ud800"}}"#
    );
    assert_eq!(manifest.status, CassetteStatus::Unknown("paused".into()));
}

#[test]
fn unknown_fields_survive_a_change_of_what_is_known() {
    let mut manifest = read_manifest(NEWER.as_bytes()).unwrap();
    manifest.status = CassetteStatus::Complete;
    manifest.frame_count = 99;
    let changed = NEWER.replacen("\"paused\"", "\"complete\"", 1).replacen(
        "\"frameCount\": 3",
        "\"frameCount\": 99",
        1,
    );
    assert_eq!(text_of(&manifest), changed);
}

#[test]
fn absent_fields_and_null_are_nothing() {
    let mut nothing = Manifest::incomplete(TapeLimits {
        max_frame_bytes: 0,
        max_stored_bytes: 0,
    });
    nothing.schema_version = SchemaVersion::new(0);
    nothing.projection_version = "0".parse().unwrap();
    nothing.status = CassetteStatus::Unknown(String::new());
    assert_eq!(read_manifest(b"{}"), Ok(nothing.clone()));
    let nulls = br#"{"schemaVersion":null,"projectionVersion":null,"status":null,"limits":null,
        "frameCount":null,"framesByKind":null,"framesSha256":null,"connections":null,
        "annotations":null}"#;
    assert_eq!(read_manifest(nulls), Ok(nothing));
}

#[test]
fn order_and_white_space_do_not_matter_to_the_reader() {
    let manifest = Draft::conversation().manifest;
    let text = String::from_utf8(write_manifest(&manifest)).unwrap();
    let squeezed: String = text
        .split('\n')
        .map(str::trim_start)
        .collect::<Vec<_>>()
        .join("\r\n\t");
    assert_eq!(read_manifest(squeezed.as_bytes()), Ok(manifest.clone()));
    let (first, rest) = squeezed
        .trim_end()
        .split_once("\"schemaVersion\": 4,")
        .unwrap();
    let moved = format!(
        "{first}{},\"schemaVersion\":4}} \n",
        rest.strip_suffix('}').unwrap()
    );
    assert_eq!(read_manifest(moved.as_bytes()), Ok(manifest));
}

#[test]
fn what_is_no_manifest_is_refused_with_its_place() {
    let cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b" \n ".to_vec(),
        b"\xef\xbb\xbf{}".to_vec(),
        b"{\"status\":\"\xff\"}".to_vec(),
        b"{}\0".to_vec(),
        b"{}\n{}".to_vec(),
        b"{} // done".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
        b"{\n  \"status\": \"complete\",\n}".to_vec(),
        b"{\"status\":\"complete\",\n \"status\":\"complete\"}".to_vec(),
        b"{\"Status\":\"complete\"}".to_vec(),
        "{\"\u{17f}tatus\":\"complete\"}".into(),
        b"{\"\\u0073tatus\":\"complete\",\"status\":null}".to_vec(),
        b"{\"status\":1}".to_vec(),
        b"{\"frameCount\":-1}".to_vec(),
        b"{\"frameCount\":-0}".to_vec(),
        b"{\"frameCount\":1.0}".to_vec(),
        b"{\"frameCount\":1e3}".to_vec(),
        b"{\"frameCount\":18446744073709551616}".to_vec(),
        b"{\"frameCount\":\"1\"}".to_vec(),
        b"{\"limits\":[]}".to_vec(),
        b"{\"limits\":{\"maxFrameBytes\":true}}".to_vec(),
        b"{\"framesByKind\":[]}".to_vec(),
        b"{\"framesByKind\":{\"a/b~\\n\":{\"frameCount\":\"\"}}}".to_vec(),
        b"{\"framesByKind\":{\"stdout\":{},\"std\\u006fut\":{}}}".to_vec(),
        b"{\"connections\":{}}".to_vec(),
        b"{\"connections\":[{},\n  {\"provider\":[]}]}".to_vec(),
        b"{\"connections\":[null]}".to_vec(),
        b"{\"annotations\":{\"argv\":[\"a\",1]}}".to_vec(),
        b"{\"annotations\":{\"redactions\":{\"Count\":1}}}".to_vec(),
    ];
    let refusals: Vec<String> = cases
        .iter()
        .map(|text| format!("{}\n  {}", text.escape_ascii(), refusal(text)))
        .collect();
    assert_snapshot!(refusals.join("\n"));
}

#[test]
fn unknown_fields_nested_a_million_deep_are_kept() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    let text = format!("{{\"deep\":{deep}}}");
    let manifest = read_manifest(text.as_bytes()).unwrap();
    assert_eq!(manifest.unknown[0].json(), deep);
    let torn = format!("{{\"deep\":{}", "{\"a\":[".repeat(1_000_000));
    assert_eq!(
        refusal(torn).to_string(),
        "line 1 column 6000009: not json: expected a value or `]`, found the end"
    );
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,8}", "[ -~]{0,12}", Just("connection-1".to_owned())]
}

proptest! {
    #[test]
    fn any_connection_survives_the_manifest(
        id in text(), provider in text(), session in text(), root in text(),
        ordinal in any::<u64>(), token in text(), origin in text(),
    ) {
        let mut manifest = Manifest::incomplete(TapeLimits::default());
        let mut record = connection(1, &provider);
        record.connection_id = cassette_format::schema::ConnectionId::from_recorded(id);
        record.agent_session = cassette_format::schema::AgentSessionId::from_recorded(session);
        record.root_agent_session = cassette_format::schema::AgentSessionId::from_recorded(root);
        record.launch_ordinal = LaunchOrdinal::new(ordinal);
        record.cwd_token = cassette_format::schema::CwdToken::from_recorded(token);
        record.capture_origin = CaptureOrigin::named(&origin);
        manifest.connections.push(record);
        text_of(&manifest);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut text = NEWER.as_bytes().to_vec();
        let at = at.index(text.len());
        text[at] = byte;
        if cut {
            text.truncate(at);
        }
        if let Ok(manifest) = read_manifest(&text) {
            let written = write_manifest(&manifest);
            prop_assert_eq!(read_manifest(&written), Ok(manifest));
        }
    }
}
