//! `cassette doctor`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cassettes::{cassette_with, told};

/// The exit code, and what was found: check, verdict, text.
fn found(dir: &Path, variables: &[(&str, &str)]) -> (Option<i32>, Vec<[String; 3]>) {
    let output = cassette_with(dir, variables, &["doctor", "--json"], b"");
    let (code, stdout, stderr) = told(&output);
    assert_eq!(stderr, "");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&report["schema"], &report["command"]),
        (&1.into(), &"doctor".into())
    );
    let findings = report["findings"].as_array().unwrap().iter();
    let findings = findings.map(|finding| {
        // Only what is not as it should be needs a way out.
        assert_eq!(
            finding["verdict"] == "ok",
            finding["hint"].is_null(),
            "{finding}"
        );
        ["check", "verdict", "text"].map(|name| finding[name].as_str().unwrap().to_owned())
    });
    (code, findings.collect())
}

fn verdict_of<'f>(findings: &'f [[String; 3]], check: &str) -> &'f str {
    let mut findings = findings.iter();
    &findings.find(|[name, ..]| name == check).unwrap()[1]
}

#[test]
fn a_sound_machine_has_no_problem_and_its_directories_are_left_as_they_were() {
    let scratch = tempfile::tempdir().unwrap();
    let temporary = scratch.path().join("temporary");
    fs::create_dir(&temporary).unwrap();
    let variables = [
        ("TMPDIR", temporary.to_str().unwrap()),
        ("API_KEY", "s3cret-value"),
    ];
    let (code, findings) = found(scratch.path(), &variables);
    assert_eq!(code, Some(0), "{findings:?}");
    for check in [
        "version",
        "directory",
        "temporary",
        "secrets",
        "CASSETTE_REPORT",
    ] {
        assert_eq!(verdict_of(&findings, check), "ok", "{findings:?}");
    }
    if cfg!(target_os = "linux") {
        assert_eq!(verdict_of(&findings, "descendants"), "ok", "{findings:?}");
        assert_eq!(verdict_of(&findings, "executables"), "ok", "{findings:?}");
    }
    assert!(!format!("{findings:?}").contains("s3cret-value"));
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[test]
fn what_may_go_wrong_is_a_warning_with_a_way_out_and_no_failure() {
    let scratch = tempfile::tempdir().unwrap();
    let missing = scratch.path().join("missing");
    let variables = [
        ("TMPDIR", missing.to_str().unwrap()),
        ("CI_TOKEN", "true"),
        ("CASSETTE_REPORT", "no/such/place"),
    ];
    let output = cassette_with(scratch.path(), &variables, &["doctor"], b"");
    let (code, stdout, _) = told(&output);
    assert_eq!(code, Some(0), "{stdout}");
    let warnings = [
        "missing is no directory\n         hint: only `cassette demo` needs one",
        "warning  secrets: not looked for on the tape: value of CI_TOKEN has 4 bytes, secrets must \
         have 8 or more\n         hint: if it is a secret, record under `env -u CI_TOKEN`",
        "warning  CASSETTE_REPORT: no/such/place cannot be written\n         hint: ",
    ];
    for warning in warnings {
        assert!(stdout.contains(warning), "{stdout}");
    }
    assert!(stdout.ends_with("problems: 0, warnings: 3\n"), "{stdout}");
}

/// Where there is a file system in which nobody can make a directory.
#[test]
fn a_directory_that_takes_no_cassette_is_a_problem() {
    let refusing = Path::new("/proc/self");
    if !refusing.is_dir() {
        return;
    }
    let (code, findings) = found(Path::new("/proc"), &[]);
    assert_eq!(code, Some(1));
    assert_eq!(verdict_of(&findings, "directory"), "problem");
}

#[cfg(unix)]
#[test]
fn agents_are_found_where_recordings_look_for_them() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let codex = scratch.path().join("codex");
    fs::write(&codex, "").unwrap();
    fs::set_permissions(&codex, fs::Permissions::from_mode(0o755)).unwrap();
    let (_, findings) = found(
        scratch.path(),
        &[("PATH", scratch.path().to_str().unwrap())],
    );
    let text = format!("codex app-server: {}, codex", codex.display());
    let expected = ["agent".to_owned(), "ok".to_owned(), text];
    assert!(findings.contains(&expected), "{findings:?}");
}
