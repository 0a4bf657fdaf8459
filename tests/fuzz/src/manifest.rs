//! Manifests: what reads as one is written so that it reads as the same one, unknown fields
//! included; what does not is told with its place.

use cassette_format::store::{read_manifest, write_manifest};

/// Any bytes.
pub fn manifest(data: &[u8]) {
    match read_manifest(data) {
        Ok(manifest) => {
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
