//! Forks that go on from the rollout of another session.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use fork_state::{Action, Outcome};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};

/// A fork of a fork: `t0`, `t1`, `t2`. The first two go on behind the place at which
/// they were forked.
fn chain() -> [(&'static str, Rollout); 3] {
    let eldest = Rollout::of("t0").records(3);
    let parent = Rollout::after("t1", ("t0", &eldest)).records(2);
    let fork = Rollout::after("t2", ("t1", &parent)).records(1);
    [
        ("t0", eldest.records(2)),
        ("t1", parent.records(1)),
        ("t2", fork),
    ]
}

#[test]
fn a_fork_is_brought_with_all_that_it_goes_on_from() {
    let scratch = Scratch::new();
    for (id, rollout) in chain() {
        scratch.put_source(&day(id), rollout.bytes());
    }
    scratch.put_source(&day("t3"), Rollout::of("t3").bytes());
    let binding = scratch.bound();
    assert_eq!(binding.outcome, Outcome::Copied);
    let told = binding
        .files
        .iter()
        .map(|it| (it.session.as_str(), it.action));
    let expected = chain().map(|(id, _)| (id, Action::Copied));
    assert_eq!(told.collect::<Vec<_>>(), expected, "parents first");
    for (id, rollout) in chain() {
        assert_eq!(scratch.target_bytes(&day(id)), rollout.bytes(), "{id}");
    }
    assert!(!scratch.target().join(day("t3")).exists());
    assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
}

#[test]
fn a_fork_gets_its_place_after_its_parents() {
    let scratch = Scratch::new();
    for (id, rollout) in chain() {
        scratch.put_source(&day(id), rollout.bytes());
    }
    scratch.bind().unwrap();
    // Renaming a file is a change of it.
    let placed = ["t0", "t1", "t2"].map(|id| {
        let metadata = fs::metadata(scratch.target().join(day(id))).unwrap();
        (metadata.ctime(), metadata.ctime_nsec())
    });
    assert!(placed.is_sorted(), "{placed:?}");
}

#[test]
fn nothing_is_brought_if_the_eldest_is_missing() {
    let scratch = Scratch::new();
    for (id, rollout) in &chain()[1..] {
        scratch.put_source(&day(id), rollout.bytes());
    }
    let told = "session `t1` goes on from `t0`, of which there is no transcript";
    assert_eq!(scratch.refused(), told);
}

#[test]
fn nothing_is_brought_if_any_cannot_be() {
    for diverged in ["t0", "t1", "t2"] {
        let scratch = Scratch::new();
        for (id, rollout) in chain() {
            scratch.put_source(&day(id), rollout.bytes());
        }
        let other = Rollout::of(diverged).saying("another").records(9);
        scratch.put_target(&day(diverged), other.bytes());
        let place = |side: &str| format!("{side}/codex-home/{}", day(diverged));
        let (target, source) = (place("two"), place("one"));
        let told = format!("{target} and {source} go different ways");
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn a_session_that_is_its_own_ancestor_is_refused() {
    let scratch = Scratch::new();
    let parent = Rollout::referring("t1", ("t2", 1, 0));
    let fork = Rollout::after("t2", ("t1", &parent));
    let parent = Rollout::referring("t1", ("t2", fork.ordinal, fork.len()));
    // Numbers of the same length, so that the offsets hold.
    let fork = Rollout::after("t2", ("t1", &parent));
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_source(&day("t2"), fork.bytes());
    assert_eq!(scratch.refused(), "session `t2` is its own ancestor");
    let itself = Scratch::new();
    itself.put_source(&day("t2"), Rollout::referring("t2", ("t2", 1, 90)).bytes());
    assert_eq!(itself.refused(), "session `t2` is its own ancestor");
}

#[test]
fn more_than_256_ancestors_are_refused() {
    for ancestors in [256, 257] {
        let scratch = Scratch::new();
        let mut last = ("a0".to_owned(), Rollout::of("a0"));
        for at in 0..ancestors {
            scratch.put_source(&format!("sessions/{}.jsonl", last.0), last.1.bytes());
            let id = if at + 1 == ancestors {
                "t2".to_owned()
            } else {
                format!("a{}", at + 1)
            };
            let next = Rollout::after(&id, (&last.0, &last.1));
            last = (id, next);
        }
        scratch.put_source("sessions/t2.jsonl", last.1.bytes());
        if ancestors == 256 {
            let binding = scratch.bind().unwrap();
            assert_eq!(binding.files.len(), 257);
        } else {
            let told = "session `t2` has more than 256 ancestors";
            assert_eq!(scratch.refused(), told);
        }
    }
}

/// What is said of a fork that goes on from this ordinal and byte of its parent, which
/// is five records long.
fn refused(of: impl Fn(&Rollout) -> (u64, u64)) -> String {
    let scratch = Scratch::new();
    let parent = Rollout::of("t1").records(4);
    let (ordinal, offset) = of(&parent);
    let fork = Rollout::referring("t2", ("t1", ordinal, offset));
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_source(&day("t2"), fork.bytes());
    scratch.refused()
}

#[test]
fn a_place_behind_the_end_of_the_parent_is_refused() {
    let size = Rollout::of("t1").records(4).len();
    for offset in [size + 1, u64::MAX] {
        let told = format!("session `t2` goes on from byte {offset} of `t1`, which has {size}");
        assert_eq!(refused(|_| (5, offset)), told);
    }
}

#[test]
fn a_place_inside_a_record_of_the_parent_is_refused() {
    let size = Rollout::of("t1").records(4).len();
    for offset in [0, 1, size - 1] {
        let told =
            format!("session `t2` goes on from byte {offset} of `t1`, which is inside a record");
        assert_eq!(refused(|_| (5, offset)), told);
    }
}

#[test]
fn a_place_that_is_of_another_record_than_the_fork_says_is_refused() {
    let size = Rollout::of("t1").records(4).len();
    for ordinal in [0, 4, 6] {
        let told = format!(
            "session `t2` goes on from record {ordinal} of `t1`, but byte {size} is where \
             record 5 begins"
        );
        assert_eq!(refused(|_| (ordinal, size)), told);
    }
}

#[test]
fn a_place_behind_a_record_without_its_line_feed_is_inside() {
    let scratch = Scratch::new();
    let parent = Rollout::of("t1").records(4);
    let fork = Rollout::referring("t2", ("t1", 5, parent.len() - 1));
    scratch.put_source(&day("t1"), parent.cut(1));
    scratch.put_source(&day("t2"), fork.bytes());
    let offset = parent.len() - 1;
    let told = format!("session `t2` goes on from byte {offset} of `t1`, which is inside a record");
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_history_that_cannot_be_read_is_damage() {
    for base in [
        r#""t1""#,
        "{}",
        r#"{"thread_id":"t1","end_ordinal_exclusive":5,"end_byte_offset":-1}"#,
        r#"{"thread_id":"t1","end_ordinal_exclusive":5.0,"end_byte_offset":1}"#,
        r#"{"thread_id":"t1","end_ordinal_exclusive":5,"end_byte_offset":18446744073709551616}"#,
        r#"{"thread_id":"","end_ordinal_exclusive":5,"end_byte_offset":1}"#,
    ] {
        let scratch = Scratch::new();
        let head = format!(r#"{{"id":"t2","history_base":{base}}}"#);
        let head = format!("{{\"type\":\"session_meta\",\"payload\":{head}}}\n");
        scratch.put_source(&day("t2"), head);
        let told = format!(
            "one/codex-home/{} is damaged: record 1, byte 0: the history that it goes on from \
             cannot be read",
            day("t2")
        );
        assert_eq!(scratch.refused(), told, "{base}");
    }
}

#[test]
fn a_history_that_is_null_is_none() {
    let scratch = Scratch::new();
    let head = r#"{"type":"session_meta","payload":{"id":"t2","history_base":null}}"#;
    scratch.put_source(&day("t2"), head);
    assert_eq!(scratch.bound().files.len(), 1);
}

#[test]
fn a_damaged_parent_is_refused() {
    let scratch = Scratch::new();
    let parent = Rollout::of("t1").records(2);
    scratch.put_source(&day("t2"), Rollout::after("t2", ("t1", &parent)).bytes());
    let parent = parent.then(b"{\"torn\"");
    let at = parent.len() - 7;
    scratch.put_source(&day("t1"), parent.bytes());
    let told = format!(
        "one/codex-home/{} is damaged: record 4, byte {at}: the file ends inside its last record",
        day("t1")
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_parent_without_ordinals_is_taken_by_its_bytes() {
    let scratch = Scratch::new();
    let head = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t1\"}}\n{}\n";
    let fork = Rollout::referring("t2", ("t1", 2, head.len() as u64));
    scratch.put_source(&day("t1"), head);
    scratch.put_source(&day("t2"), fork.bytes());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}
