//! The committed corpus: every input of it passes its target, and each target has one.
#![cfg(test)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cassette_fuzz::TARGETS;

/// Most bytes of all committed inputs.
const MOST: usize = 200_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn inputs(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder("corpus").join(target)).expect("a corpus");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let input = fs::read(&path).unwrap();
        (path, input)
    };
    paths.into_iter().map(read).collect()
}

/// Runs the corpus of one target; its name is that of the test.
fn passes(target: &str) {
    let target = TARGETS
        .iter()
        .find(|it| it.name == target)
        .expect("a target");
    for (path, input) in inputs(target.name) {
        let run = std::panic::catch_unwind(|| (target.run)(&input));
        assert!(run.is_ok(), "{} fails", path.display());
    }
}

#[test]
fn committed_inputs_pass_scanner() {
    passes("scanner");
}

#[test]
fn committed_inputs_pass_framers() {
    passes("framers");
}

#[test]
fn committed_inputs_pass_frame_line() {
    passes("frame_line");
}

#[test]
fn committed_inputs_pass_manifest() {
    passes("manifest");
}

#[test]
fn committed_inputs_pass_recover() {
    passes("recover");
}

#[test]
fn committed_inputs_pass_projection() {
    passes("projection");
}

#[test]
fn committed_inputs_pass_player() {
    passes("player");
}

#[test]
fn committed_inputs_pass_descriptor_file() {
    passes("descriptor_file");
}

#[test]
fn committed_inputs_pass_rollout() {
    passes("rollout");
}

#[test]
fn committed_inputs_pass_zst() {
    passes("zst");
}

#[test]
fn every_target_has_a_binary_a_corpus_and_a_test() {
    let names = |folder: PathBuf| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let name = |path: PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        paths.map(name).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|it| it.name.to_owned()).collect();
    assert_eq!(names(folder("fuzz_targets")), targets);
    assert_eq!(names(folder("corpus")), targets);
    let tests = include_str!("corpus.rs");
    for target in TARGETS {
        assert!(tests.contains(&format!("passes(\"{}\")", target.name)));
        assert_ne!(inputs(target.name).len(), 0, "{}", target.name);
    }
}

#[test]
fn the_corpus_is_small() {
    let inputs = TARGETS.iter().flat_map(|target| inputs(target.name));
    let bytes: usize = inputs.map(|(_, input)| input.len()).sum();
    assert!(bytes <= MOST, "{bytes} bytes");
}
