//! Manifests: what reads as one is written so that it reads as the same one, unknown fields
//! included; what does not is told with its place.

use cassette_format::schema::Manifest;
use cassette_format::store::{read_manifest, write_manifest};

use crate::plain::{PlainManifest, plain};

/// Any bytes.
pub fn manifest(data: &[u8]) {
    match read_manifest(data) {
        Ok(manifest) => {
            if let Some(plain) = plain::<PlainManifest>(data) {
                check_meaning(&manifest, plain.expect("reads otherwise too"));
            }
            let text = write_manifest(&manifest);
            let again = read_manifest(&text).expect("was written");
            assert_eq!(again, manifest);
            assert_eq!(write_manifest(&again), text);
        }
        Err(error) => {
            let lines: Vec<&[u8]> = data.split(|byte| *byte == b'\n').collect();
            let line = error.line.expect("a manifest has lines");
            let at = usize::try_from(line).unwrap().checked_sub(1).unwrap();
            let columns = 1..=lines[at].len() as u64 + 1;
            assert!(columns.contains(&error.column), "{error}");
            assert!(!error.to_string().contains('\n'));
        }
    }
}

fn check_meaning(manifest: &Manifest, plain: PlainManifest) {
    let number = |number: Option<u64>| number.unwrap_or(0);
    let text = |text: Option<String>| text.unwrap_or_default();
    assert_eq!(manifest.schema_version.get(), number(plain.schema_version));
    let projection = number(plain.projection_version);
    assert_eq!(manifest.projection_version.get(), projection);
    assert_eq!(manifest.status.as_str(), text(plain.status));
    assert_eq!(manifest.frame_count, number(plain.frame_count));
    assert_eq!(manifest.payload_bytes, number(plain.payload_bytes));
    assert_eq!(manifest.stored_bytes, number(plain.stored_bytes));
    assert_eq!(manifest.max_frame_bytes, number(plain.max_frame_bytes));
    assert_eq!(manifest.frames_sha256.as_str(), text(plain.frames_sha256));
    if let Some(limits) = plain.limits {
        let (frame, stored) = (limits.max_frame_bytes, limits.max_stored_bytes);
        assert_eq!(manifest.limits.max_frame_bytes, number(frame));
        assert_eq!(manifest.limits.max_stored_bytes, number(stored));
    }
    let connections = plain.connections.unwrap_or_default();
    assert_eq!(manifest.connections.len(), connections.len());
    for (ours, plain) in manifest.connections.iter().zip(connections) {
        let plain = plain.expect("an object");
        assert_eq!(ours.connection_id.as_str(), text(plain.connection_id));
        assert_eq!(ours.provider.as_str(), text(plain.provider));
        assert_eq!(ours.agent_session.as_str(), text(plain.agent_session_id));
        let root = text(plain.root_agent_session_id);
        assert_eq!(ours.root_agent_session.as_str(), root);
        assert_eq!(ours.launch_ordinal.get(), number(plain.launch_ordinal));
        assert_eq!(ours.cwd_token.as_str(), text(plain.cwd_token));
        assert_eq!(ours.capture_origin.as_str(), text(plain.capture_origin));
    }
}
