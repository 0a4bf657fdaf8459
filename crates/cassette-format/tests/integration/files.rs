//! What stands in place of the two files: links, directories, pipes, nothing,
//! too much.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use cassette_format::store::{FileKind, OpenError, ReadLimits, ReadOptions, TapePrefix};

use crate::tape_files::{Draft, OnDisk, seen_in, small_limits};

/// Puts something else in place of each file in turn and checks the error.
fn assert_in_place_of_either(put: impl Fn(&Path), expected: impl Fn(&Path) -> OpenError) {
    for file in [OnDisk::manifest, OnDisk::frames] {
        let disk = Draft::conversation().on_disk();
        let path = file(&disk);
        fs::rename(&path, path.with_extension("moved")).unwrap();
        put(&path);
        let expected = format!("{:?}", expected(&path));
        assert_eq!(format!("{:?}", disk.refusal()), expected);
        let prefix = TapePrefix::open(disk.dir(), &ReadOptions::default()).unwrap_err();
        assert_eq!(format!("{prefix:?}"), expected);
    }
}

#[test]
fn a_missing_file_is_said_to_be_missing() {
    assert_in_place_of_either(
        |_| {},
        |path| OpenError::Missing {
            path: path.to_owned(),
        },
    );
    let nowhere = OnDisk::empty().dir().join("nowhere");
    let error = cassette_format::store::Tape::open(&nowhere, &ReadOptions::default()).unwrap_err();
    let expected = OpenError::Missing {
        path: nowhere.join("manifest.json"),
    };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}

#[test]
fn a_link_is_refused_even_when_it_leads_to_a_sound_file() {
    assert_in_place_of_either(
        |path| symlink(path.with_extension("moved"), path).unwrap(),
        |path| OpenError::NotAFile {
            path: path.to_owned(),
            found: FileKind::SymbolicLink,
        },
    );
    assert_in_place_of_either(
        |path| symlink("nowhere", path).unwrap(),
        |path| OpenError::NotAFile {
            path: path.to_owned(),
            found: FileKind::SymbolicLink,
        },
    );
}

#[test]
fn a_directory_is_refused() {
    assert_in_place_of_either(
        |path| fs::create_dir(path).unwrap(),
        |path| OpenError::NotAFile {
            path: path.to_owned(),
            found: FileKind::Directory,
        },
    );
}

#[test]
fn a_pipe_is_refused_without_waiting_for_a_writer() {
    assert_in_place_of_either(
        |path| {
            let made = std::process::Command::new("mkfifo")
                .arg(path)
                .status()
                .unwrap();
            assert!(made.success());
        },
        |path| OpenError::NotAFile {
            path: path.to_owned(),
            found: FileKind::Special,
        },
    );
}

#[test]
fn a_socket_is_refused() {
    assert_in_place_of_either(
        |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
        |path| OpenError::NotAFile {
            path: path.to_owned(),
            found: FileKind::Special,
        },
    );
}

#[test]
fn a_file_that_may_not_be_read_names_the_refusal_of_the_system() {
    let disk = Draft::conversation().on_disk();
    fs::set_permissions(disk.frames(), fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(disk.frames()).is_ok() {
        println!("skipped: this user reads files whatever their mode");
        return;
    }
    match disk.refusal() {
        OpenError::Read { path, source } => {
            assert_eq!(
                (path, source.kind()),
                (disk.frames(), std::io::ErrorKind::PermissionDenied)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_linked_directory_is_followed() {
    let disk = Draft::conversation().on_disk();
    let links = OnDisk::empty();
    let link = links.dir().join("link");
    symlink(disk.dir(), &link).unwrap();
    let tape = cassette_format::store::Tape::open(link, &ReadOptions::default()).unwrap();
    assert_eq!(seen_in(&tape), Draft::conversation().seen());
}

#[test]
fn files_of_just_the_limit_are_read_and_one_byte_more_is_refused() {
    let draft = Draft::conversation();
    let disk = draft.on_disk();
    let size = |path| fs::metadata(path).unwrap().len();
    let (manifest, frames) = (size(disk.manifest()), size(disk.frames()));
    let limits = |max_manifest_bytes, max_stored_bytes| {
        let limits = ReadLimits {
            max_manifest_bytes,
            max_stored_bytes,
            ..small_limits()
        };
        ReadOptions::default().with_limits(limits)
    };
    assert!(disk.open_with(&limits(manifest, frames)).is_ok());
    let error = disk.open_with(&limits(manifest - 1, frames)).unwrap_err();
    let expected = OpenError::FileTooLarge {
        path: disk.manifest(),
        bytes: manifest,
        limit: manifest - 1,
    };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
    let error = disk.open_with(&limits(manifest, frames - 1)).unwrap_err();
    let expected = OpenError::FileTooLarge {
        path: disk.frames(),
        bytes: frames,
        limit: frames - 1,
    };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}

#[test]
fn a_file_of_many_gigabytes_is_refused_before_any_memory_is_used() {
    let disk = Draft::conversation().on_disk();
    let bytes = 1 << 40;
    File::options()
        .write(true)
        .open(disk.frames())
        .unwrap()
        .set_len(bytes)
        .unwrap();
    let limits = ReadLimits {
        max_stored_bytes: u64::MAX,
        ..ReadLimits::default()
    };
    let error = disk
        .open_with(&ReadOptions::default().with_limits(limits))
        .unwrap_err();
    let expected = OpenError::FileTooLarge {
        path: disk.frames(),
        bytes,
        limit: u64::from(u32::MAX),
    };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}
