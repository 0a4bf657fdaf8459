//! The lock of a directory.

use std::fs::File;

use super::{SYSTEMS, Scratch};

#[test]
fn a_lock_excludes_others_until_it_is_dropped() {
    let scratch = Scratch::new();
    let (one, other) = (scratch.opened(SYSTEMS[0]), scratch.opened(SYSTEMS[1]));
    let held = one.lock(|| true).unwrap();

    for directory in [&one, &other] {
        let told = scratch.told(directory.lock(|| true));
        assert!(
            told.ends_with("root is locked by another process"),
            "{told}"
        );
    }
    let outsider = File::open(scratch.root()).unwrap();
    assert!(outsider.try_lock().is_err());
    drop(held);

    drop(other.lock(|| true).unwrap());
    outsider.try_lock().unwrap();
}

#[test]
fn a_lock_is_waited_for_until_its_holder_is_done() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);
    let mut held = Some(root.lock(|| true).unwrap());
    let mut asked = 0;

    let got = root.lock(|| {
        asked += 1;
        if asked == 3 {
            held = None;
        }
        false
    });

    drop(got.unwrap());
    assert_eq!(asked, 3);
}
