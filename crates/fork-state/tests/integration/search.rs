//! Which files are taken for a session's transcript.

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::os::unix::net::UnixListener;

use fork_state::Outcome;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};
use crate::tree::Node;

const PLACE: &str = "codex-home/sessions/2026/11/30/rollout-2026-11-30T07-18-15-t2.jsonl";

#[test]
fn links_are_passed_by() {
    let scratch = Scratch::new();
    let outside = scratch.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(
        outside.join("t2.jsonl"),
        Rollout::of("t2").saying("no").bytes(),
    )
    .unwrap();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let sessions = scratch.source().join("sessions");
    symlink(outside.join("t2.jsonl"), sessions.join("link-t2.jsonl")).unwrap();
    symlink(&outside, sessions.join("2027")).unwrap();
    symlink(&outside, scratch.source().join("archived_sessions")).unwrap();
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn two_transcripts_of_a_session_are_refused() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(2);
    scratch.put_source(&day("t2"), rollout.bytes());
    scratch.put_source("archived_sessions/t2.jsonl", rollout.bytes());
    let told = format!(
        "session `t2` has two transcripts, one/{PLACE} and \
         one/codex-home/archived_sessions/t2.jsonl"
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn two_transcripts_in_the_target_are_refused() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(2);
    scratch.put_source(&day("t2"), rollout.bytes());
    scratch.put_target(&day("t2"), rollout.bytes());
    scratch.put_target("sessions/t2.jsonl", rollout.bytes());
    let told = format!(
        "session `t2` has two transcripts, two/{PLACE} and \
         two/codex-home/sessions/t2.jsonl"
    );
    assert_eq!(scratch.refused(), told);
}

/// DEFECTS 33.
#[test]
fn damaged_files_of_others_in_the_source_do_not_block() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    scratch.put_source("sessions/of-t2-empty.jsonl", "");
    scratch.put_source("sessions/of-t2-torn.jsonl", "{\"type\":\"session_meta\"");
    scratch.put_source(
        "sessions/of-t2-other.jsonl",
        Rollout::of("t9").then(b"{").bytes(),
    );
    scratch.put_source("sessions/of-t2-cut.jsonl.zst", b"\x28\xb5\x2f");
    scratch.put_source("sessions/of-t2.jsonl.zst", "no frame");
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn rollouts_of_others_with_the_name_do_not_block_in_the_target() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let other = Rollout::of("t9").then(b"{");
    scratch.put_target("sessions/of-t2-other.jsonl", other.bytes());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
    assert_eq!(
        scratch.target_bytes("sessions/of-t2-other.jsonl"),
        other.bytes()
    );
}

/// The session's own name stands in the form that temporary files have.
#[test]
fn what_a_killed_binding_left_is_no_transcript_and_goes() {
    for place in ["", "sessions/2026/11/30/"] {
        let mut scratch = Scratch::new();
        scratch.request.target_provider_session = "fork".parse().unwrap();
        let rollout = Rollout::of("fork").records(2);
        scratch.put_source(&day("fork"), rollout.bytes());
        let left = ".cassette-fork-0123456789abcdef.tmp";
        let left = scratch.put_target(&format!("{place}{left}"), rollout.bytes());
        let outcome = scratch.bind().unwrap().outcome;
        assert_eq!(outcome, Outcome::Copied, "{place}");
        assert!(!left.exists(), "{place}");
        // Killed between the exchange and the removal of the displaced file.
        fs::write(&left, rollout.cut(3)).unwrap();
        let outcome = scratch.bind().unwrap().outcome;
        assert_eq!(outcome, Outcome::AlreadyBound, "{place}");
        assert!(!left.exists(), "{place}");
    }
}

#[test]
fn a_source_with_a_second_name_is_refused_and_a_target_is_not() {
    let scratch = Scratch::new();
    let source = scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let second = scratch.root().join("second");
    fs::hard_link(&source, &second).unwrap();
    let told = format!("one/{PLACE} is not the session's own: it has other hard links");
    assert_eq!(scratch.refused(), told);
    fs::remove_file(&second).unwrap();
    scratch.bind().unwrap();
    fs::hard_link(scratch.target().join(day("t2")), &second).unwrap();
    assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
}

