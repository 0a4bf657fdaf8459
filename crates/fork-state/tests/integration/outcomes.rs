//! What a binding comes to where nothing is wrong.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use fork_state::{Action, Outcome};
use sha2::{Digest as _, Sha256};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};
use crate::tree::{Node, tree};

#[test]
fn a_rollout_is_copied_to_the_same_place_with_its_mode() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(3);
    let source = scratch.put_source(&day("t2"), rollout.bytes());
    fs::set_permissions(&source, fs::Permissions::from_mode(0o640)).unwrap();

    let binding = scratch.bound();

    assert_eq!(binding.outcome, Outcome::Copied);
    let [file] = &binding.files[..] else {
        panic!("{binding:?}");
    };
    assert_eq!(file.session.as_str(), "t2");
    assert_eq!(file.action, Action::Copied);
    assert_eq!(file.source.as_deref(), Some(Path::new(&day("t2"))));
    assert_eq!(file.target, Path::new(&day("t2")));
    assert_eq!(file.bytes, rollout.len());
    assert_eq!(
        file.sha256.as_bytes()[..],
        Sha256::digest(rollout.bytes())[..]
    );
    let expected = Node::File {
        mode: 0o640,
        bytes: rollout.bytes().to_vec(),
    };
    let tree = tree(&scratch.target());
    assert_eq!(tree.get(Path::new(&day("t2"))), Some(&expected));
    let files = tree.values().filter(|node| **node != Node::Directory);
    assert_eq!(files.count(), 1);
}

#[test]
fn a_second_binding_finds_the_first_one_and_writes_nothing() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").records(3).bytes());
    scratch.bind().unwrap();
    let before = tree(scratch.root());
    let binding = scratch.bound();
    assert_eq!(binding.outcome, Outcome::AlreadyBound);
    assert_eq!(binding.files[0].action, Action::Kept);
    assert_eq!(tree(scratch.root()), before);
}

#[test]
fn a_target_that_went_on_is_kept() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(3);
    scratch.put_source(&day("t2"), rollout.bytes());
    let ahead = rollout.records(2);
    scratch.put_target("sessions/elsewhere-t2.jsonl", ahead.bytes());
    let binding = scratch.bound();
    assert_eq!(binding.outcome, Outcome::TargetAhead);
    assert_eq!(
        binding.files[0].target,
        Path::new("sessions/elsewhere-t2.jsonl")
    );
    assert_eq!(
        scratch.target_bytes("sessions/elsewhere-t2.jsonl"),
        ahead.bytes()
    );
}

#[test]
fn a_beginning_is_replaced_where_it_stands() {
    let rollout = Rollout::of("t2").records(3);
    let whole = Rollout::of("t2").records(1);
    for beginning in [whole.bytes(), rollout.cut(1), rollout.cut(9)] {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), rollout.bytes());
        scratch.put_target("archived_sessions/t2.jsonl", beginning);
        let binding = scratch.bound();
        assert_eq!(binding.outcome, Outcome::Repaired);
        assert_eq!(binding.files[0].action, Action::Replaced);
        assert_eq!(
            scratch.target_bytes("archived_sessions/t2.jsonl"),
            rollout.bytes()
        );
        assert!(!scratch.target().join("sessions").exists());
    }
}

#[test]
fn what_the_source_no_longer_has_is_kept_if_it_is_sound() {
    for home in [true, false] {
        let scratch = Scratch::new();
        if home {
            scratch.put_source("config.toml", "");
        }
        scratch.put_target(&day("t2"), Rollout::of("t2").records(3).bytes());
        let binding = scratch.bound();
        assert_eq!(binding.outcome, Outcome::SourceGone);
        assert_eq!(binding.files[0].source, None);
    }
}

#[test]
fn an_archived_rollout_is_brought_into_the_archive() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(3);
    scratch.put_source("archived_sessions/rollout-t2.jsonl", rollout.bytes());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
    assert_eq!(
        scratch.target_bytes("archived_sessions/rollout-t2.jsonl"),
        rollout.bytes()
    );
}

#[test]
fn a_provider_without_a_layout_or_a_home_is_unsupported_and_nothing_is_made() {
    for provider in ["no-layout", "no-home", "unknown", " "] {
        let mut scratch = Scratch::new();
        scratch.request.provider = cassette_format::schema::ProviderId::from_recorded(provider);
        let binding = scratch.bound();
        assert_eq!(binding.outcome, Outcome::Unsupported, "{provider}");
        assert!(!scratch.state().exists(), "{provider}");
    }
}

#[test]
fn providers_are_found_whatever_their_case() {
    let mut scratch = Scratch::new();
    scratch.request.provider = " CODEX ".parse().unwrap();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn everything_else_in_the_source_is_left_out_by_name() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    scratch.put_source(&day("t9"), Rollout::of("t9").bytes());
    let others = [
        "auth.json",
        "config.toml",
        "shell_snapshots/t2.sh",
        "state_5.sqlite",
        "state_5.sqlite-wal",
        "thread-writer-locks/t2.lock",
    ];
    for other in others {
        scratch.put_source(other, "secret");
    }
    let binding = scratch.bound();
    let left_out = others.map(|path| path.split('/').next().unwrap());
    assert_eq!(binding.left_out, left_out);
    let brought = tree(&scratch.target());
    let brought = brought.values().filter(|node| **node != Node::Directory);
    assert_eq!(brought.count(), 1);
}
