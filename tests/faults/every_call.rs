//! A fault at each system call of a piece of work.
//!
//! The tracer counts the calls of each thread for itself, and the test harness has one of its
//! own beside the one that works. So the work begins with as many calls of every kind as the
//! other thread makes ([`crate::work::begin`]), and only what follows is counted here.

use std::path::Path;

use crate::rounds::spread;
use crate::scratch::scratch;
use crate::tracer::{Run, traced};

/// Calls by which anything reaches the disk, or is looked for there.
const CALLS: [&str; 15] = [
    "close",
    "fdatasync",
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
    "renameat2",
];

/// What the working thread says at its beginning.
pub(crate) const BEGINNING: &str = "said: begin";

/// Has each of the faults happen at each call of the work, and looks at what came of it. Gives
/// at how many points, and at how many it could have been.
pub(crate) fn at_every_call(
    work: &str,
    faults: &[&str],
    prepare: impl Fn(&Path),
    mut look: impl FnMut(&Path, &Run, &str),
) -> Option<(usize, usize)> {
    let (_made, directory) = scratch();
    prepare(&directory);
    let run = traced(&directory, work, &[])?;
    assert!(run.ended.success());
    let mut points = Vec::new();
    for call in CALLS {
        let (before, all) = counts(&run.log, call);
        // Of a directory that is listed, the standard library takes for certain that it can be
        // closed, and panics otherwise.
        let faults = faults
            .iter()
            .filter(|it| call != "close" || !it.starts_with("error"));
        let numbers = (before + 1)..=all;
        points.extend(faults.flat_map(|fault| numbers.clone().map(move |at| (call, *fault, at))));
    }
    let (all, points) = (points.len(), spread(points));
    for (call, fault, at) in &points {
        let when = format!("{call} {at} {fault}");
        let (_made, directory) = scratch();
        prepare(&directory);
        let inject = format!("inject={call}:{fault}:when={at}");
        let run = traced(&directory, work, &["-e", &inject])?;
        look(&directory, &run, &when);
    }
    Some((points.len(), all))
}

/// How often the working thread makes a call before it begins, and at all.
fn counts(log: &str, call: &str) -> (usize, usize) {
    let begins = |line: &&str| line.contains(&format!("\"{BEGINNING}\\n\""));
    let (thread, _) = log.lines().find(begins).unwrap().split_once(' ').unwrap();
    let (before, after) = log.split_at(log.find(&format!("\"{BEGINNING}\\n\"")).unwrap());
    let is_ours = |line: &&str| {
        let (its, rest) = line.split_once(' ').unwrap_or_default();
        its == thread && rest.trim_start().starts_with(&format!("{call}("))
    };
    let first = before.lines().filter(is_ours).count();
    let all = first + after.lines().filter(is_ours).count();
    let others = log
        .lines()
        .filter(|line| line.contains(&format!("{call}(")));
    let others = others.count() - all;
    assert!(
        first == all || others <= first,
        "{call}: {others} elsewhere, {first} before"
    );
    (first, all)
}
