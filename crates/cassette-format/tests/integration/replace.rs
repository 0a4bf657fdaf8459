//! Creating a cassette and replacing its manifest: modes, leftovers, failures.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use cassette_format::schema::{Manifest, TapeLimits};
use cassette_format::store::{
    CassetteDir, CreateError, FRAMES_FILE, MANIFEST_FILE, ReplaceError, read_manifest,
    replace_manifest, write_manifest,
};

use crate::tape_files::{Draft, OnDisk, connection};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn names_in(dir: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn names(expected: &[&str]) -> BTreeSet<String> {
    expected.iter().map(|name| (*name).to_owned()).collect()
}

fn incomplete() -> Manifest {
    Manifest::incomplete(TapeLimits::default())
}

fn make_old(path: &Path, age: Duration) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

const TWO_HOURS: Duration = Duration::from_secs(2 * 60 * 60);

#[test]
fn a_new_cassette_is_private_to_its_owner_and_directories_above_it_are_ordinary() {
    let parent = OnDisk::empty();
    let ordinary = parent.dir().join("ordinary");
    fs::create_dir(&ordinary).unwrap();
    let dir = CassetteDir::new(parent.dir().join("deep/er"));
    assert!(!dir.is_occupied());
    drop(dir.create_frames().unwrap());
    replace_manifest(&dir, &incomplete()).unwrap();
    assert_eq!(
        [
            mode(&parent.dir().join("deep")),
            mode(dir.path()),
            mode(&dir.frames_path()),
            mode(&dir.manifest_path())
        ],
        [mode(&ordinary), 0o700, 0o600, 0o600]
    );
    assert_eq!(names_in(dir.path()), names(&[FRAMES_FILE, MANIFEST_FILE]));
    assert!(dir.is_occupied());
}

#[test]
fn a_directory_that_is_there_is_used_and_keeps_its_mode() {
    let parent = OnDisk::empty();
    fs::set_permissions(parent.dir(), fs::Permissions::from_mode(0o750)).unwrap();
    drop(CassetteDir::new(parent.dir()).create_frames().unwrap());
    assert_eq!(mode(parent.dir()), 0o750);
}

#[test]
fn a_directory_with_either_file_is_occupied_and_left_as_it_is() {
    for name in [FRAMES_FILE, MANIFEST_FILE] {
        let parent = OnDisk::empty();
        fs::write(parent.dir().join(name), "precious").unwrap();
        let error = CassetteDir::new(parent.dir()).create_frames().unwrap_err();
        assert!(matches!(error, CreateError::Occupied { path } if path == parent.dir()));
        assert_eq!(names_in(parent.dir()), names(&[name]));
        assert_eq!(fs::read(parent.dir().join(name)).unwrap(), b"precious");
    }
    let parent = OnDisk::empty();
    std::os::unix::fs::symlink("nowhere", parent.dir().join(MANIFEST_FILE)).unwrap();
    let error = CassetteDir::new(parent.dir()).create_frames().unwrap_err();
    assert!(matches!(error, CreateError::Occupied { .. }));
}

#[test]
fn no_cassette_is_made_without_a_name_or_below_a_file() {
    for blank in ["", " ", "\t\n"] {
        let error = CassetteDir::new(blank).create_frames().unwrap_err();
        assert!(matches!(error, CreateError::NoDirectory));
    }
    let disk = Draft::conversation().on_disk();
    let error = CassetteDir::new(disk.manifest())
        .create_frames()
        .unwrap_err();
    match error {
        CreateError::Create { path, source } => {
            assert_eq!(
                (path, source.kind()),
                (disk.manifest(), ErrorKind::AlreadyExists)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_replaced_manifest_is_the_new_one_and_nothing_is_left_over() {
    let disk = Draft::conversation().on_disk();
    fs::set_permissions(disk.manifest(), fs::Permissions::from_mode(0o644)).unwrap();
    replace_manifest(&CassetteDir::new(disk.dir()), &incomplete()).unwrap();
    assert_eq!(
        fs::read(disk.manifest()).unwrap(),
        write_manifest(&incomplete())
    );
    assert_eq!(mode(&disk.manifest()), 0o600);
    assert_eq!(names_in(disk.dir()), names(&[FRAMES_FILE, MANIFEST_FILE]));
}

#[test]
fn a_link_in_place_of_the_manifest_is_replaced_and_not_followed() {
    let disk = Draft::conversation().on_disk();
    let elsewhere = disk.dir().join("elsewhere");
    fs::rename(disk.manifest(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, disk.manifest()).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    replace_manifest(&CassetteDir::new(disk.dir()), &incomplete()).unwrap();
    assert!(fs::symlink_metadata(disk.manifest()).unwrap().is_file());
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
}

#[test]
fn old_leftovers_are_removed_and_young_ones_and_strangers_are_kept() {
    let disk = Draft::conversation().on_disk();
    let put = |name: &str, age: Duration| {
        let path = disk.dir().join(name);
        fs::write(&path, "{").unwrap();
        make_old(&path, age);
    };
    put(".manifest.json.1.1.tmp", TWO_HOURS);
    put(".manifest.json.4294967295.77.tmp", TWO_HOURS);
    let kept = [
        (".manifest.json.1.2.tmp", Duration::from_secs(59 * 60)),
        (".manifest.json.1.3.tmp", Duration::ZERO),
        (".manifest.json.x.1.tmp", TWO_HOURS),
        (".manifest.json.1..tmp", TWO_HOURS),
        (".manifest.json..tmp", TWO_HOURS),
        (".manifest.json.1.1.tmp.bak", TWO_HOURS),
        ("manifest.json.1.1.tmp", TWO_HOURS),
        ("notes.txt", TWO_HOURS),
    ];
    for (name, age) in kept {
        put(name, age);
    }
    fs::create_dir(disk.dir().join(".manifest.json.1.4.tmp")).unwrap();
    replace_manifest(&CassetteDir::new(disk.dir()), &incomplete()).unwrap();
    let mut expected: Vec<&str> = kept.iter().map(|(name, _)| *name).collect();
    expected.extend([FRAMES_FILE, MANIFEST_FILE, ".manifest.json.1.4.tmp"]);
    assert_eq!(names_in(disk.dir()), names(&expected));
}

#[test]
fn a_leftover_of_an_earlier_process_of_the_same_number_is_in_nobodys_way() {
    let disk = Draft::conversation().on_disk();
    let process = std::process::id();
    for number in 0..2000 {
        fs::write(
            disk.dir()
                .join(format!(".manifest.json.{process}.{number}.tmp")),
            "{",
        )
        .unwrap();
    }
    replace_manifest(&CassetteDir::new(disk.dir()), &incomplete()).unwrap();
    assert_eq!(
        fs::read(disk.manifest()).unwrap(),
        write_manifest(&incomplete())
    );
}

#[test]
fn threads_that_replace_one_manifest_never_leave_a_torn_one() {
    let disk = Draft::conversation().on_disk();
    let dir = CassetteDir::new(disk.dir());
    let of = |thread: u64| {
        let mut manifest = incomplete();
        manifest.frame_count = thread;
        manifest.connections = (0..thread * 50)
            .map(|number| connection(number, "codex"))
            .collect();
        manifest
    };
    let manifests: Vec<Manifest> = (1..=4).map(of).collect();
    std::thread::scope(|scope| {
        for manifest in &manifests {
            let dir = &dir;
            scope.spawn(move || {
                for _ in 0..40 {
                    replace_manifest(dir, manifest).unwrap();
                }
            });
        }
        for _ in 0..400 {
            let read = read_manifest(&fs::read(dir.manifest_path()).unwrap()).unwrap();
            assert!(manifests.contains(&read) || read == Draft::conversation().manifest);
        }
    });
    assert_eq!(names_in(disk.dir()), names(&[FRAMES_FILE, MANIFEST_FILE]));
}

#[test]
fn a_failed_replacement_leaves_the_old_manifest_and_no_temporary() {
    let disk = Draft::conversation().on_disk();
    let dir = CassetteDir::new(disk.dir());
    fs::remove_file(disk.manifest()).unwrap();
    fs::create_dir(disk.manifest()).unwrap();
    fs::write(disk.manifest().join("inside"), "precious").unwrap();
    match replace_manifest(&dir, &incomplete()).unwrap_err() {
        ReplaceError::NotReplaced { action, path, .. } => {
            assert_eq!((action, path), ("replace", disk.manifest()));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        fs::read(disk.manifest().join("inside")).unwrap(),
        b"precious"
    );
    assert_eq!(names_in(disk.dir()), names(&[FRAMES_FILE, MANIFEST_FILE]));
}

#[test]
fn a_directory_that_may_not_be_written_keeps_its_manifest() {
    let disk = Draft::conversation().on_disk();
    let before = fs::read(disk.manifest()).unwrap();
    fs::set_permissions(disk.dir(), fs::Permissions::from_mode(0o500)).unwrap();
    let outcome = replace_manifest(&CassetteDir::new(disk.dir()), &incomplete());
    fs::set_permissions(disk.dir(), fs::Permissions::from_mode(0o700)).unwrap();
    if outcome.is_ok() {
        println!("skipped: this user writes to directories whatever their mode");
        return;
    }
    assert!(matches!(
        outcome,
        Err(ReplaceError::NotReplaced {
            action: "create",
            ..
        })
    ));
    assert_eq!(fs::read(disk.manifest()).unwrap(), before);
}

#[test]
fn a_directory_that_is_gone_or_is_a_file_is_an_error() {
    let disk = Draft::conversation().on_disk();
    for (dir, expected) in [
        (disk.dir().join("gone"), ErrorKind::NotFound),
        (disk.frames(), ErrorKind::NotADirectory),
    ] {
        match replace_manifest(&CassetteDir::new(dir), &incomplete()).unwrap_err() {
            ReplaceError::NotReplaced { action, source, .. } => {
                assert_eq!((action, source.kind()), ("create", expected));
            }
            other => panic!("{other:?}"),
        }
    }
}
