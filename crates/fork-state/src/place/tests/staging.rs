//! Files that are published, dropped or swept.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use super::{SYSTEMS, Scratch, finished, tree};
use crate::place::PlaceError;

#[test]
fn a_published_file_has_its_bytes_and_mode_and_nothing_is_left_beside_it() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        let root = scratch.opened(calls);

        finished(&root, "whole").publish("file".as_ref()).unwrap();

        assert_eq!(scratch.tree(), ["file"]);
        let place = scratch.root().join("file");
        assert_eq!(fs::read_to_string(&place).unwrap(), "whole");
        let mode = fs::metadata(&place).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o640);
        let file = root.open_file("file".as_ref()).unwrap().unwrap();
        assert_eq!(file.links(), 1);
    }
}

#[test]
fn publishing_never_replaces_anything() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        fs::write(scratch.root().join("file"), "first").unwrap();
        fs::create_dir(scratch.root().join("directory")).unwrap();
        symlink("nowhere", scratch.root().join("dangling")).unwrap();
        let root = scratch.opened(calls);
        for name in ["file", "directory", "dangling"] {
            let told = scratch.told(finished(&root, "second").publish(name.as_ref()));
            assert_eq!(told, format!("{name} exists already"));
        }
        assert_eq!(scratch.tree(), ["dangling", "directory/", "file"]);
        let kept = fs::read_to_string(scratch.root().join("file")).unwrap();
        assert_eq!(kept, "first");
    }
}

#[test]
fn a_file_that_is_not_published_goes() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);

    let staged = root.create_staged().unwrap();
    assert_eq!(scratch.tree().len(), 1);
    drop(staged);
    drop(finished(&root, "whole"));
    let refused = finished(&root, "whole").publish("a/b".as_ref());

    assert!(matches!(refused, Err(PlaceError::Name { .. })));
    assert_eq!(scratch.tree(), [""; 0]);
}

#[test]
fn what_took_the_temporary_name_is_not_removed() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);
    let staged = root.create_staged().unwrap();
    let name = scratch.tree().remove(0);
    fs::remove_file(scratch.root().join(&name)).unwrap();
    fs::write(scratch.root().join(&name), "another").unwrap();

    drop(staged);

    assert_eq!(scratch.tree(), [name]);
}

#[test]
fn a_file_that_took_the_temporary_name_is_not_taken_for_the_published_one() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        let root = scratch.opened(calls);
        let staged = finished(&root, "whole");
        let name = scratch.tree().remove(0);
        fs::remove_file(scratch.root().join(&name)).unwrap();
        fs::write(scratch.root().join(&name), "another").unwrap();

        let told = scratch.told(staged.publish("file".as_ref()));

        assert_eq!(told, "file changed meanwhile");
        assert_eq!(scratch.tree(), [name]);
    }
}

#[test]
fn a_directory_that_is_moved_while_a_file_is_written_takes_the_file_along() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.root().join("a")).unwrap();
    let directory = scratch.opened(SYSTEMS[0]).open(Path::new("a"));
    let directory = directory.unwrap().unwrap();
    let staged = finished(&directory, "whole");
    fs::rename(scratch.root().join("a"), scratch.root().join("b")).unwrap();
    symlink(scratch.outside(), scratch.root().join("a")).unwrap();

    staged.publish("file".as_ref()).unwrap();

    assert_eq!(scratch.tree(), ["a", "b/", "b/file"]);
    assert_eq!(tree(&scratch.outside()), [""; 0]);
}

#[test]
fn only_own_leftovers_are_swept() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);
    let hex = "0123456789abcdef";
    let kept = [
        format!(".cassette-fork-{hex}"),
        format!(".cassette-fork-{hex}.tmp.old"),
        format!(".cassette-fork-{hex}0.tmp"),
        format!(".cassette-fork-{}.tmp", hex.to_uppercase()),
        ".cassette-fork-.tmp".to_owned(),
        format!("cassette-fork-{hex}.tmp"),
    ];
    for name in &kept {
        fs::write(scratch.root().join(name), "").unwrap();
    }
    let link = ".cassette-fork-0000000000000001.tmp";
    symlink("nowhere", scratch.root().join(link)).unwrap();
    let directory = ".cassette-fork-0000000000000002.tmp";
    fs::create_dir(scratch.root().join(directory)).unwrap();
    let leftover = format!(".cassette-fork-{hex}.tmp");
    fs::write(scratch.root().join(leftover), "torn").unwrap();
    let left_by_a_crash = root.create_staged().unwrap();
    std::mem::forget(left_by_a_crash);

    let lock = root.lock(|| true).unwrap();
    root.sweep_staged(&lock).unwrap();

    let mut expected = kept.to_vec();
    expected.extend([link.to_owned(), format!("{directory}/")]);
    expected.sort();
    assert_eq!(scratch.tree(), expected);
}

#[test]
fn leftovers_of_another_user_stay() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);
    let name = ".cassette-fork-0123456789abcdef.tmp";
    let place = scratch.root().join(name);
    fs::write(&place, "").unwrap();
    // Only the superuser can give files away.
    if std::os::unix::fs::chown(&place, Some(crate::sys::current_user() + 1), None).is_err() {
        return;
    }

    root.sweep_staged(&root.lock(|| true).unwrap()).unwrap();

    assert_eq!(scratch.tree(), [name]);
}

#[test]
fn a_directory_that_is_gone_takes_no_file() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);
    fs::remove_dir(scratch.root()).unwrap();

    let refused = root.create_staged();

    assert!(matches!(
        refused,
        Err(PlaceError::Io {
            operation: "create",
            ..
        })
    ));
    assert!(root.open_file(OsStr::new("file")).unwrap().is_none());
}
