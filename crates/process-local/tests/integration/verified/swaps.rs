//! Somebody changes the executable all the time: only verified bytes run.
//!
//! `VERIFIED_SWAP_ROUNDS` says how often the file has to pass and run for each attack; 10 000
//! before a release.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use process_local::{
    ExitCode, RunError, RunOptions, StartError, VerifiedExecutable, VerifyError, VerifyMode,
    identify, run_verified,
};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use super::program::{EVIL, GOOD, Stage, mode, place, program};
use crate::agent::within;

/// Maps a file, writes through the mapping, and lets go of it, all without end.
const MAPPER: &str = "
import mmap, sys
contents = [open(name, 'rb').read() for name in sys.argv[2:]]
while True:
    for content in contents:
        try:
            file = open(sys.argv[1], 'r+b')
        except OSError:
            continue
        mapping = mmap.mmap(file.fileno(), 0)
        file.close()
        mapping[:] = content
        mapping.close()
";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    Write,
    Map,
    Rename,
}

/// Somebody who changes the file until this is dropped, and has begun to.
struct Attacker(Child);

impl Attacker {
    /// `None` where there is no interpreter to map with.
    fn start(attack: Attack, stage: &Stage) -> Option<Self> {
        let good = place(stage.scratch.path(), "good-program", &program(GOOD));
        let evil = place(stage.scratch.path(), "evil-program", &program(EVIL));
        let mut command = match attack {
            Attack::Map => Command::new("python3"),
            _ => Command::new(env!("CARGO_BIN_EXE_fake-agent")),
        };
        match attack {
            Attack::Write => command.arg("alternate-writes"),
            Attack::Map => command.args(["-c", MAPPER]),
            Attack::Rename => command.arg("alternate-renames"),
        };
        command
            .args([&stage.file, &evil, &good])
            .stdin(Stdio::null());
        match command.spawn() {
            Ok(child) => {
                let attacker = Self(child);
                while !fs::read(&stage.file).is_ok_and(|bytes| bytes == program(EVIL)) {
                    thread::yield_now();
                }
                Some(attacker)
            }
            Err(_) if attack == Attack::Map => {
                eprintln!("skipped: no python3 to map with");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        let status = self.0.wait().unwrap();
        // One that gave up attacked nobody.
        assert_eq!(status.code(), None, "the attacker gave up");
    }
}

fn rounds() -> u32 {
    let rounds = std::env::var("VERIFIED_SWAP_ROUNDS").ok();
    rounds.map_or(40, |rounds| rounds.parse().unwrap())
}

/// What it ends with. It runs in the directory that its file is in.
async fn run(verified: &VerifiedExecutable) -> Result<ExitCode, RunError> {
    let options = RunOptions {
        cwd: verified.path().parent().map(Path::to_owned),
        ..RunOptions::default()
    };
    let ended = within(run_verified(verified, [""; 0], &options)).await?;
    Ok(ended.exit.code)
}

/// Verifies and runs the file again and again while it is attacked.
async fn survive(attack: Attack, way: VerifyMode) {
    let stage = Stage::new();
    let Some(_attacker) = Attacker::start(attack, &stage) else {
        return;
    };
    let (mut ran, mut given_up, mut refused) = (0, 0, 0);
    while ran == 0 || ran + given_up < rounds() {
        match VerifiedExecutable::open(&stage.file, &stage.identity, &mode(way)) {
            Ok(verified) => match run(&verified).await {
                Ok(code) => {
                    assert_eq!(code, ExitCode::new(GOOD.into()));
                    ran += 1;
                }
                Err(error) if lease_was_broken(&error) => given_up += 1,
                Err(error) => panic!("{error:?}"),
            },
            Err(
                VerifyError::WrongDigest { .. }
                | VerifyError::WrongSize { .. }
                | VerifyError::BeingWritten { .. }
                | VerifyError::LeaseBroken { .. },
            ) => {
                refused += 1;
                // The attacker may have been stopped in the middle.
                thread::yield_now();
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert!(stage.has_run("good") && !stage.has_run("evil"));
    eprintln!("{attack:?}, {way:?}: {ran} ran, {given_up} given up, {refused} refused");
}

/// Whether a writer came between verification and start.
fn lease_was_broken(error: &RunError) -> bool {
    let RunError::Start { source, .. } = error else {
        return false;
    };
    matches!(source, StartError::NotVerified { source, .. }
        if matches!(source.downcast_ref(), Some(VerifyError::LeaseBroken { .. })))
}

#[tokio::test]
async fn no_other_bytes_run_while_the_file_is_written() {
    survive(Attack::Write, VerifyMode::Sealed).await;
    survive(Attack::Write, VerifyMode::PrivateCopy).await;
    survive(Attack::Write, VerifyMode::Leased).await;
}

#[tokio::test]
async fn no_other_bytes_run_while_the_file_is_written_through_a_mapping() {
    survive(Attack::Map, VerifyMode::Sealed).await;
    survive(Attack::Map, VerifyMode::PrivateCopy).await;
    survive(Attack::Map, VerifyMode::Leased).await;
}

#[tokio::test]
async fn no_other_bytes_run_while_the_file_is_replaced() {
    survive(Attack::Rename, VerifyMode::Sealed).await;
    survive(Attack::Rename, VerifyMode::PrivateCopy).await;
    survive(Attack::Rename, VerifyMode::Leased).await;
}

/// Verifies the file and runs what is open, or what has its name by then.
fn run_plainly(stage: &Stage, by_name: bool, between: impl FnOnce()) -> Option<i32> {
    let file = File::open(&stage.file).ok()?;
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    let verified = if by_name {
        fs::read(&stage.file)
    } else {
        let mut bytes = vec![0; program(GOOD).len()];
        file.read_exact_at(&mut bytes, 0).map(|()| bytes)
    };
    if verified.ok()? != program(GOOD) {
        return None;
    }
    between();
    let executed = if by_name {
        stage.file.as_path()
    } else {
        Path::new(&descriptor)
    };
    // Busy where somebody writes to it right now.
    let mut command = Command::new(executed);
    let ended = command.current_dir(stage.scratch.path()).status();
    ended.ok()?.code()
}

#[test]
fn the_same_attacks_succeed_where_the_plain_file_is_executed() {
    for (attack, by_name) in [
        (Attack::Write, false),
        (Attack::Map, false),
        (Attack::Rename, true),
    ] {
        let stage = Stage::new();
        let Some(_attacker) = Attacker::start(attack, &stage) else {
            continue;
        };
        let mut tried = 0_u32;
        while run_plainly(&stage, by_name, || ()) != Some(EVIL.into()) {
            tried += 1;
            assert!(tried < 1_000_000, "{attack:?} never succeeds");
        }
        assert!(stage.has_run("evil"));
        eprintln!("{attack:?} succeeds after {tried} rounds");
    }
}

#[tokio::test]
async fn bytes_that_were_verified_run_whatever_becomes_of_the_file() {
    let stage = Stage::new();
    let overwrite = || {
        let file = File::options().write(true).open(&stage.file);
        file.unwrap().write_all(&program(EVIL)).unwrap();
    };
    let ways = [VerifyMode::Sealed, VerifyMode::PrivateCopy];
    let verified =
        ways.map(|way| VerifiedExecutable::open(&stage.file, &stage.identity, &mode(way)).unwrap());

    assert_eq!(run_plainly(&stage, false, overwrite), Some(EVIL.into()));

    for verified in &verified {
        for _ in 0..2 {
            assert_eq!(run(verified).await.unwrap(), ExitCode::new(GOOD.into()));
        }
    }
    fs::remove_file(&stage.file).unwrap();
    assert_eq!(run(&verified[0]).await.unwrap(), ExitCode::new(GOOD.into()));
    assert!(identify(&stage.file).is_err());
}

#[tokio::test]
async fn a_leased_file_is_not_run_once_somebody_wants_to_write_to_it() {
    let stage = Stage::new();
    let way = mode(VerifyMode::Leased);
    let verified = VerifiedExecutable::open(&stage.file, &stage.identity, &way).unwrap();
    let write = |flags: OFlags| open(&stage.file, OFlags::WRONLY | flags, Mode::empty());
    assert_eq!(run(&verified).await.unwrap(), ExitCode::new(GOOD.into()));

    assert_eq!(write(OFlags::NONBLOCK).unwrap_err(), Errno::AGAIN);

    let error = run(&verified).await.unwrap_err();
    assert!(lease_was_broken(&error), "{error:?}");
    drop(verified);
    let writer = write(OFlags::empty()).unwrap();
    let refused = VerifiedExecutable::open(&stage.file, &stage.identity, &way).unwrap_err();
    assert!(
        matches!(refused, VerifyError::BeingWritten { .. }),
        "{refused:?}"
    );
    drop(writer);
    assert!(VerifiedExecutable::open(&stage.file, &stage.identity, &way).is_ok());
}
