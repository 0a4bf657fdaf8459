//! Somebody changes the executable all the time: only verified bytes run.
//!
//! `FAULT_ROUNDS` says how often the file has to pass and run for each attack; 10 000
//! before a release.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::thread;

use process_local::{
    ExitCode, LaunchSpec, LocalConnection, LocalOptions, RunError, RunOptions, StartError,
    VerifiedExecutable, VerifyError, VerifyMode, identify, run_verified, spawn,
};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;

use super::attack::{Attack, Attacker, verify_plainly};
use super::program::{EVIL, GOOD, Stage, mode, program};
use crate::agent::{options, within};

fn rounds() -> u32 {
    let rounds = std::env::var("FAULT_ROUNDS").ok();
    rounds.map_or(40, |rounds| rounds.parse().unwrap())
}

async fn end_of(process: LocalConnection) -> ExitCode {
    within(process.wait()).await.code
}

/// What the file ends with. It runs in the directory that it is in.
async fn launch(stage: &Stage, way: VerifyMode) -> Result<ExitCode, StartError> {
    let mut spec = LaunchSpec::new([&stage.file]).in_directory(stage.scratch.path());
    spec.executable = Some(stage.identity.clone());
    let options = LocalOptions {
        verify: mode(way),
        ..options()
    };
    Ok(end_of(spawn(spec, options)?).await)
}

/// The same of one that was verified before.
async fn run(verified: &VerifiedExecutable) -> Result<ExitCode, RunError> {
    let options = RunOptions {
        cwd: verified.path().parent().map(Path::to_owned),
        ..RunOptions::default()
    };
    let ended = within(run_verified(verified, [""; 0], &options)).await?;
    Ok(ended.exit.code)
}

/// Has the file launched while it is attacked, verified in each way.
async fn survive(attack: Attack) {
    let mut all = [0; 3];
    for way in [
        VerifyMode::Sealed,
        VerifyMode::PrivateCopy,
        VerifyMode::Leased,
    ] {
        let Some(counts) = survive_by(attack, way).await else {
            println!("faults: skipped: no such attack here");
            return;
        };
        for (all, count) in all.iter_mut().zip(counts) {
            *all += count;
        }
    }
    let [ran, given_up, refused] = all;
    println!("faults: {ran} ran, {given_up} given up, {refused} refused, 0 of other bytes");
}

/// Launches the file again and again while it is attacked. Gives how often it ran, was given
/// up, and was refused.
async fn survive_by(attack: Attack, way: VerifyMode) -> Option<[u32; 3]> {
    let stage = Stage::new();
    let _attacker = Attacker::start(attack, &stage)?;
    let (mut ran, mut given_up, mut refused) = (0, 0, 0);
    while ran + given_up < rounds() {
        let error = match launch(&stage, way).await {
            Ok(code) => {
                assert_eq!(code, ExitCode::new(GOOD.into()));
                ran += 1;
                continue;
            }
            Err(error) => error,
        };
        match reason(&error) {
            Some(VerifyError::LeaseBroken { .. }) => given_up += 1,
            Some(
                VerifyError::WrongDigest { .. }
                | VerifyError::WrongSize { .. }
                | VerifyError::BeingWritten { .. },
            ) => {
                refused += 1;
                // The attacker may have been stopped in the middle.
                thread::yield_now();
            }
            _ => panic!("{error:?}"),
        }
    }
    assert!(!stage.has_run("evil"));
    // Each lease may be broken before its program runs.
    assert!(ran == 0 || stage.has_run("good"));
    println!("{attack:?}, {way:?}: {ran} ran, {given_up} given up, {refused} refused");
    Some([ran, given_up, refused])
}

/// Why its bytes were not verified, or no longer are those that were.
pub(crate) fn reason(error: &StartError) -> Option<&VerifyError> {
    match error {
        StartError::NotVerified { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

#[tokio::test]
async fn no_other_bytes_run_while_the_file_is_written() {
    survive(Attack::Write).await;
}

#[tokio::test]
async fn no_other_bytes_run_while_the_file_is_written_through_a_mapping() {
    survive(Attack::Map).await;
}

#[tokio::test]
async fn no_other_bytes_run_while_the_file_is_replaced() {
    survive(Attack::Rename).await;
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

    // What is open and no more than that.
    let (_open, program) = verify_plainly(&stage).unwrap();

    overwrite();

    let plain = spawn(LaunchSpec::new([program]), options()).unwrap();
    assert_eq!(end_of(plain).await, ExitCode::new(EVIL.into()));

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
    let RunError::Start { source, .. } = &error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(reason(source), Some(VerifyError::LeaseBroken { .. })),
        "{error:?}"
    );
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
