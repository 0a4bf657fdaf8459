//! Bindings that are killed at a system call, and bindings whose calls fail: the
//! target has the whole of a transcript or what it had, and the next binding succeeds.
//!
//! `strace` does it; without it nothing is tested, and that is said. It is done at a few
//! of the calls; at all kinds of them where `FAULT_ROUNDS` says at how many points.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::cassettes::{cassette, told};
use crate::homes::{
    BIND, FORK, PARENT, compressed, files, rollouts, source, source_and_beginnings,
};
use crate::traced::{Account, Scene, at_each, is_in_full};

const fn binding(name: &'static str, make: fn() -> TempDir) -> Scene {
    Scene {
        name,
        make,
        arguments: &BIND,
        variables: &[],
    }
}

/// What there is before a binding.
const SCENES: [Scene; 2] = [
    binding("a copy", source),
    binding("a repair", source_and_beginnings),
];

/// Calls that read or change something, or make it last.
const CALLS: [&str; 15] = [
    "flock",
    "fstat",
    "getdents64",
    "newfstatat",
    "read",
    "fchmod",
    "fsync",
    "linkat",
    "mkdirat",
    "openat",
    "openat2",
    "renameat",
    "renameat2",
    "unlinkat",
    "write",
];

/// The target's transcripts, without the temporary files.
fn transcripts(scratch: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = files(&scratch.join("two"));
    files.retain(|path, _| !is_temporary(path));
    files
}

fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.starts_with(".cassette-fork-")
}

/// Each transcript is as it was before or whole, and the fork is not before its parent.
fn expect_old_or_whole(scratch: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, when: &str) {
    let there = transcripts(scratch);
    let state = rollouts().map(|(path, whole)| {
        let path = scratch.join("two").join(path);
        let is_old = there.get(&path) == before.get(&path);
        assert!(
            is_old || there.get(&path) == Some(&whole),
            "{when}: {there:?}"
        );
        is_old
    });
    let [parent_is_old, fork_is_old] = state;
    assert!(fork_is_old || !parent_is_old, "{when}: {there:?}");
    let is_known = |path: &&PathBuf| path.ends_with(PARENT) || path.ends_with(FORK);
    assert_eq!(there.keys().find(|path| !is_known(path)), None, "{when}");
    for (path, whole) in rollouts() {
        assert_eq!(
            fs::read(scratch.join("one").join(path)).unwrap(),
            whole,
            "{when}"
        );
    }
}

/// The next binding succeeds and leaves no temporary file.
fn expect_bound_by_the_next(scratch: &Path, when: &str) {
    let (code, _, error) = told(&cassette(scratch, &BIND, b""));
    assert_eq!((code, error.as_str()), (Some(0), ""), "{when}");
    let expected = rollouts().map(|(path, whole)| (scratch.join("two").join(path), whole));
    let there = files(&scratch.join("two"));
    assert_eq!(there, BTreeMap::from(expected), "{when}");
}

/// Does each of `asked` at each of the calls that are `wanted`, and gives how often, and how
/// often a temporary file was left.
fn bind_at_each(
    asked: &[&str],
    wanted: impl Fn(&str) -> bool,
    check: impl Fn(&Path, &Output, &str),
) -> Option<(Account, usize)> {
    let mut left = 0;
    let account = at_each(
        &SCENES,
        (asked, wanted),
        transcripts,
        |before, (scratch, output), when| {
            expect_old_or_whole(scratch, &before, when);
            let target = files(&scratch.join("two"));
            left += usize::from(target.keys().any(|path| is_temporary(path)));
            check(scratch, output, when);
            expect_bound_by_the_next(scratch, when);
        },
    )?;
    Some((account, left))
}

fn kill(wanted: impl Fn(&str) -> bool) {
    let done = bind_at_each(&["signal=KILL"], wanted, |_, output, when| {
        assert!(!output.status.success(), "{when}");
    });
    if let Some((Account { tried, all }, left)) = done {
        println!("faults: killed at {tried} of {all} calls, {left} temporary files left and swept");
    }
}

/// A call that fails makes the command fail and say so, unless it does without it.
fn fail(errors: &[&str], wanted: impl Fn(&str) -> bool) {
    let asked: Vec<String> = errors.iter().map(|it| format!("error={it}")).collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let done = bind_at_each(&asked, wanted, |scratch, output, when| {
        let whole = rollouts().map(|(path, whole)| (scratch.join("two").join(path), whole));
        match told(output) {
            (Some(0), ..) => assert_eq!(transcripts(scratch), BTreeMap::from(whole), "{when}"),
            // The loader has failed, before the command began.
            (Some(127), _, told) => assert!(told.contains("shared"), "{when}: {told}"),
            (code, _, told) => {
                assert_eq!(code, Some(2), "{when}: {told}");
                assert!(told.starts_with("cassette: "), "{when}: {told}");
            }
        }
    });
    if let Some((Account { tried, all }, left)) = done {
        let errors = errors.join("/");
        println!(
            "faults: {tried} of {all} {errors} at calls, {left} temporary files left and swept"
        );
    }
}

#[test]
fn a_binding_that_is_killed_leaves_nothing_or_the_whole() {
    kill(|call| match call {
        // It is over when the tracer comes to look.
        "execve" => false,
        "fsync" | "renameat" | "renameat2" | "unlinkat" => true,
        _ => is_in_full(),
    });
}

#[test]
fn a_binding_of_which_a_call_fails_leaves_nothing_or_the_whole() {
    if is_in_full() {
        let errors = ["EIO", "ENOSPC", "EINTR", "EDQUOT"];
        fail(&errors, |call| CALLS.contains(&call));
    } else {
        fail(&["EIO"], |call| matches!(call, "fchmod" | "renameat2"));
        fail(&["ENOSPC"], |call| call == "mkdirat");
    }
}

/// The system says of a write that it was done, and it was not.
#[test]
fn a_copy_that_does_not_hold_what_was_written_is_not_published() {
    let [copy, _] = SCENES;
    if copy.calls().is_none() {
        return;
    }
    let [(_, parent), (_, fork)] = rollouts();
    let (compressed, whole) = compressed();
    // The fork is looked at first, then its parent.
    for (scratch, at, bytes) in [
        (source(), 1, fork),
        (source(), 2, parent),
        (compressed, 1, whole),
    ] {
        let before = files(&scratch.path().join("two"));
        let fault = format!("inject=write:retval={}:when={at}", bytes.len());
        let output = copy.traced(scratch.path(), &["-e", &fault]).unwrap();
        let (code, _, error) = told(&output);
        assert_eq!(code, Some(2), "{error}");
        assert_eq!(files(&scratch.path().join("two")), before, "{error}");
        // Bound it can be, if the system does what it says.
        let (code, _, error) = told(&cassette(scratch.path(), &BIND, b""));
        assert_eq!((code, error.as_str()), (Some(0), ""));
    }
}