#[test]
fn a_file_of_another_user_is_refused_on_both_sides() {
    let rollout = Rollout::of("t2").records(1);
    for side in ["one", "two"] {
        let scratch = Scratch::new();
        let source = scratch.put_source(&day("t2"), rollout.bytes());
        let target = scratch.put_target(&day("t2"), rollout.cut(4));
        let given = if side == "one" { source } else { target };
        if chown(given, Some(4_000_000), None).is_err() {
            eprintln!("skipped: only the superuser gives files away");
            return;
        }
        let told = format!("{side}/{PLACE} is not the session's own: it belongs to another user");
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn a_home_of_another_user_has_that_users_files() {
    let scratch = Scratch::new();
    let source = scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    for given in [source, scratch.source()] {
        if chown(given, Some(4_000_000), None).is_err() {
            eprintln!("skipped: only the superuser gives files away");
            return;
        }
    }
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn what_is_no_regular_file_is_refused_and_not_waited_for() {
    let name = "t2.jsonl";
    let kinds = [FileType::Fifo, FileType::Socket, FileType::CharacterDevice];
    for (kind, side) in kinds
        .into_iter()
        .flat_map(|kind| [(kind, "one"), (kind, "two")])
    {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
        scratch.put_target("config.toml", "");
        let home = if side == "one" {
            scratch.source()
        } else {
            scratch.target()
        };
        let directory = home.join("archived_sessions");
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(name);
        let made = match kind {
            FileType::Socket => UnixListener::bind(&path).is_ok(),
            // The device is `/dev/null`'s.
            _ => mknodat(CWD, &path, kind, Mode::RUSR, rustix::fs::makedev(1, 3)).is_ok(),
        };
        if !made {
            eprintln!("skipped: {kind:?} cannot be made here");
            continue;
        }
        let told = format!("{side}/codex-home/archived_sessions/{name} is no regular file");
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn directories_more_than_16_deep_are_refused() {
    let scratch = Scratch::new();
    let directories = ["d"; 17].join("/");
    scratch.put_source(&format!("sessions/{directories}/x.jsonl"), "");
    let told = format!("one/codex-home/sessions/{directories} is too deep");
    assert_eq!(scratch.refused(), told);
    let scratch = Scratch::new();
    let directories = ["d"; 16].join("/");
    let place = format!("sessions/{directories}/t2.jsonl");
    scratch.put_source(&place, Rollout::of("t2").bytes());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

/// DEFECTS 36.
#[test]
fn keys_are_told_apart_by_case_and_the_last_duplicate_counts() {
    let others = [
        r#"{"type":"session_meta","payload":{"ID":"t2"}}"#,
        r#"{"TYPE":"session_meta","payload":{"id":"t2"}}"#,
        r#"{"type":"session_meta","payload":{"id":"t2"},"payload":{"cwd":"/"}}"#,
        r#"{"type":"session_meta","payload":{"id":"t2","id":"t3"}}"#,
    ];
    for other in others {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), format!("{other}\n"));
        let told = "no transcript of session `t2` below one/codex-home";
        assert_eq!(scratch.refused(), told, "{other}");
    }
    let scratch = Scratch::new();
    let own = r#"{"type":"session_meta","payload":{"id":"t3","\u0069d":"t\u0032"}}"#;
    scratch.put_source(&day("t2"), own);
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

/// DEFECTS 31.
#[test]
fn later_records_may_be_any_object() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").then(b"{\"payload\":[1],\"id\":2}\n\n{}\n");
    scratch.put_source(&day("t2"), rollout.bytes());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn a_directory_with_the_sessions_name_is_searched() {
    let scratch = Scratch::new();
    scratch.put_source("sessions/t2.jsonl/t2.jsonl", Rollout::of("t2").bytes());
    scratch.bind().unwrap();
    let brought = crate::tree::tree(&scratch.target());
    let place = std::path::Path::new("sessions/t2.jsonl");
    assert_eq!(brought.get(place), Some(&Node::Directory));
}
