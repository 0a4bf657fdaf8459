//! Sessions that the provider has not written a transcript of yet.

use fork_state::Outcome;

use crate::rollout::Rollout;
use crate::scratch::Scratch;

#[test]
fn a_session_of_which_there_is_a_trace_has_no_rollout_yet() {
    let scratch = Scratch::new();
    scratch.put_source("thread-writer-locks/t2.lock", "");
    let binding = scratch.bound();
    assert_eq!(binding.outcome, Outcome::NoRolloutYet);
    assert_eq!(binding.files, []);
}

#[test]
fn a_trace_of_another_session_is_none() {
    let scratch = Scratch::new();
    scratch.put_source("thread-writer-locks/t3.lock", "");
    let told = "no transcript of session `t2` below one/codex-home";
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_trace_of_a_parent_does_not_replace_its_rollout() {
    let scratch = Scratch::new();
    scratch.put_source("thread-writer-locks/t1.lock", "");
    let fork = Rollout::referring("t2", ("t1", 5, 500));
    scratch.put_source("sessions/t2.jsonl", fork.bytes());
    let told = "session `t2` goes on from `t1`, of which there is no transcript";
    assert_eq!(scratch.refused(), told);
}
