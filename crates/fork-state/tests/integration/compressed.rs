//! Rollouts that are compressed on one side or both.

use fork_state::{Action, Outcome};

use crate::rollout::{Rollout, compressed};
use crate::scratch::{Scratch, day};

fn zst(id: &str) -> String {
    format!("{}.zst", day(id))
}

#[test]
fn a_compressed_rollout_is_copied_as_it_is() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(3);
    let file = compressed(rollout.bytes());
    scratch.put_source(&zst("t2"), &file);
    let binding = scratch.bound();
    assert_eq!(binding.outcome, Outcome::Copied);
    assert_eq!(binding.files[0].bytes, rollout.len());
    assert_eq!(scratch.target_bytes(&zst("t2")), file);
    assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
}

#[test]
fn what_is_compressed_on_one_side_only_is_the_same() {
    let rollout = Rollout::of("t2").records(3);
    let file = compressed(rollout.bytes());
    for is_source in [true, false] {
        let scratch = Scratch::new();
        if is_source {
            scratch.put_source(&zst("t2"), &file);
            scratch.put_target(&day("t2"), rollout.bytes());
        } else {
            scratch.put_source(&day("t2"), rollout.bytes());
            scratch.put_target(&zst("t2"), &file);
        }
        assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
    }
}

#[test]
fn a_plain_beginning_is_replaced_by_the_decompressed_rollout() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(3);
    scratch.put_source(&zst("t2"), compressed(rollout.bytes()));
    scratch.put_target(&day("t2"), rollout.cut(9));
    assert_eq!(scratch.bound().outcome, Outcome::Repaired);
    assert_eq!(scratch.target_bytes(&day("t2")), rollout.bytes());
    assert!(!scratch.target().join(zst("t2")).exists());
}

#[test]
fn a_compressed_beginning_is_replaced_by_the_compressed_rollout() {
    let scratch = Scratch::new();
    let beginning = Rollout::of("t2").records(1);
    let file = compressed(beginning.clone().records(2).bytes());
    scratch.put_source(&zst("t2"), &file);
    scratch.put_target(&zst("t2"), compressed(beginning.bytes()));
    assert_eq!(scratch.bound().outcome, Outcome::Repaired);
    assert_eq!(scratch.target_bytes(&zst("t2")), file);
}

/// As the provider does it that goes on writing.
#[test]
fn a_plain_rollout_is_put_beside_a_compressed_beginning() {
    let scratch = Scratch::new();
    let beginning = Rollout::of("t2").records(1);
    let rollout = beginning.clone().records(2);
    let old = compressed(beginning.bytes());
    scratch.put_source(&day("t2"), rollout.bytes());
    scratch.put_target(&zst("t2"), &old);
    assert_eq!(scratch.bound().outcome, Outcome::Repaired);
    assert_eq!(scratch.target_bytes(&day("t2")), rollout.bytes());
    assert_eq!(scratch.target_bytes(&zst("t2")), old);
    assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
}

#[test]
fn a_compressed_target_that_went_on_is_kept() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(1);
    scratch.put_source(&zst("t2"), compressed(rollout.bytes()));
    let ahead = compressed(rollout.records(2).bytes());
    scratch.put_target(&zst("t2"), &ahead);
    assert_eq!(scratch.bound().outcome, Outcome::TargetAhead);
    assert_eq!(scratch.target_bytes(&zst("t2")), ahead);
}

#[test]
fn a_plain_rollout_wins_over_the_compressed_one_beside_it_if_it_goes_on() {
    let rollout = Rollout::of("t2").records(1);
    let ahead = rollout.clone().records(2);
    for plain in [&rollout, &ahead] {
        let scratch = Scratch::new();
        scratch.put_source(&zst("t2"), compressed(rollout.bytes()));
        scratch.put_source(&day("t2"), plain.bytes());
        assert_eq!(scratch.bound().outcome, Outcome::Copied);
        assert_eq!(scratch.target_bytes(&day("t2")), plain.bytes());
        assert!(!scratch.target().join(zst("t2")).exists());
    }
}

