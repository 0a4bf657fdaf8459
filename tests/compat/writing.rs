//! What today's recorder writes.

use std::fs;

use crate::golden::{FILES, today};
use crate::scenes;

/// Copies the recordings of scenes that have no golden cassette yet.
fn is_new_wanted() -> bool {
    std::env::var_os("NEW_GOLDEN").is_some()
}

#[test]
fn todays_recorder_writes_the_golden_cassettes_byte_for_byte() {
    for scene in scenes::all() {
        let name = scene.name;
        let scratch = tempfile::tempdir().unwrap();
        let written = scratch.path().join(name);
        scene.record(&written);
        let golden = today().join(name);
        if is_new_wanted() && !golden.exists() {
            fs::create_dir(&golden).unwrap();
            for file in FILES {
                fs::copy(written.join(file), golden.join(file)).unwrap();
            }
        }
        for file in FILES {
            let read = |dir: &std::path::Path| {
                String::from_utf8_lossy(&fs::read(dir.join(file)).unwrap()).into_owned()
            };
            similar(&read(&golden), &read(&written), &format!("{name}/{file}"));
        }
    }
}

fn similar(golden: &str, written: &str, place: &str) {
    assert!(
        golden == written,
        "{place}: written today\n{written}\ngolden\n{golden}"
    );
}
