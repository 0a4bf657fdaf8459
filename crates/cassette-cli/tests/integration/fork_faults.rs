//! Bindings that are killed at a system call, and bindings whose calls fail: the
//! target has the whole of a transcript or what it had, and the next binding succeeds.
//!
//! `strace` does it; without it nothing is tested, and that is said. It is done at a few
//! of the calls, and at all of them where `FAULT_CALLS` is `all`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::cassettes::{cassette, told};
use crate::homes::{
    BIND, FORK, PARENT, compressed, files, rollouts, source, source_and_beginnings,
};

/// Makes a scratch directory.
type Make = fn() -> TempDir;

/// What there is before a binding.
const SCENES: [(&str, Make); 2] = [("a copy", source), ("a repair", source_and_beginnings)];

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

/// Binds under `strace`, which writes the calls to `log` and does what is asked.
fn traced(scratch: &Path, asked: &[&str]) -> Option<Output> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "log"]).args(asked);
    command.arg(env!("CARGO_BIN_EXE_cassette")).args(BIND);
    command.current_dir(scratch).stdin(Stdio::null());
    // Where a test runner has the loader look for libraries is no part of this.
    command.env_remove("LD_LIBRARY_PATH");
    command.output().ok()
}

/// How often each call is made, where there is a tracer that may trace.
fn calls(make: Make) -> Option<BTreeMap<String, usize>> {
    let scratch = make();
    let output = traced(scratch.path(), &[]);
    if !output.is_some_and(|output| output.status.success()) {
        eprintln!("skipped: there is no strace, or it may not trace");
        return None;
    }
    let log = fs::read_to_string(scratch.path().join("log")).unwrap();
    let mut calls = BTreeMap::new();
    for line in log.lines() {
        let call = line.split_once(' ').unwrap().1.trim_start();
        if let Some((name, _)) = call.split_once('(') {
            *calls.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    Some(calls)
}

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

/// Does `asked` at each of the calls that are `wanted`, and gives how often, and how
/// often a temporary file was left.
fn at_each(
    asked: &str,
    wanted: impl Fn(&str) -> bool,
    check: impl Fn(&Path, &Output, &str),
) -> (usize, usize) {
    let (mut runs, mut left) = (0, 0);
    for (name, make) in SCENES {
        let Some(calls) = calls(make) else {
            return (0, 0);
        };
        for (call, count) in calls.into_iter().filter(|(call, _)| wanted(call)) {
            for at in 1..=count {
                let when = format!("{name}, {call} {at} of {count}, {asked}");
                let scratch = make();
                let before = transcripts(scratch.path());
                let fault = format!("inject={call}:{asked}:when={at}");
                let output = traced(scratch.path(), &["-e", &fault]).unwrap();
                expect_old_or_whole(scratch.path(), &before, &when);
                let target = files(&scratch.path().join("two"));
                left += usize::from(target.keys().any(|path| is_temporary(path)));
                check(scratch.path(), &output, &when);
                expect_bound_by_the_next(scratch.path(), &when);
                runs += 1;
            }
        }
    }
    (runs, left)
}

fn kill(wanted: impl Fn(&str) -> bool) {
    let (runs, left) = at_each("signal=KILL", wanted, |_, output, when| {
        assert!(!output.status.success(), "{when}");
    });
    eprintln!("killed {runs} times, {left} of them with a temporary file left");
}

/// A call that fails makes the command fail and say so, unless it does without it.
fn fail(error: &str, wanted: impl Fn(&str) -> bool) {
    let (runs, left) = at_each(
        &format!("error={error}"),
        wanted,
        |scratch, output, when| {
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
        },
    );
    eprintln!("{error} {runs} times, {left} of them with a temporary file left");
}

/// Whether every call is asked for.
fn is_in_full() -> bool {
    std::env::var_os("FAULT_CALLS").is_some_and(|calls| calls == "all")
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
        for error in ["EIO", "ENOSPC", "EINTR"] {
            fail(error, |call| CALLS.contains(&call));
        }
    } else {
        fail("EIO", |call| matches!(call, "fchmod" | "renameat2"));
        fail("ENOSPC", |call| call == "mkdirat");
    }
}

/// The system says of a write that it was done, and it was not.
#[test]
fn a_copy_that_does_not_hold_what_was_written_is_not_published() {
    if calls(source).is_none() {
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
        let output = traced(scratch.path(), &["-e", &fault]).unwrap();
        let (code, _, error) = told(&output);
        assert_eq!(code, Some(2), "{error}");
        assert_eq!(files(&scratch.path().join("two")), before, "{error}");
        // Bound it can be, if the system does what it says.
        let (code, _, error) = told(&cassette(scratch.path(), &BIND, b""));
        assert_eq!((code, error.as_str()), (Some(0), ""));
    }
}
