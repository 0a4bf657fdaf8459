//! Verified execution by a supervisor: what of `integration` it has part in.

#[path = "../integration/verified/attack.rs"]
mod attack;
#[path = "../integration/verified/environment.rs"]
mod environment;
#[path = "../integration/verified/launch.rs"]
pub(crate) mod launch;
#[path = "../integration/verified/program.rs"]
pub(crate) mod program;
#[path = "../integration/verified/swaps.rs"]
mod swaps;

use std::fs;

use process_local::{LaunchSpec, LocalOptions, VerifyError, VerifyMode, spawn};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::agent::{options, within};

#[tokio::test]
async fn a_lease_that_is_broken_before_the_supervisor_executes_is_told() {
    let stage = program::Stage::new();
    let below = |name: &str| stage.scratch.path().join(name);
    let mut launch = LaunchSpec::new([&stage.file]).with_variable("HESITANT", stage.scratch.path());
    launch.executable = Some(stage.identity.clone());
    let options = LocalOptions {
        verify: program::mode(VerifyMode::Leased),
        ..options()
    };
    let starting = tokio::task::spawn_blocking(move || spawn(launch, options));
    within(async {
        while !below("hesitates").exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;

    let flags = OFlags::WRONLY | OFlags::NONBLOCK;
    let written = rustix::fs::open(&stage.file, flags, Mode::empty());
    fs::write(below("go-on"), "").unwrap();

    assert_eq!(written.unwrap_err(), Errno::AGAIN);
    let error = starting.await.unwrap().unwrap_err();
    assert!(
        matches!(swaps::reason(&error), Some(VerifyError::LeaseBroken { .. })),
        "{error:?}"
    );
}