#[test]
fn a_plain_rollout_that_contradicts_the_compressed_one_beside_it_is_refused() {
    let rollout = Rollout::of("t2").records(2);
    let other = Rollout::of("t2").saying("another").records(3);
    for side in ["one", "two"] {
        for plain in [rollout.cut(20), other.bytes()] {
            let scratch = Scratch::new();
            scratch.put_source(&day("t2"), rollout.bytes());
            let put = |path: &str, bytes: &[u8]| match side {
                "one" => scratch.put_source(path, bytes),
                _ => scratch.put_target(path, bytes),
            };
            put(&zst("t2"), &compressed(rollout.bytes()));
            put(&day("t2"), plain);
            let place = format!("{side}/codex-home/{}", day("t2"));
            let told = format!("{place} does not begin with what {place}.zst holds");
            assert_eq!(scratch.refused(), told);
        }
    }
}

#[test]
fn a_plain_and_a_compressed_one_that_are_not_beside_each_other_are_two() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(1);
    scratch.put_source(
        "archived_sessions/t2.jsonl.zst",
        compressed(rollout.bytes()),
    );
    scratch.put_source(&day("t2"), rollout.bytes());
    let told = format!(
        "session `t2` has two transcripts, one/codex-home/{} and \
         one/codex-home/archived_sessions/t2.jsonl.zst",
        day("t2")
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_compressed_rollout_that_is_larger_than_the_limit_is_refused() {
    let mut scratch = Scratch::new();
    scratch.options.limits.decompressed_bytes = 100_000;
    let bomb = Rollout::of("t2").then(&vec![b'\n'; 1 << 20]);
    let file = compressed(bomb.bytes());
    assert!(file.len() < 1000, "{}", file.len());
    scratch.put_source(&zst("t2"), file);
    let told = format!(
        "cannot read one/codex-home/{}: more than 100000 bytes when decompressed",
        zst("t2")
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_compressed_rollout_that_is_cut_off_or_damaged_is_refused() {
    let rollout = Rollout::of("t2").records(20_000);
    let whole = compressed(rollout.bytes());
    let size = whole.len();
    let mut damaged = whole.clone();
    damaged[size - 2] ^= 1;
    let trailing = [&whole[..], b"{}"].concat();
    for (file, told) in [
        (
            &whole[..size - 10],
            "the compressed file is cut off".to_owned(),
        ),
        (&whole[..3], "the compressed file is cut off".to_owned()),
        (
            &damaged,
            "the checksum of a compressed frame differs".to_owned(),
        ),
        (
            &trailing,
            format!("no compressed frame at byte {size} of the file"),
        ),
    ] {
        let scratch = Scratch::new();
        scratch.put_source(&zst("t2"), file);
        let told = format!("cannot read one/codex-home/{}: {told}", zst("t2"));
        assert_eq!(scratch.refused(), told);
        // In the target neither.
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), rollout.bytes());
        scratch.put_target(&zst("t2"), file);
        assert_eq!(scratch.refused(), told.replace("one/", "two/"));
    }
}

#[test]
fn damage_inside_a_compressed_rollout_is_told_by_its_decompressed_place() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(2);
    let at = rollout.len();
    scratch.put_source(&zst("t2"), compressed(rollout.then(b"{\"torn").bytes()));
    let told = format!(
        "one/codex-home/{} is damaged: record 4, byte {at}: the file ends inside its last record",
        zst("t2")
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_chain_of_compressed_and_plain_rollouts_holds_by_decompressed_offsets() {
    let parent = Rollout::of("t1").records(3);
    let fork = Rollout::after("t2", ("t1", &parent)).records(1);
    let file = compressed(parent.records(2).bytes());
    let scratch = Scratch::new();
    scratch.put_source(&zst("t1"), &file);
    scratch.put_source(&day("t2"), fork.bytes());
    let binding = scratch.bound();
    let told = binding
        .files
        .iter()
        .map(|it| (it.session.as_str(), it.action));
    let expected = [("t1", Action::Copied), ("t2", Action::Copied)];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(scratch.target_bytes(&zst("t1")), file);
    assert_eq!(scratch.target_bytes(&day("t2")), fork.bytes());
}
