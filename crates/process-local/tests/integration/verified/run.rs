//! Running a verified executable to its end.

use std::num::NonZeroUsize;
use std::time::Duration;

use process_local::{
    EffectiveEnvironment, ExitCode, PASSED_ON, RunError, RunOptions, RunOutput, StartError,
    VerifiedExecutable, VerifyOptions, identify, run_verified, run_verified_bounded,
};

use super::environment::installed;
use super::program::fake_agent;
use crate::agent::{Watched, pattern, within};

async fn run(arguments: &str, options: &RunOptions) -> Result<RunOutput, RunError> {
    let agent = fake_agent();
    within(run_verified(&agent, arguments.split(' '), options)).await
}

async fn run_bounded(arguments: &str, limit: usize) -> Result<RunOutput, RunError> {
    let agent = fake_agent();
    let limit = NonZeroUsize::new(limit).unwrap();
    let options = RunOptions::default();
    within(run_verified_bounded(
        &agent,
        arguments.split(' '),
        limit,
        &options,
    ))
    .await
}

#[tokio::test]
async fn both_outputs_are_taken_and_the_exit_code_is_told() {
    let said = run("say out errors 3 exit 9", &RunOptions::default())
        .await
        .unwrap();

    assert_eq!(said.exit.code, ExitCode::new(9));
    assert!(!said.is_success());
    let mut bytes = said.bytes;
    bytes.sort_unstable();
    let mut expected = [b"out\n".as_slice(), &[0, 1, 2]].concat();
    expected.sort_unstable();
    assert_eq!(bytes, expected);
}

#[tokio::test]
async fn only_standard_output_is_taken_with_a_limit() {
    let said = run_bounded("errors 100000 burst 5", 5).await.unwrap();

    assert!(said.is_success());
    assert_eq!(said.bytes, pattern(5));
}

#[tokio::test]
async fn one_byte_too_many_is_too_much_and_what_never_ends_is_killed() {
    for arguments in ["burst 6", "write-forever"] {
        let error = run_bounded(arguments, 5).await.unwrap_err();
        assert!(matches!(error, RunError::Overflow { limit, .. } if limit.get() == 5));
        assert!(
            error.to_string().ends_with("said more than 5 bytes"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn what_does_not_end_in_time_is_killed_with_its_group() {
    let Some(bash) = installed("bash") else {
        return;
    };
    let identity = identify(&bash).unwrap();
    let bash = VerifiedExecutable::open(bash, &identity, &VerifyOptions::default()).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let options = RunOptions {
        timeout: Some(Duration::from_millis(300)),
        cwd: Some(scratch.path().into()),
        ..RunOptions::default()
    };

    let program = "trap '' TERM; sleep 1000 & sleep 1000; true";
    let run = run_verified(&bash, ["-c", program], &options);
    let error = within(run).await.unwrap_err();

    assert!(matches!(error, RunError::TimedOut { .. }), "{error:?}");
    assert!(working_in(scratch.path()).is_empty());
}

/// The processes that work in this directory.
fn working_in(directory: &std::path::Path) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| {
            std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == directory)
        })
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

#[tokio::test]
async fn a_run_that_is_given_up_is_killed() {
    let scratch = tempfile::tempdir().unwrap();
    let options = RunOptions {
        cwd: Some(scratch.path().into()),
        ..RunOptions::default()
    };
    let agent = fake_agent();
    let mut run = Box::pin(run_verified(&agent, ["sleep"], &options));
    let child = within(async {
        loop {
            tokio::select! {
                ended = &mut run => panic!("{ended:?}"),
                () = tokio::task::yield_now() => {}
            }
            if let [child] = working_in(scratch.path())[..] {
                break Watched::new(child);
            }
        }
    })
    .await;

    drop(run);

    child.await_end();
    child.await_reaped().await;
}

#[tokio::test]
async fn it_has_no_input_and_is_called_as_it_is_told() {
    let said = run("count say-name", &RunOptions::default()).await.unwrap();
    let name = env!("CARGO_BIN_EXE_fake-agent");
    assert_eq!(
        String::from_utf8(said.bytes).unwrap(),
        format!("0\n{name}\n")
    );

    let options = RunOptions {
        arg0: Some("agent".into()),
        ..RunOptions::default()
    };
    assert_eq!(run("say-name", &options).await.unwrap().bytes, b"agent\n");
}

#[tokio::test]
async fn it_works_where_it_is_told() {
    let options = RunOptions {
        cwd: Some("/".into()),
        ..RunOptions::default()
    };
    assert_eq!(run("say-directory", &options).await.unwrap().bytes, b"/\n");

    let options = RunOptions {
        cwd: Some("/no/such/directory".into()),
        ..RunOptions::default()
    };
    let error = run("say-directory", &options).await.unwrap_err();
    let RunError::Start { source, .. } = error else {
        panic!("{error:?}")
    };
    assert!(matches!(source, StartError::DirectoryNotFound { .. }));
}

#[tokio::test]
async fn it_gets_what_is_passed_on_and_what_is_added_and_nothing_else() {
    let options = RunOptions {
        environment: EffectiveEnvironment::from_iter([("ADDED", "1"), ("LANG", "other")]),
        ..RunOptions::default()
    };

    let said = run("say-environment", &options).await.unwrap();

    let said = String::from_utf8(said.bytes).unwrap();
    assert!(
        said.contains("ADDED=1\n") && said.contains("LANG=other\n"),
        "{said}"
    );
    for line in said.lines() {
        let name = line.split('=').next().unwrap();
        let known = PASSED_ON.contains(&name) || name.starts_with("LC_") || name == "ADDED";
        assert!(known, "{name}");
    }
    // Set for every test by what runs them, so this shows something.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
}

#[tokio::test]
async fn no_descriptor_of_the_host_is_left_in_it() {
    let said = run("say-descriptors", &RunOptions::default())
        .await
        .unwrap();

    let plain = std::process::Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .arg("say-descriptors")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(said.bytes).unwrap(),
        String::from_utf8(plain.stdout).unwrap()
    );
}
