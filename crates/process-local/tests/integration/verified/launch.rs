//! Launches that say which bytes have to run.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::process::Command;
use std::thread;

use cassette_format::process::{Launch, ProcessConnection as _, ProcessTransport as _, StartError};
use process_local::{
    ExecutableIdentity, LaunchSpec, LocalConnection, LocalOptions, LocalTransport, Method,
    VerifyError, VerifyMode, identify, spawn,
};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify;

use super::program::{GOOD, Stage, mode};
use crate::agent::{exit, hear, options, spec, within};

fn verified_spec(arguments: &str) -> LaunchSpec {
    let mut spec = spec(arguments);
    spec.executable = Some(identify(env!("CARGO_BIN_EXE_fake-agent")).unwrap());
    spec
}

fn holding(way: VerifyMode) -> LocalOptions {
    LocalOptions {
        verify: mode(way),
        ..options()
    }
}

#[tokio::test]
async fn a_verified_process_is_one_like_any_other() {
    let agent = spawn(verified_spec("echo exit 3"), options()).unwrap();
    assert_eq!(agent.executable_method(), Some(Method::Sealed));
    assert_eq!(agent.tree(), crate::TREE);

    agent.send(b"hello").await.unwrap();
    agent.close_input().await.unwrap();

    let heard = hear(&agent).await;
    assert_eq!(
        (heard.stdout, heard.ends),
        (b"hello".to_vec(), vec![exit(3)])
    );
    agent.close().await.unwrap();
}

#[tokio::test]
async fn a_launch_without_identity_has_no_method() {
    let agent = spawn(spec("exit 0"), options()).unwrap();

    assert_eq!(agent.executable_method(), None);
}

#[tokio::test]
async fn options_say_how_the_executable_is_held() {
    for (way, method) in [
        (VerifyMode::Auto, Method::Sealed),
        (VerifyMode::Sealed, Method::Sealed),
        (VerifyMode::PrivateCopy, Method::PrivateCopy),
        (VerifyMode::Leased, Method::Leased),
    ] {
        let agent = spawn(verified_spec("say said"), holding(way)).unwrap();

        assert_eq!(agent.executable_method(), Some(method));
        assert_eq!(hear(&agent).await.stdout, b"said\n");
    }
}

#[tokio::test]
async fn what_cannot_be_held_as_the_options_say_does_not_start_otherwise() {
    let mut options = holding(VerifyMode::PrivateCopy);
    options.verify.copies = Some("/proc".into());
    let error = spawn(verified_spec("say never"), options).unwrap_err();

    let StartError::NotVerified { source, .. } = error else {
        panic!("{error:?}")
    };
    let Some(VerifyError::Unsupported { refusals, .. }) = source.downcast_ref() else {
        panic!("{source:?}")
    };
    let methods: Vec<Method> = refusals.iter().map(|refusal| refusal.method).collect();
    assert_eq!(methods, [Method::PrivateCopy]);
}

#[tokio::test]
async fn a_verified_process_is_called_as_it_was_asked_for_and_inherits_no_descriptor() {
    let plain = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .arg("say-descriptors")
        .output()
        .unwrap();
    for way in [
        VerifyMode::Sealed,
        VerifyMode::PrivateCopy,
        VerifyMode::Leased,
    ] {
        let agent = spawn(verified_spec("say-descriptors say-name"), holding(way)).unwrap();

        let mut expected = plain.stdout.clone();
        expected.extend(concat!(env!("CARGO_BIN_EXE_fake-agent"), "\n").as_bytes());
        assert_eq!(hear(&agent).await.stdout, expected);
    }
}

#[tokio::test]
async fn a_transport_verifies_too() {
    let transport = LocalTransport::new(options());
    let agent = transport
        .start(Launch::from(verified_spec("say said")))
        .await
        .unwrap();
    assert_eq!(hear(&*agent).await.stdout, b"said\n");

    let mut launch = verified_spec("say said");
    launch.executable = Some(ExecutableIdentity::new(1, "0".repeat(64)).unwrap());
    let refused = within(transport.start(launch.into())).await.err().unwrap();
    assert!(
        matches!(refused, StartError::NotVerified { .. }),
        "{refused:?}"
    );
}

