//! The homes that agents left: every transcript is sound and its own.

use std::fs;
use std::path::{Path, PathBuf};

use cassette_format::descriptor::TranscriptLayout;

use super::*;
use crate::inspect::limits::Limits;
use crate::inspect::report::TranscriptReport;
use crate::inspect::transcript::inspect;

/// The transcripts of all homes; none, and a line that says so, where there are
/// no samples.
fn transcripts() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let homes = std::env::var_os("CASSETTE_SAMPLES")
        .map_or(beside, PathBuf::from)
        .join("homes");
    let mut found = Vec::new();
    if homes.is_dir() {
        collect(&homes, &mut found);
        assert!(!found.is_empty(), "no transcripts in {}", homes.display());
    } else {
        println!(
            "SKIPPED: no samples at {}; set CASSETTE_SAMPLES",
            homes.display()
        );
    }
    found.sort();
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            found.push(path);
        }
    }
}

fn report(path: &Path) -> TranscriptReport {
    let is_rollout = path
        .components()
        .any(|part| part.as_os_str() == "sessions" || part.as_os_str() == "archived_sessions");
    let layout = if is_rollout {
        TranscriptLayout::Rollouts {
            directories: Vec::new(),
            traces: Vec::new(),
        }
    } else {
        TranscriptLayout::ProjectFiles {
            directory: String::new(),
            subdirectory: None,
        }
    };
    inspect(path, &layout, &Limits::default()).unwrap()
}

#[test]
fn every_transcript_of_the_sample_homes_is_sound_and_names_its_session() {
    for path in transcripts() {
        let report = report(&path);
        assert_eq!(report.damages, [], "{}", path.display());
        assert_eq!(report.notes, [], "{}", path.display());
        assert_eq!(report.size, fs::metadata(&path).unwrap().len());
        let name = path.file_stem().unwrap().to_str().unwrap();
        let [session] = &report.sessions[..] else {
            panic!("{}: {:?}", path.display(), report.sessions);
        };
        assert!(name.ends_with(session.as_str()), "{name}: {session}");
    }
}

#[test]
fn every_base_of_the_sample_homes_ends_with_a_record_of_its_rollout() {
    let transcripts = transcripts();
    let mut bases = 0;
    for path in &transcripts {
        let Some(base) = report(path).base else {
            continue;
        };
        let is_parent = |other: &&PathBuf| {
            let name = other.to_str().unwrap();
            other.parent() == path.parent() && name.contains(base.session.as_str())
        };
        let parent = fs::read(transcripts.iter().find(is_parent).unwrap()).unwrap();
        let end = Some(base.end_byte_offset);
        let inspection = in_parts(RecordLayout::Rollout, end, iter::once(&parent[..]));
        let next_ordinal = inspection.boundary.unwrap().next_ordinal;
        assert_eq!(
            next_ordinal,
            Some(base.end_ordinal_exclusive),
            "{}",
            path.display()
        );
        bases += 1;
    }
    assert!(transcripts.is_empty() || bases == 2, "{bases} bases");
}
