//! Launches that say which bytes have to run.

use cassette_format::process::{Launch, ProcessConnection as _, ProcessTransport as _, StartError};
use process_local::{
    ExecutableIdentity, LaunchSpec, LocalOptions, LocalTransport, Method, VerifyError, VerifyMode,
    identify, spawn,
};

use super::program::{GOOD, Stage, mode};
use crate::agent::{exit, hear, spec, within};

fn verified_spec(arguments: &str) -> LaunchSpec {
    let mut spec = spec(arguments);
    spec.executable = Some(identify(env!("CARGO_BIN_EXE_fake-agent")).unwrap());
    spec
}

#[tokio::test]
async fn a_verified_process_is_one_like_any_other() {
    let agent = spawn(verified_spec("echo exit 3"), LocalOptions::default()).unwrap();
    assert_eq!(agent.executable_method(), Some(Method::Sealed));

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
    let agent = spawn(spec("exit 0"), LocalOptions::default()).unwrap();

    assert_eq!(agent.executable_method(), None);
}

#[tokio::test]
async fn options_say_how_the_executable_is_held() {
    let options = LocalOptions {
        verify: mode(VerifyMode::PrivateCopy),
        ..LocalOptions::default()
    };
    let agent = spawn(verified_spec("say said"), options).unwrap();

    assert_eq!(agent.executable_method(), Some(Method::PrivateCopy));
    assert_eq!(hear(&agent).await.stdout, b"said\n");
}

#[tokio::test]
async fn a_transport_verifies_too() {
    let transport = LocalTransport::default();
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

    let error = spawn(launch, LocalOptions::default()).unwrap_err();

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
    let agent = spawn(launch.clone(), LocalOptions::default()).unwrap();
    assert_eq!(hear(&agent).await.ends, [exit(GOOD.into())]);

    launch.argv = vec!["./missing".into()];
    let error = spawn(launch, LocalOptions::default()).unwrap_err();
    assert!(
        matches!(error, StartError::CommandNotFound { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_program_whose_file_is_leased_starts_itself_again() {
    let options = LocalOptions {
        verify: mode(VerifyMode::Leased),
        ..LocalOptions::default()
    };
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
    let agent = spawn(verified_spec("again exit 5"), LocalOptions::default()).unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(1)]);
}
