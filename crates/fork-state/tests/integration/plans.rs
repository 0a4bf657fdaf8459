//! Plans, and what became of the homes since.

use std::fs;

use fork_state::{BindError, Outcome};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};
use crate::tree::{files, tree};

#[test]
fn a_plan_is_applied_while_the_transcripts_are_as_they_were() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").records(3).bytes());
    let plan = scratch.plan().unwrap();
    assert_eq!(plan.request(), &scratch.request);
    // What is left out may change.
    scratch.put_source("state_5.sqlite-wal", "new");
    assert_eq!(scratch.apply(&plan).unwrap().outcome, Outcome::Copied);
}

#[test]
fn a_plan_is_outdated_as_soon_as_it_would_come_to_something_else() {
    let rollout = Rollout::of("t2").records(3);
    let changes: [&dyn Fn(&Scratch); 4] = [
        &|scratch| drop(scratch.put_source(&day("t2"), rollout.clone().records(1).bytes())),
        &|scratch| drop(scratch.put_target(&day("t2"), rollout.bytes())),
        &|scratch| drop(scratch.put_target(&day("t2"), rollout.cut(9))),
        &|scratch| {
            let archive = scratch.put_source("archived_sessions/t2.jsonl", "");
            fs::rename(scratch.source().join(day("t2")), archive).unwrap();
        },
    ];
    for change in changes {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), rollout.bytes());
        let plan = scratch.plan().unwrap();
        change(&scratch);
        let before = files(scratch.root());
        let error = scratch.apply(&plan).unwrap_err();
        assert!(matches!(error, BindError::Outdated), "{error:?}");
        assert_eq!(files(scratch.root()), before);
        scratch.expect_nothing_left();
    }
}

#[test]
fn a_plan_of_a_binding_that_is_made_writes_nothing() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    scratch.bind().unwrap();
    let plan = scratch.plan().unwrap();
    assert_eq!(plan.binding().outcome, Outcome::AlreadyBound);
    let before = tree(scratch.root());
    scratch.apply(&plan).unwrap();
    assert_eq!(tree(scratch.root()), before);
}

#[test]
fn a_plan_sees_what_stands_where_the_copy_would() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    scratch.put_target(&day("t2"), Rollout::of("other").bytes());
    let told = "two/codex-home/sessions/2026/11/30/rollout-2026-11-30T07-18-15-t2.jsonl \
        exists already";
    assert_eq!(scratch.refused(), told);
}
