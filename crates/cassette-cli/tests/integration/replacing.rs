//! `cassette record --replace` on the disk: what is synced before the old cassette goes.
//!
//! `strace` tells it; without it nothing is tested, and that is said.

use std::fs;

use tempfile::TempDir;

use crate::cassettes;
use crate::traced::Scene;

const REPLACE: Scene = Scene {
    name: "replace",
    make: recorded,
    arguments: &[
        "record",
        "--replace",
        "-o",
        "agent.cassette",
        "--",
        env!("CARGO_BIN_EXE_cassette"),
        "--version",
    ],
    variables: &[],
};

fn recorded() -> TempDir {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    scratch
}

#[test]
fn the_new_cassette_is_in_its_place_on_the_disk_before_the_old_one_is_removed() {
    if REPLACE.calls().is_none() {
        return;
    }
    let scratch = (REPLACE.make)();
    let output = REPLACE.traced(scratch.path(), &["-y"]).unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = fs::read_to_string(scratch.path().join("log")).unwrap();
    let above = format!("<{}>", scratch.path().canonicalize().unwrap().display());
    let calls = log.lines().filter_map(|line| {
        let call = line.split_once(' ')?.1.trim_start();
        let placed = call.starts_with("rename") && call.contains("\"agent.cassette\"");
        let synced = call.starts_with("fsync") && call.contains(&above);
        let removed = call.starts_with("unlink") && call.contains(".old/");
        let told = [(placed, "placed"), (synced, "synced"), (removed, "removed")];
        told.into_iter().find(|it| it.0).map(|it| it.1)
    });
    let calls: Vec<&str> = calls.collect();
    let expected = ["placed", "placed", "synced", "removed", "removed"];
    assert!(calls.ends_with(&expected), "{calls:?}");
}
