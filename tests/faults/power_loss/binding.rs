//! Binding a fork: copies of it and its parent, and the repair of beginnings of them.

use std::fs;
use std::path::Path;

use super::crashes::{Found, after_each_power_loss};
use crate::work::{bind, home, put, transcripts};

/// How many bytes a beginning lacks.
const LACKING: usize = 9;

#[test]
fn no_power_loss_leaves_part_of_a_transcript() {
    after_each_power_loss("binding", prepare, |found| expect_sound(found, |_| None));
    let prepare_repair = |root: &Path| {
        prepare(root);
        for (path, text) in transcripts() {
            put(&home(root, "two").join(path), beginning(&text));
        }
    };
    after_each_power_loss("binding", prepare_repair, |found| {
        expect_sound(found, |text| Some(beginning(text)));
    });
}

fn prepare(root: &Path) {
    for (path, text) in transcripts() {
        put(&home(root, "one").join(path), &text);
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.len() - LACKING]
}

/// Each transcript is whole or as it was, none is whole whose parent is not; both are once that
/// was said, and after the next binding.
fn expect_sound(found: &Found<'_>, before: impl Fn(&str) -> Option<&str>) {
    let bound = |path: &str| fs::read_to_string(home(found.directory, "two").join(path)).ok();
    let whole = transcripts().map(|(path, text)| {
        let there = bound(path);
        let is_whole = there.as_deref() == Some(&text);
        let is_old = there.as_deref() == before(&text);
        assert!(is_whole || is_old, "{path}: {there:?} in {:?}", found.tree);
        is_whole
    });
    assert!(whole != [false, true], "{:?}", found.tree);
    assert!(found.said == 0 || whole == [true, true], "{:?}", found.tree);
    bind(found.directory).unwrap();
    for (path, text) in transcripts() {
        assert_eq!(bound(path), Some(text));
    }
}
