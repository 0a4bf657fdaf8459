//! A disk that is full, and a limit of the size of files.
//!
//! The test binary starts itself again as the process that records.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use cassette_format::process::Frame;
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{Ending, ReadOptions, Tape, TapePrefix};
use cassette_record::{
    FinishError, RecordError, RecordOptions, Recorder, RecoverMode, Tap, recover,
};

use crate::live::{launch, registry};

/// Where the process that records finds its directory; it does nothing without.
const DIRECTORY: &str = "CASSETTE_FULL_DIRECTORY";

fn recorder(directory: &Path) -> (Recorder, Tap) {
    let recorder = Recorder::create(directory, registry(), RecordOptions::default()).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    (recorder, tap)
}

/// Records frames until one is not written; gives how many were, and why it was not.
fn fill(tap: &Tap) -> (usize, io::ErrorKind) {
    for number in 0.. {
        let line = format!("{{\"n\":{number},\"cwd\":\"/work\"}}\n");
        let Err(failure) = tap.inbound(&Frame::stdout(line)) else {
            continue;
        };
        let Some(RecordError::Write { source, .. }) = failure.downcast_ref() else {
            panic!("{failure:?}")
        };
        return (number, source.kind());
    }
    unreachable!()
}

/// All that was released is there, line for line, and it is not complete.
fn check(directory: &Path, released: usize) {
    let prefix = TapePrefix::open(directory, &ReadOptions::default()).unwrap();
    assert!(
        matches!(prefix.ending(), Ending::Whole),
        "{:?}",
        prefix.ending()
    );
    assert_eq!(prefix.manifest().status, CassetteStatus::Incomplete);
    assert!(prefix.len() >= released, "{} of {released}", prefix.len());
}

/// The process on a small disk. Cuts the failing frame at every offset.
#[test]
fn recording_until_the_disk_is_full() {
    let Some(disk) = std::env::var_os(DIRECTORY).map(PathBuf::from) else {
        return;
    };
    let elsewhere = tempfile::tempdir().unwrap();
    for pad in 0..200 {
        let (directory, filler) = (disk.join("tape"), disk.join("filler"));
        fs::write(&filler, vec![0; 16 << 10]).unwrap();
        let (recorder, tap) = recorder(&directory);
        tap.inbound(&Frame::stderr("x".repeat(pad) + "\n")).unwrap();
        let (released, kind) = fill(&tap);
        assert_eq!(kind, io::ErrorKind::StorageFull);
        check(&directory, released + 1);

        // Space returns, and nothing is spliced on.
        fs::remove_file(&filler).unwrap();
        tap.inbound(&Frame::stdout("{}\n")).unwrap_err();
        tap.close().unwrap();
        assert!(matches!(recorder.finish(), Err(FinishError::Failed(_))));
        recorder.abort().unwrap();
        check(&directory, released + 1);
        let whole = elsewhere.path().join(pad.to_string());
        let report = recover(
            &directory,
            &whole,
            RecoverMode::Strict,
            &ReadOptions::default(),
        );
        assert_eq!(report.unwrap().kept_frames as usize, released + 1);
        Tape::open(&whole, &ReadOptions::default()).unwrap();
        fs::remove_dir_all(&directory).unwrap();
    }
}

#[test]
fn a_full_disk_fails_the_recording_and_leaves_only_whole_lines() {
    let disk = tempfile::tempdir().unwrap();
    // A disk of 64 KiB that only this process sees and that goes with it.
    let script = "mount -t tmpfs -o size=64k cassette \"$0\" || exit 99; exec \"$@\"";
    let ran = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", script])
        .arg(disk.path())
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full::recording_until_the_disk_is_full"])
        .env(DIRECTORY, disk.path())
        .stdout(Stdio::null())
        .status();
    match ran.map(|status| status.code()) {
        Ok(Some(0)) => {}
        Ok(Some(1 | 99)) if !can_mount() => println!("SKIPPED: no disk of our own here"),
        Err(error) => println!("SKIPPED: no unshare here: {error}"),
        other => panic!("{other:?}"),
    }
}

fn can_mount() -> bool {
    let script = "mount -t tmpfs -o size=64k cassette /tmp";
    let mount = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", script])
        .stderr(Stdio::null())
        .status();
    mount.is_ok_and(|status| status.success())
}

/// The process with a limit of the size of files.
#[test]
fn recording_until_the_file_is_too_large() {
    let Some(directory) = std::env::var_os(DIRECTORY).map(PathBuf::from) else {
        return;
    };
    let (recorder, tap) = recorder(&directory);
    let (released, kind) = fill(&tap);
    assert_eq!(kind, io::ErrorKind::FileTooLarge);
    check(&directory, released);
    tap.close().unwrap();
    assert!(recorder.finish().is_err());
}

fn limited(directory: &Path, signal: &str) -> ExitStatus {
    Command::new("sh")
        .args(["-c", &format!("{signal} ulimit -f 64; exec \"$@\""), "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "full::recording_until_the_file_is_too_large"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .status()
        .unwrap()
}

#[test]
fn a_limit_of_the_size_of_files_fails_the_recording_or_ends_the_process_and_loses_no_line() {
    let scratch = tempfile::tempdir().unwrap();
    let ignored = scratch.path().join("ignored");
    assert!(limited(&ignored, "trap '' XFSZ;").success());
    check(&ignored, 100);

    // A host that leaves the signal's deadly default in place.
    let deadly = scratch.path().join("deadly");
    assert!(!limited(&deadly, "").success());
    let prefix = TapePrefix::open(&deadly, &ReadOptions::default()).unwrap();
    assert!(!matches!(prefix.ending(), Ending::Bad { .. }));
    assert!(prefix.len() >= 100);
}
