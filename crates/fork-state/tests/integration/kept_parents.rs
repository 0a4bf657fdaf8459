//! Parents that the target has already.

use fork_state::{Action, Outcome};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};

/// The parent as far as the fork goes on from it, and the fork.
fn family() -> (Rollout, Rollout) {
    let parent = Rollout::of("t1").records(3);
    let fork = Rollout::after("t2", ("t1", &parent)).records(1);
    (parent, fork)
}

/// What is done about the parent and the fork.
fn actions(scratch: &Scratch) -> Vec<Action> {
    let binding = scratch.bound();
    binding.files.iter().map(|file| file.action).collect()
}

#[test]
fn a_parent_is_kept_if_it_has_what_is_referred_to_whatever_follows() {
    let (parent, fork) = family();
    let behind = parent.clone().saying("of the target");
    for target in [
        parent.bytes(),
        behind.bytes(),
        parent.clone().then(b"{\"torn").bytes(),
        parent.clone().then(b"\0\0").bytes(),
    ] {
        let scratch = Scratch::new();
        scratch.put_source(&day("t1"), parent.clone().saying("of the source").bytes());
        scratch.put_source(&day("t2"), fork.bytes());
        scratch.put_target("sessions/t1.jsonl", target);
        assert_eq!(actions(&scratch), [Action::Kept, Action::Copied]);
        assert_eq!(scratch.target_bytes("sessions/t1.jsonl"), target);
        assert!(!scratch.target().join(day("t1")).exists());
    }
}

#[test]
fn a_parent_that_is_other_where_it_is_referred_to_is_refused() {
    let (parent, fork) = family();
    let scratch = Scratch::new();
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_source(&day("t2"), fork.bytes());
    let other = Rollout::of("t1").records(2).saying("another").records(3);
    scratch.put_target(&day("t1"), other.bytes());
    let place = |side: &str| format!("{side}/codex-home/{}", day("t1"));
    let told = format!("{} and {} go different ways", place("two"), place("one"));
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_parent_that_is_shorter_is_replaced_by_the_whole_one() {
    let (parent, fork) = family();
    let whole = parent.clone().records(2);
    for beginning in [
        Rollout::of("t1").records(1).bytes(),
        parent.cut(3),
        parent.cut(1),
    ] {
        let scratch = Scratch::new();
        scratch.put_source(&day("t1"), whole.bytes());
        scratch.put_source(&day("t2"), fork.bytes());
        scratch.put_target(&day("t1"), beginning);
        assert_eq!(actions(&scratch), [Action::Replaced, Action::Copied]);
        assert_eq!(scratch.target_bytes(&day("t1")), whole.bytes());
    }
}

#[test]
fn a_replaced_parent_makes_it_a_repair() {
    let (parent, fork) = family();
    let scratch = Scratch::new();
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_source(&day("t2"), fork.bytes());
    scratch.put_target(&day("t2"), fork.bytes());
    scratch.put_target(&day("t1"), parent.cut(3));
    assert_eq!(scratch.bound().outcome, Outcome::Repaired);
}

#[test]
fn a_parent_that_only_the_target_has_is_enough_if_it_is_long_enough() {
    let (parent, fork) = family();
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), fork.bytes());
    scratch.put_target(&day("t1"), parent.clone().records(1).bytes());
    assert_eq!(actions(&scratch), [Action::Kept, Action::Copied]);

    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), fork.bytes());
    let short = Rollout::of("t1").records(1);
    scratch.put_target(&day("t1"), short.bytes());
    let told = format!(
        "session `t2` goes on from byte {} of `t1`, which has {}",
        parent.len(),
        short.len()
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_fork_that_is_kept_still_needs_its_parents() {
    let (parent, fork) = family();
    let scratch = Scratch::new();
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_target(&day("t2"), fork.bytes());
    assert_eq!(actions(&scratch), [Action::Copied, Action::Kept]);

    let scratch = Scratch::new();
    scratch.put_source("config.toml", "");
    scratch.put_target(&day("t2"), fork.bytes());
    let told = "session `t2` goes on from `t1`, of which there is no transcript";
    assert_eq!(scratch.refused(), told);
}

#[test]
fn siblings_share_a_parent_in_the_target() {
    let (parent, fork) = family();
    let mut scratch = Scratch::new();
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_source(&day("t2"), fork.bytes());
    scratch.bind().unwrap();
    // The parent goes on, and is forked again.
    let parent = parent.records(2);
    scratch.put_source(&day("t1"), parent.bytes());
    let second = Rollout::after("t3", ("t1", &parent));
    scratch.put_source(&day("t3"), second.bytes());
    scratch.request.target_provider_session = "t3".parse().unwrap();
    assert_eq!(actions(&scratch), [Action::Replaced, Action::Copied]);
    // The first one's offsets still hold.
    scratch.request.target_provider_session = "t2".parse().unwrap();
    assert_eq!(actions(&scratch), [Action::Kept, Action::Kept]);
}
