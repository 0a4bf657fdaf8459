//! A manifest whose replacement is killed at a system call, or of which one fails: it is whole,
//! the old one or the new one.

use std::fs;
use std::path::Path;

use cassette_format::store::write_manifest;

use crate::every_call::at_every_call;
use crate::tracer::Run;
use crate::work::manifest;

/// How often the manifest is replaced.
const TIMES: usize = 2;

fn prepare(directory: &Path) {
    let tape = directory.join("tape");
    fs::create_dir(&tape).unwrap();
    fs::write(tape.join("manifest.json"), write_manifest(&manifest(0))).unwrap();
}

/// Which of the manifests is there: the last one that was said to be, or the one after it.
fn found(directory: &Path, run: &Run, when: &str) -> usize {
    let said = run.said("replaced");
    let text = fs::read(directory.join("tape/manifest.json")).unwrap();
    let is_there = |number: &usize| write_manifest(&manifest(*number)) == text;
    let found = [said, said + 1].into_iter().find(is_there);
    found.unwrap_or_else(|| panic!("{when}: {}", String::from_utf8_lossy(&text)))
}

#[test]
fn a_replacement_that_is_killed_leaves_the_old_manifest_or_the_new_one() {
    let mut new = 0;
    let points = at_every_call(
        "replacing",
        &["signal=SIGKILL"],
        prepare,
        |at, run, when| {
            assert!(!run.ended.success(), "{when}");
            new += usize::from(found(at, run, when) > run.said("replaced"));
        },
    );
    if let Some((killed, all)) = points {
        let old = killed - new;
        println!("faults: killed at {killed} of {all} calls: {old} times the old, {new} the new");
    }
}

#[test]
fn a_replacement_of_which_a_call_fails_leaves_the_old_manifest_or_the_new_one() {
    let errors = ["error=EIO", "error=ENOSPC", "error=EDQUOT", "error=EINTR"];
    let mut failed = 0;
    let points = at_every_call("replacing", &errors, prepare, |at, run, when| {
        let found = found(at, run, when);
        assert!(found == TIMES || !run.ended.success(), "{when}");
        failed += usize::from(!run.ended.success());
    });
    if let Some((tried, all)) = points {
        println!(
            "faults: {tried} of {all} EIO/ENOSPC/EDQUOT/EINTR at calls, {failed} told of, 0 mixed"
        );
    }
}
