//! What is refused with a supervisor, and why.

use std::fs;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use cassette_format::process::{LaunchSpec, ProcessConnection as _, StartError};
use process_local::{LocalOptions, Supervisor, TreeEnd, spawn};

use crate::agent::{exit, hear, options, spec};
use crate::verified::launch::start_busy;

fn with(supervisor: Supervisor) -> LocalOptions {
    LocalOptions {
        supervisor,
        ..LocalOptions::default()
    }
}

/// An error with its sources.
fn told(error: &StartError) -> String {
    let mut told = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        told += &format!(": {error}");
        source = error.source();
    }
    told
}

#[tokio::test]
async fn errors_are_those_of_a_start_without_supervisor() {
    let scratch = tempfile::tempdir().unwrap();
    let place = |name: &str, text: &str, mode| {
        let file = scratch.path().join(name);
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    };
    let no_format = place("no-format", "\0\0\0\0", 0o755);
    let not_executable = place("not-executable", "", 0o644);
    let no_interpreter = place("no-interpreter", "#!/no/such/interpreter\n", 0o755);
    let long = "x".repeat(200_000);
    for launch in [
        LaunchSpec::new(["no-such-command-anywhere"]),
        LaunchSpec::new(["/no/such/file"]),
        LaunchSpec::new(["./no/such/file"]).in_directory("/"),
        LaunchSpec::new([&no_format]),
        LaunchSpec::new([&not_executable]),
        LaunchSpec::new([&no_interpreter]),
        LaunchSpec::new([scratch.path()]),
        LaunchSpec::new(["/bin/true", "nul\0"]),
        LaunchSpec::new(["/bin/true", &long]),
        spec("exit 0").in_directory(&not_executable),
        spec("exit 0").with_variable("A", "nul\0"),
    ] {
        let expected = spawn(launch.clone(), LocalOptions::default()).unwrap_err();

        let error = spawn(launch, options()).unwrap_err();

        assert_eq!(told(&error), told(&expected));
        assert_eq!(format!("{error:?}"), format!("{expected:?}"));
    }
}

#[tokio::test]
async fn a_relative_command_counts_from_the_directory_of_the_launch() {
    let scratch = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/bin/cat", scratch.path().join("agent")).unwrap();

    let agent = spawn(
        LaunchSpec::new(["./agent"]).in_directory(scratch.path()),
        options(),
    )
    .unwrap();
    agent.close_input().await.unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(0)]);
}

/// As a file is that was verified: it has no name, or none that is to be trusted.
#[tokio::test]
async fn a_file_that_the_host_has_open_is_run_by_its_descriptor() {
    let file = fs::File::open(env!("CARGO_BIN_EXE_fake-agent")).unwrap();
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());

    let agent = spawn(LaunchSpec::new([path.as_str(), "exit", "3"]), options()).unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(3)]);
}

#[tokio::test]
async fn a_supervisor_whose_program_is_open_for_writing_starts_once_that_is_over() {
    let scratch = tempfile::tempdir().unwrap();
    let program = scratch.path().join("supervisor");
    fs::copy(env!("CARGO_BIN_EXE_fake-agent"), &program).unwrap();
    let supervisor = Supervisor::Program(program.clone());

    let agent = start_busy(&program, &spec("exit 3"), &with(supervisor));

    assert_eq!(hear(&agent).await.ends, [exit(3)]);
}

#[tokio::test]
async fn a_program_that_is_no_supervisor_is_named() {
    for (program, said) in [
        ("/no/such/program", "cannot be started: No such file"),
        ("/bin/true", "does not serve as one"),
        ("/bin/cat", "does not serve as one"),
    ] {
        let supervisor = Supervisor::Program(PathBuf::from(program));

        let error = spawn(spec("exit 0"), with(supervisor)).unwrap_err();

        let told = told(&error);
        assert!(matches!(error, StartError::Spawn { .. }), "{error:?}");
        assert!(
            told.contains(&format!("supervisor `{program}` {said}")),
            "{told}"
        );
    }
}

/// The host that forgot is the fake agent, which would start itself for ever.
#[tokio::test]
async fn a_host_that_forgot_to_ask_is_told_and_starts_nothing() {
    let host = spec("supervised-host return say never").with_variable("FORGETFUL", "");
    let agent = spawn(host, LocalOptions::default()).unwrap();

    let heard = hear(&agent).await;

    assert_eq!(heard.stdout, b"");
    let said = String::from_utf8(heard.stderr).unwrap();
    assert!(said.contains("does not serve as one"), "{said}");
    assert_eq!(heard.ends, [exit(1)]);
}

/// As a supervisor it takes its arguments for those of a host.
#[tokio::test]
async fn what_was_started_as_a_supervisor_starts_none() {
    let host = spec("process-local-supervisor-2 supervised-host return say never");
    let agent = spawn(host.with_variable("FORGETFUL", ""), LocalOptions::default()).unwrap();

    let heard = hear(&agent).await;

    let said = String::from_utf8(heard.stderr).unwrap();
    assert!(said.contains("does not begin with"), "{said}");
    assert_eq!(heard.ends, [exit(1)]);
}

#[tokio::test]
async fn a_supervisor_may_be_run_from_within_a_runtime() {
    let launch = spec("daemonise sleep ; exit 3").with_variable("IN_RUNTIME", "");
    let agent = spawn(launch, options()).unwrap();

    assert_eq!(hear(&agent).await.ends, [exit(3)]);
    assert_eq!(agent.tree(), TreeEnd::Supervised);
}

#[tokio::test]
async fn what_is_required_and_cannot_be_had_is_refused() {
    let required = |supervisor| LocalOptions {
        require: TreeEnd::Supervised,
        ..with(supervisor)
    };

    let error = spawn(spec("exit 0"), required(Supervisor::None)).unwrap_err();

    assert!(
        told(&error).ends_with("nothing here ends all descendants of a process"),
        "{error:?}"
    );
    let agent = spawn(spec("exit 3"), required(crate::supervisor())).unwrap();
    assert_eq!(hear(&agent).await.ends, [exit(3)]);
}
