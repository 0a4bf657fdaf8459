//! Files by their path.

use std::fs;

use cassette_format::descriptor::TranscriptLayout;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use tempfile::tempdir;

use super::*;
use crate::inspect::limits::Limits;
use crate::inspect::report::TranscriptReport;
use crate::inspect::transcript::{InspectError, inspect};

const TEXT: &str = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}\n{\"a\":1}\nx\n";

fn layout() -> TranscriptLayout {
    TranscriptLayout::Rollouts {
        directories: vec!["sessions".to_owned()],
        traces: Vec::new(),
    }
}

#[test]
fn a_compressed_file_has_the_report_of_its_content() {
    let folder = tempdir().unwrap();
    let plain = folder.path().join("rollout-t.jsonl");
    let compressed = folder.path().join("rollout-t.jsonl.zst");
    fs::write(&plain, TEXT).unwrap();
    let content = compress_to_vec(TEXT.as_bytes(), CompressionLevel::Fastest);
    fs::write(&compressed, content).unwrap();
    let limits = Limits {
        decompressed_bytes: TEXT.len() as u64,
    };
    let report = inspect(
        &plain,
        &layout(),
        &Limits {
            decompressed_bytes: 0,
        },
    )
    .unwrap();
    assert_eq!(report, rollout(TEXT).report);
    assert_eq!(damages(&rollout(TEXT)).len(), 1);
    let expected = TranscriptReport {
        is_compressed: true,
        ..report
    };
    assert_eq!(inspect(&compressed, &layout(), &limits).unwrap(), expected);
    let limits = Limits {
        decompressed_bytes: TEXT.len() as u64 - 1,
    };
    let told = inspect(&compressed, &layout(), &limits).unwrap_err();
    assert!(
        matches!(&told, InspectError::Content { path, .. } if *path == compressed),
        "{told}"
    );
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempdir().unwrap();
    let told = inspect(folder.path(), &layout(), &Limits::default()).unwrap_err();
    assert!(matches!(told, InspectError::NotRegular { .. }), "{told}");
    let missing = folder.path().join("none");
    let told = inspect(&missing, &layout(), &Limits::default()).unwrap_err();
    assert!(matches!(told, InspectError::Open { .. }), "{told}");
}
