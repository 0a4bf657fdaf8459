//! What is opened, and every refusal.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use super::{SYSTEMS, Scratch};
use crate::place::directory::Entry;
use crate::place::{Directory, Kind, PlaceError};
use crate::sys::Identity;

#[test]
fn a_link_at_any_segment_is_refused_even_if_it_stays_inside() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.root().join("real/b/c")).unwrap();
    let real = scratch.root().join("real");
    for calls in SYSTEMS {
        let root = scratch.opened(calls);
        for (link, to, asked) in [
            ("link", real.clone(), "link"),
            ("link", real.clone(), "link/b/c"),
            ("real/link", real.join("b"), "real/link/c"),
            ("real/b/link", real.join("b/c"), "real/b/link"),
            ("dangling", "nowhere".into(), "dangling"),
            ("dangling", "nowhere".into(), "dangling/b"),
            ("loop", "loop".into(), "loop/b"),
            ("up", "..".into(), "up/outside"),
        ] {
            let place = scratch.root().join(link);
            symlink(to, &place).unwrap();

            let told = scratch.told(root.open(Path::new(asked)));

            assert_eq!(told, format!("{link} is a link or no directory"));
            fs::remove_file(place).unwrap();
        }
    }
}

#[test]
fn a_file_in_place_of_a_directory_is_refused() {
    let scratch = Scratch::new();
    fs::write(scratch.root().join("file"), "").unwrap();
    for calls in SYSTEMS {
        let root = scratch.opened(calls);
        for asked in ["file", "file/below"] {
            let told = scratch.told(root.open(Path::new(asked)));
            assert_eq!(told, "file is a link or no directory");
        }
    }
}

#[test]
fn absent_is_told_from_refused() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.root().join("a/b")).unwrap();
    for calls in SYSTEMS {
        let root = scratch.opened(calls);
        for asked in ["b", "a/c", "a/c/d"] {
            assert!(root.open(Path::new(asked)).unwrap().is_none(), "{asked}");
        }
        assert!(root.open_file(OsStr::new("b")).unwrap().is_none());
        assert!(root.status(OsStr::new("b")).unwrap().is_none());
        let found = root.open(Path::new("a/./b/")).unwrap().unwrap();
        assert_eq!(found.path(), root.path().join("a/b"));
    }
}

#[test]
fn paths_and_names_that_lead_elsewhere_are_refused() {
    let scratch = Scratch::new();
    let long = "n".repeat(256);
    for calls in SYSTEMS {
        let root = scratch.opened(calls);
        for path in ["", "/", "..", "a/../b", "a\0", "./a", &long] {
            let named = |result| matches!(result, Err(PlaceError::Name { .. }));
            assert!(named(root.open(Path::new(path)).map(drop)), "{path:?}");
            assert!(named(root.make(Path::new(path)).map(drop)), "{path:?}");
            assert!(named(root.open_file(path.as_ref()).map(drop)), "{path:?}");
            assert!(named(root.status(path.as_ref()).map(drop)), "{path:?}");
        }
        let told = scratch.told(root.open_file("a/b".as_ref()));
        let below = format!("`a/b` cannot name anything below {}", root.path().display());
        assert_eq!(told, below);
    }
    assert_eq!(scratch.tree(), [""; 0]);
}

#[test]
fn nothing_but_a_regular_file_opens_as_a_file() {
    let scratch = Scratch::new();
    let place = |name: &str| scratch.root().join(name);
    fs::write(scratch.outside().join("file"), "outside").unwrap();
    symlink(scratch.outside().join("file"), place("link")).unwrap();
    symlink("nowhere", place("dangling")).unwrap();
    fs::create_dir(place("directory")).unwrap();
    let made = Command::new("mkfifo").arg(place("fifo")).status();
    assert!(made.unwrap().success());
    let _socket = UnixListener::bind(place("socket")).unwrap();
    for calls in SYSTEMS {
        let root = scratch.opened(calls);
        for name in ["link", "dangling", "directory", "fifo", "socket"] {
            let told = scratch.told(root.open_file(name.as_ref()));
            assert_eq!(told, format!("{name} is no regular file"));
        }
    }
    let devices = Directory::anchor(Path::new("/dev")).unwrap().unwrap();
    let device = devices.open_file("null".as_ref());
    assert!(matches!(device, Err(PlaceError::NotRegular { .. })));
}

