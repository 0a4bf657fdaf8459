//! Directories that are made.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use super::{SYSTEMS, Scratch, tree};
use crate::place::{Directory, PlaceError};

#[test]
fn missing_directories_are_made_for_all_to_read_and_existing_ones_kept() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let widest = scratch.outside().join("widest");
        fs::DirBuilder::new().mode(0o755).create(&widest).unwrap();
        let root = scratch.opened(calls);
        let kept = scratch.root().join("a");
        fs::DirBuilder::new().mode(0o700).create(&kept).unwrap();

        let made = root.make(Path::new("a/b/c")).unwrap();

        assert_eq!(scratch.tree(), ["a/", "a/b/", "a/b/c/"]);
        assert_eq!(made.path(), root.path().join("a/b/c"));
        assert_eq!(mode(&kept), 0o700);
        for name in ["a/b", "a/b/c"] {
            assert_eq!(mode(&scratch.root().join(name)), mode(&widest), "{name}");
        }
        made.make(Path::new("d")).unwrap();
        root.make(Path::new("a/b/c/d")).unwrap();
        made.sync().unwrap();
        assert_eq!(scratch.tree(), ["a/", "a/b/", "a/b/c/", "a/b/c/d/"]);
    }
}

#[test]
fn two_who_make_one_directory_both_get_it() {
    let scratch = Scratch::new();
    let root = scratch.opened(SYSTEMS[0]);
    let both = Barrier::new(2);
    let make = || {
        let round = |round: u32| {
            both.wait();
            root.make(Path::new(&format!("{round}/a"))).err()
        };
        (0..200).filter_map(round).collect::<Vec<_>>()
    };

    let failed = thread::scope(|scope| {
        let other = scope.spawn(make);
        (make(), other.join().unwrap())
    });

    assert!(failed.0.is_empty() && failed.1.is_empty(), "{failed:?}");
    assert_eq!(scratch.tree().len(), 400);
}

#[test]
fn nothing_is_made_behind_a_link_or_a_file() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        symlink(scratch.outside(), scratch.root().join("link")).unwrap();
        symlink("nowhere", scratch.root().join("dangling")).unwrap();
        fs::write(scratch.root().join("file"), "").unwrap();
        let root = scratch.opened(calls);
        for stands in ["link", "dangling", "file"] {
            for asked in [stands.to_owned(), format!("{stands}/a/b")] {
                let told = scratch.told(root.make(Path::new(&asked)));
                assert_eq!(told, format!("{stands} is a link or no directory"));
            }
        }
        assert_eq!(scratch.tree(), ["dangling", "file", "link"]);
        assert_eq!(tree(&scratch.outside()), [""; 0]);
    }
}

#[test]
fn an_anchor_is_made_below_what_there_is_of_it() {
    let scratch = Scratch::new();
    let way = scratch.0.path().join("way");
    symlink(scratch.root(), &way).unwrap();

    let made = Directory::make_anchor(&way.join("a/b")).unwrap();

    let expected = scratch.root().canonicalize().unwrap().join("a/b");
    assert_eq!(made.path(), expected);
    assert_eq!(scratch.tree(), ["a/", "a/b/"]);
    let again = Directory::make_anchor(&way.join("a/b")).unwrap();
    assert_eq!(again.path(), expected);
}

#[test]
fn no_anchor_is_made_upwards_or_behind_a_dangling_link() {
    let scratch = Scratch::new();
    symlink("nowhere", scratch.root().join("dangling")).unwrap();

    let upwards = Directory::make_anchor(&scratch.root().join("none/../a"));
    let behind = Directory::make_anchor(&scratch.root().join("dangling/a"));

    assert!(matches!(upwards, Err(PlaceError::Name { .. })));
    assert_eq!(scratch.told(behind), "dangling is a link or no directory");
    assert_eq!(scratch.tree(), ["dangling"]);
}
