//! What is refused, and what a process finds when it starts.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use cassette_format::process::{Inheritance, LaunchSpec, ProcessConnection, StartError};
use process_local::spawn;
use rustix::process::getpgid;

use crate::agent::{Watched, hear, options, spec, start};

fn refusal(spec: LaunchSpec) -> StartError {
    spawn(spec, options()).unwrap_err()
}

#[tokio::test]
async fn a_launch_without_command_is_refused() {
    let nothing: [&str; 0] = [];
    for spec in [LaunchSpec::new(nothing), LaunchSpec::new(["", "argument"])] {
        assert!(matches!(refusal(spec), StartError::NoCommand));
    }
}

#[tokio::test]
async fn sensitive_files_are_refused() {
    let mut with_files = spec("exit 0");
    with_files.sensitive_inherited_files = vec!["/a".into(), "/b".into()];
    assert!(matches!(
        refusal(with_files),
        StartError::SensitiveFiles { count: 2 }
    ));
}

#[tokio::test]
async fn what_cannot_be_found_is_named() {
    for (argv, said) in [
        (
            "no-such-command-anywhere",
            "command `no-such-command-anywhere` not found in ",
        ),
        ("/no/such/file", "command `/no/such/file` not found"),
        ("./no/such/file", "command `./no/such/file` not found"),
    ] {
        let error = refusal(LaunchSpec::new([argv]).in_directory("/"));
        assert!(
            matches!(error, StartError::CommandNotFound { .. }),
            "{error:?}"
        );
        assert!(error.to_string().starts_with(said), "{error}");
    }
    let error = refusal(spec("exit 0").in_directory("/no/such/directory"));
    assert!(
        matches!(error, StartError::DirectoryNotFound { .. }),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "working directory `/no/such/directory` not found"
    );
}

#[tokio::test]
async fn a_script_without_its_interpreter_is_not_taken_for_a_missing_command() {
    let scratch = tempfile::tempdir().unwrap();
    let script = scratch.path().join("agent");
    fs::write(&script, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();

    let error = refusal(LaunchSpec::new([&script]));

    let StartError::Spawn { command, source } = error else {
        panic!("{error:?}")
    };
    assert_eq!(command, script.to_string_lossy());
    assert_eq!(
        source.to_string(),
        "the file is there, but not the interpreter that its first line names"
    );
}

#[test]
fn without_a_runtime_nothing_is_started() {
    assert!(matches!(refusal(spec("exit 0")), StartError::Spawn { .. }));
}

#[tokio::test]
async fn a_process_gets_the_effective_environment_and_nothing_else() {
    let mut spec = spec("say-environment")
        .with_variable("A", "x y")
        .with_variable("B", "2");
    spec.inheritance = Inheritance::Clear;
    let agent = spawn(spec, options()).unwrap();

    let effective = agent.effective_environment().unwrap();

    let names: Vec<_> = effective.iter().collect();
    assert_eq!(
        names,
        [("A".as_ref(), "x y".as_ref()), ("B".as_ref(), "2".as_ref())]
    );
    assert_eq!(hear(&agent).await.stdout, b"A=x y\nB=2\n");
}

#[tokio::test]
async fn a_process_inherits_the_variables_of_its_host() {
    let agent = spawn(spec("say-environment"), options()).unwrap();

    let home = format!("PATH={}\n", std::env::var("PATH").unwrap());

    let said = String::from_utf8(hear(&agent).await.stdout).unwrap();
    assert!(said.contains(&home), "{said}");
}

#[tokio::test]
async fn a_process_runs_in_its_directory_and_a_blank_one_is_the_hosts() {
    let here = std::env::current_dir().unwrap().display().to_string();
    for (directory, expected) in [("/", "/"), (" / ", "/"), (" ", here.as_str()), ("", &here)] {
        let agent = spawn(spec("say-directory").in_directory(directory), options()).unwrap();
        let said = String::from_utf8(hear(&agent).await.stdout).unwrap();
        assert_eq!(said, format!("{expected}\n"));
    }
}

#[tokio::test]
async fn a_process_leads_a_group_of_its_own() {
    let agent = start("sleep");
    let watched = Watched::new(agent.process_id());

    assert_eq!(getpgid(Some(watched.pid)).unwrap(), watched.pid);
}

#[tokio::test]
async fn a_process_outlives_the_task_that_started_it() {
    let agent = tokio::spawn(async { start("echo") }).await.unwrap();
    agent.send(b"still there").await.unwrap();
    agent.close_input().await.unwrap();

    assert_eq!(hear(&agent).await.stdout, b"still there");
}

#[tokio::test]
async fn a_variable_that_no_process_can_have_is_refused_by_its_name() {
    for name in ["", "A=B", "A\0B"] {
        let error = refusal(spec("exit 0").with_variable(name, "value"));
        let StartError::InvalidVariable { name: refused } = error else {
            panic!("{error:?}")
        };
        assert_eq!(refused, name);
    }
}

#[test]
fn a_runtime_without_io_or_time_starts_nothing() {
    use tokio::runtime::Builder;

    for runtime in [
        Builder::new_current_thread().build().unwrap(),
        Builder::new_current_thread().enable_time().build().unwrap(),
        Builder::new_current_thread().enable_io().build().unwrap(),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        let _inside = runtime.enter();
        let started = std::panic::catch_unwind(|| {
            let launch = spec("say-directory sleep").in_directory(scratch.path());
            spawn(launch, options()).map(drop)
        });
        assert!(started.is_err());
        let below = fs::read_dir("/proc").unwrap().flatten();
        let at_work = below.filter(|entry| {
            fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == scratch.path())
        });
        assert_eq!(at_work.count(), 0);
    }
}