#[tokio::test]
async fn other_bytes_do_not_start_and_the_reason_is_inside() {
    let mut launch = verified_spec("exit 0");
    launch.executable = Some(ExecutableIdentity::new(1, "0".repeat(64)).unwrap());

    let error = spawn(launch, options()).unwrap_err();

    let file = env!("CARGO_BIN_EXE_fake-agent");
    assert_eq!(
        error.to_string(),
        format!("cannot verify the executable of `{file}`")
    );
    let StartError::NotVerified { source, .. } = error else {
        panic!("{error:?}")
    };
    let inside = source.downcast_ref();
    assert!(matches!(
        inside,
        Some(VerifyError::WrongSize { expected: 1, .. })
    ));
}

#[tokio::test]
async fn a_relative_command_counts_from_the_directory_of_the_launch() {
    let stage = Stage::new();
    let mut launch = LaunchSpec::new(["./program"]).in_directory(stage.scratch.path());
    launch.executable = Some(stage.identity.clone());
    let agent = spawn(launch.clone(), options()).unwrap();
    assert_eq!(hear(&agent).await.ends, [exit(GOOD.into())]);

    launch.argv = vec!["./missing".into()];
    let error = spawn(launch, options()).unwrap_err();
    assert!(
        matches!(error, StartError::CommandNotFound { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_program_whose_file_is_leased_starts_itself_again() {
    let options = holding(VerifyMode::Leased);
    let agent = spawn(verified_spec("again again say said exit 5"), options).unwrap();

    assert_eq!(agent.executable_method(), Some(Method::Leased));
    let heard = hear(&agent).await;
    assert_eq!(
        (heard.stdout, heard.ends),
        (b"said\n".to_vec(), vec![exit(5)])
    );
}

#[tokio::test]
async fn a_program_without_file_cannot_start_itself_again() {
    let agent = spawn(verified_spec("again exit 5"), options()).unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(1)]);
}

/// As a private copy is that another thread's start has inherited, until that executes.
#[tokio::test]
async fn a_program_that_is_open_for_writing_starts_once_that_is_over() {
    let stage = Stage::new();
    let file = File::open(&stage.file).unwrap();
    let program = format!("/proc/self/fd/{}", file.as_raw_fd());

    let agent = start_busy(&stage.file, &LaunchSpec::new([program]), &options());

    assert_eq!(hear(&agent).await.ends, [exit(GOOD.into())]);
}

/// Starts a process while a file that is to be executed for it is open for writing, which
/// ends when the kernel has refused to.
pub(crate) fn start_busy(
    file: &Path,
    launch: &LaunchSpec,
    options: &LocalOptions,
) -> LocalConnection {
    let mut refused = None;
    // The end may come too late on a machine that has much to do.
    for _ in 0..10 {
        let writer = File::options().write(true).open(file).unwrap();
        let closed = closes_of(file);
        let close = thread::spawn(move || {
            let mut wanted = [PollFd::new(&closed, PollFlags::IN)];
            poll(&mut wanted, None).unwrap();
            drop(writer);
        });
        let started = spawn(launch.clone(), options.clone());
        close.join().unwrap();
        match started {
            Ok(agent) => return agent,
            Err(error) => refused = Some(error),
        }
    }
    panic!("a busy program is not tried again: {refused:?}");
}

/// Turns readable when the file was closed by somebody who could not write to it, as the
/// kernel does that has refused to execute it.
fn closes_of(file: &Path) -> rustix::fd::OwnedFd {
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    let closes = inotify::WatchFlags::CLOSE_NOWRITE;
    inotify::add_watch(&watch, file, closes).unwrap();
    watch
}
