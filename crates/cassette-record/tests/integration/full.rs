//! A disk that is full, and a limit of the size of files.
//!
//! The test binary starts itself again as the process that records.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cassette_format::process::Frame;
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{Ending, ReadOptions, Tape, TapePrefix};
use cassette_record::{
    Clock, FinishError, RecordError, RecordOptions, Recorder, RecoverMode, Tap, recover,
};

use crate::live::{launch, registry};

/// Where the process that records finds its directory; it does nothing without.
const DIRECTORY: &str = "CASSETTE_FULL_DIRECTORY";

/// What a small disk gives at a time.
const PAGE: usize = 4096;

fn recorder(directory: &Path, options: RecordOptions) -> (Recorder, Tap) {
    let recorder = Recorder::create(directory, registry(), options).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    (recorder, tap)
}

/// Records frames until one is not written; gives how many were, and why it was not.
fn fill(tap: &Tap) -> (usize, io::ErrorKind) {
    for number in 0.. {
        let line = format!("{{\"n\":\"{number:06}\",\"cwd\":\"/work\"}}\n");
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
    let (mut cuts, mut length) = (BTreeSet::new(), 0);
    // A byte more each time: four of them by the time of the first frame, which has a digit
    // more, and then three more of its bytes, which are four on the tape.
    for shift in 0.. {
        let (directory, filler) = (disk.join("tape"), disk.join("filler"));
        fs::write(&filler, vec![0; 16 << 10]).unwrap();
        let now = Arc::new(AtomicU64::new([0, 10, 100, 1000][shift % 4]));
        let shown = Arc::clone(&now);
        let clock = move || Duration::from_millis(shown.load(Ordering::SeqCst));
        let options = RecordOptions {
            clock: Some(Clock::from_fn(clock)),
            ..RecordOptions::default()
        };
        let (recorder, tap) = recorder(&directory, options);
        let first = "x".repeat(3 * (shift / 4) + 2) + "\n";
        tap.inbound(&Frame::stderr(first)).unwrap();
        now.store(1000, Ordering::SeqCst);
        let (released, kind) = fill(&tap);
        assert_eq!(kind, io::ErrorKind::StorageFull);
        check(&directory, released + 1);
        let frames = fs::read_to_string(directory.join("frames.jsonl")).unwrap();
        length = frames.lines().last().unwrap().len() + 1;
        // What was there of the frame that did not fit.
        cuts.insert((PAGE - frames.len() % PAGE) % PAGE);

        // Space returns, and nothing is spliced on.
        fs::remove_file(&filler).unwrap();
        tap.inbound(&Frame::stdout("{}\n")).unwrap_err();
        tap.close().unwrap();
        assert!(matches!(recorder.finish(), Err(FinishError::Failed(_))));
        recorder.abort().unwrap();
        check(&directory, released + 1);
        let whole = elsewhere.path().join(shift.to_string());
        let report = recover(
            &directory,
            &whole,
            RecoverMode::Strict,
            &ReadOptions::default(),
        );
        assert_eq!(report.unwrap().kept_frames as usize, released + 1);
        Tape::open(&whole, &ReadOptions::default()).unwrap();
        fs::remove_dir_all(&directory).unwrap();
        if cuts.len() >= length || shift > 4 * length {
            break;
        }
    }
    assert_eq!(cuts, (0..length).collect());
    println!(
        "faults: a frame of {length} bytes cut at every offset, 0 spliced lines, all recovered"
    );
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
        .args(["--nocapture", "--test-threads=1"])
        .env(DIRECTORY, disk.path())
        .output();
    match ran {
        Ok(output) if output.status.success() => {
            let printed = String::from_utf8(output.stdout).unwrap();
            let (_, facts) = printed.split_once("faults: ").unwrap();
            println!("faults: {}", facts.lines().next().unwrap());
        }
        Ok(output) if matches!(output.status.code(), Some(1 | 99)) && !can_mount() => {
            println!("faults: skipped: no disk of our own here");
        }
        Err(error) => println!("faults: skipped: no unshare here: {error}"),
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
    let (recorder, tap) = recorder(&directory, RecordOptions::default());
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
    let kept = prefix.len();
    println!("faults: an error where SIGXFSZ is ignored, the end where not; {kept} frames kept");
}
