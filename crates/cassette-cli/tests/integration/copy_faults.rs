//! `cassette recover` and `cassette redact` that are killed at a system call, or of which one
//! fails: the old cassette stays as it was, and there is a complete new one or none that says
//! so.
//!
//! `strace` does it; without it nothing is tested, and that is said. It is done at a few of
//! the calls; at all kinds of them where `FAULT_ROUNDS` says at how many points.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use cassette_format::store::{ReadOptions, Tape};
use tempfile::TempDir;

use crate::cassettes::{self, cassette_with, change, conversation, named, told};
use crate::homes::files;
use crate::traced::{Account, Scene, at_each, is_in_full};

const SECRET: &str = "s3cret-value";
const LEAK: &[u8] = b"{\"id\":1,\"method\":\"ping\",\"params\":{\"text\":\"s3cret-value\"}}\n";

const RECOVER: Scene = Scene {
    name: "recover",
    make: torn,
    arguments: &["recover", "--mode", "tail", "a", "b"],
    variables: &[],
};

const REDACT: Scene = Scene {
    name: "redact",
    make: leaky,
    arguments: &["redact", "--secret", "MY_KEY", "a", "b"],
    variables: &[("MY_KEY", SECRET)],
};

/// Calls that read or change something, or make it last. Not `close`: that it succeeds is taken
/// for certain by the standard library's listing of a directory, which panics otherwise.
const CALLS: [&str; 12] = [
    "flock",
    "fsync",
    "ftruncate",
    "getdents64",
    "lseek",
    "mkdir",
    "openat",
    "read",
    "rename",
    "statx",
    "unlink",
    "write",
];

/// A cassette that was never finished, with a torn last line.
fn torn() -> TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let dir = named(scratch.path(), "a");
    change(&dir.join("manifest.json"), "complete", "incomplete");
    let frames = fs::read(dir.join("frames.jsonl")).unwrap();
    fs::write(dir.join("frames.jsonl"), &frames[..frames.len() - 9]).unwrap();
    scratch
}

/// A cassette with a secret in it.
fn leaky() -> TempDir {
    let scratch = tempfile::tempdir().unwrap();
    let written = cassettes::write_saying(scratch.path(), ("codex", LEAK), cassettes::exit_3());
    fs::rename(written, scratch.path().join("a")).unwrap();
    scratch
}

/// The old cassette.
fn old(scratch: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(&scratch.join("a"))
}

/// What stands in the new cassette when all went well.
fn expected(scene: &Scene) -> Vec<(String, Vec<u8>, Option<i64>)> {
    let scratch = (scene.make)();
    let done = cassette_with(scratch.path(), scene.variables, scene.arguments, b"");
    assert!(done.status.success());
    conversation(&scratch.path().join("b"))
}

/// Does each of `asked` at each of the calls that are `wanted`; gives how often, and how often
/// there was a complete new cassette.
fn copy_at_each(
    scene: Scene,
    (asked, wanted): (&[&str], impl Fn(&str) -> bool),
    check: impl Fn(&Output, &Path, &str),
) -> Option<(Account, usize)> {
    let whole = expected(&scene);
    let mut complete = 0;
    let account = at_each(
        &[scene],
        (asked, wanted),
        old,
        |before, (scratch, output), when| {
            assert_eq!(old(scratch), before, "{when}");
            let new = scratch.join("b");
            if new.join("manifest.json").exists() {
                Tape::open(&new, &ReadOptions::default()).unwrap();
                assert_eq!(conversation(&new), whole, "{when}");
                complete += 1;
            }
            for (path, bytes) in files(&new) {
                let leaks = scene.name == "redact" && holds(&bytes, SECRET.as_bytes());
                assert!(!leaks, "{when}: {}", path.display());
            }
            check(output, &new, when);
            let mut again = scene.arguments.to_vec();
            *again.last_mut().unwrap() = "c";
            let done = cassette_with(scratch, scene.variables, &again, b"");
            assert_eq!(told(&done).0, Some(0), "{when}");
            assert_eq!(conversation(&scratch.join("c")), whole, "{when}");
        },
    )?;
    Some((account, complete))
}

fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn kill(scene: Scene) {
    let wanted = |call: &str| match call {
        // It is over when the tracer comes to look.
        "execve" => false,
        "fsync" | "rename" => true,
        _ => is_in_full(),
    };
    let done = copy_at_each(scene, (&["signal=KILL"], wanted), |output, _, when| {
        assert!(!output.status.success(), "{when}");
    });
    if let Some((Account { tried, all }, complete)) = done {
        println!("faults: killed at {tried} of {all} calls, {complete} complete, 0 falsely so");
    }
}

/// A call that fails makes the command fail and say so, unless it does without it.
fn fail(scene: Scene) {
    let asked = ["error=EIO", "error=ENOSPC", "error=EINTR", "error=EDQUOT"];
    let wanted = |call: &str| match call {
        "fsync" | "rename" => true,
        _ => is_in_full() && CALLS.contains(&call),
    };
    let done = copy_at_each(scene, (&asked, wanted), |output, new, when| {
        match told(output) {
            (Some(0), ..) => assert!(new.join("manifest.json").exists(), "{when}"),
            // The loader has failed, before the command began.
            (Some(127), _, told) => assert!(told.contains("shared"), "{when}: {told}"),
            (code, _, told) => {
                assert_eq!(code, Some(2), "{when}: {told}");
                assert!(told.starts_with("cassette: "), "{when}: {told}");
            }
        }
    });
    if let Some((Account { tried, all }, complete)) = done {
        println!(
            "faults: {tried} of {all} EIO/ENOSPC/EINTR/EDQUOT at calls, {complete} complete, 0 \
             falsely so"
        );
    }
}

#[test]
fn a_recovery_that_is_killed_leaves_a_complete_cassette_or_none() {
    kill(RECOVER);
}

#[test]
fn a_recovery_of_which_a_call_fails_leaves_a_complete_cassette_or_none() {
    fail(RECOVER);
}

#[test]
fn a_redaction_that_is_killed_leaves_a_complete_cassette_or_none() {
    kill(REDACT);
}

#[test]
fn a_redaction_of_which_a_call_fails_leaves_a_complete_cassette_or_none() {
    fail(REDACT);
}