#[test]
fn an_open_file_tells_what_it_is_and_when_it_was_written_to() {
    let scratch = Scratch::new();
    let place = scratch.root().join("file");
    fs::write(&place, "before").unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(&place, scratch.root().join("second")).unwrap();
    let known = fs::metadata(&place).unwrap();
    let root = scratch.opened(SYSTEMS[0]);

    let file = root.open_file("file".as_ref()).unwrap().unwrap();

    let identity = Identity {
        device: known.dev(),
        inode: known.ino(),
    };
    assert_eq!(file.stamp().identity, identity);
    assert_eq!(file.stamp().size, 6);
    assert_eq!(file.stamp().modified, (known.mtime(), known.mtime_nsec()));
    assert_eq!(
        (file.mode(), file.links(), file.owner()),
        (0o640, 2, known.uid())
    );
    assert_eq!(file.path(), root.path().join("file"));
    let mut text = String::new();
    file.file().read_to_string(&mut text).unwrap();
    assert_eq!(text, "before");
    assert!(file.is_steady(&file.stamp()).unwrap());
    let named = root.status("file".as_ref()).unwrap().unwrap();
    assert_eq!(named.stamp, file.stamp());
    fs::write(&place, "after it").unwrap();
    assert!(!file.is_steady(&file.stamp()).unwrap());
}

#[test]
fn entries_are_sorted_and_links_are_links() {
    let scratch = Scratch::new();
    let place = |name: &str| scratch.root().join(name);
    fs::create_dir(place("c")).unwrap();
    fs::write(place("a"), "").unwrap();
    symlink(scratch.outside(), place("b")).unwrap();
    let _socket = UnixListener::bind(place("d")).unwrap();

    let root = scratch.opened(SYSTEMS[0]);
    let entries = root.entries().unwrap();

    let entry = |name: &str, kind| Entry {
        name: name.into(),
        kind,
    };
    let expected = [
        entry("a", Kind::File),
        entry("b", Kind::Link),
        entry("c", Kind::Directory),
        entry("d", Kind::Other),
    ];
    assert_eq!(entries, expected);
    for entry in entries {
        let status = root.status(&entry.name).unwrap().unwrap();
        assert_eq!(status.kind, entry.kind);
    }
}

#[test]
fn links_on_the_way_to_the_anchor_are_resolved_once() {
    let scratch = Scratch::new();
    let way = scratch.0.path().join("way");
    symlink(scratch.root(), &way).unwrap();

    let anchor = Directory::anchor(&way).unwrap().unwrap();

    assert_eq!(anchor.path(), scratch.root().canonicalize().unwrap());
    fs::remove_file(&way).unwrap();
    symlink(scratch.outside(), &way).unwrap();
    anchor.make(Path::new("made")).unwrap();
    assert_eq!(scratch.tree(), ["made/"]);
    let root = Directory::anchor(Path::new("/")).unwrap().unwrap();
    assert_eq!(root.path(), Path::new("/"));
}

#[test]
fn an_anchor_that_is_no_directory_is_refused_and_an_absent_one_told() {
    let scratch = Scratch::new();
    fs::write(scratch.root().join("file"), "").unwrap();
    symlink("nowhere", scratch.root().join("dangling")).unwrap();
    for asked in ["file", "file/below"] {
        let refused = Directory::anchor(&scratch.root().join(asked));
        let told = scratch.told(refused);
        assert!(told.ends_with("is a link or no directory"), "{told}");
    }
    for asked in ["none", "dangling", "dangling/below"] {
        let absent = Directory::anchor(&scratch.root().join(asked)).unwrap();
        assert!(absent.is_none(), "{asked}");
    }
    for blank in ["", " ", "a\0b"] {
        let refused = Directory::anchor(Path::new(blank));
        assert!(matches!(refused, Err(PlaceError::Name { .. })));
    }
}
