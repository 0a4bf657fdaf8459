//! `cassette demo`.

use std::fs;

use crate::cassettes::{cassette, cassette_with, told};

/// Lines that fit on a screen.
const SCREEN: usize = 40;

#[test]
fn the_demo_takes_every_step_within_a_screen_and_leaves_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let temporary = scratch.path().to_str().unwrap();
    // What the user has in the environment is no part of the story.
    let variables = [
        ("TMPDIR", temporary),
        ("CASSETTE_REPORT", "report.json"),
        ("CI_TOKEN", "true"),
    ];
    let output = cassette_with(scratch.path(), &variables, &["demo"], b"");
    let (code, stdout, stderr) = told(&output);
    assert_eq!((code, stderr), (Some(0), String::new()), "{stdout}");
    assert!(stdout.lines().count() <= SCREEN, "{stdout}");
    let last = stdout.lines().last().unwrap();
    assert!(
        last.starts_with("All 6 steps did what they should"),
        "{stdout}"
    );
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn what_the_demo_keeps_is_what_it_has_told_of() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments = ["demo", "--json", "--keep", "kept"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stderr), (Some(0), String::new()), "{stdout}");
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&report["schema"], &report["command"]),
        (&1.into(), &"demo".into())
    );
    let kept = scratch.path().join("kept").canonicalize().unwrap();
    assert_eq!(report["directory"], kept.to_str().unwrap());
    let steps = report["steps"].as_array().unwrap().iter();
    let steps = steps.map(|step| {
        (
            step["step"].as_str().unwrap(),
            step["verdict"].as_str().unwrap(),
        )
    });
    let expected = [
        "record", "verify", "replay", "mismatch", "recover", "secrets",
    ];
    assert_eq!(steps.collect::<Vec<_>>(), expected.map(|step| (step, "ok")));
    // The exit codes of the commands, and none of the one that was killed.
    let commands = report["steps"].as_array().unwrap().iter();
    let commands = commands.flat_map(|step| step["commands"].as_array().unwrap());
    let codes: Vec<_> = commands
        .map(|command| command["exitCode"].as_i64())
        .collect();
    let expected = [70, 0, 0, 70, 120, -1, 1, 0, 0, 0, 0, 0];
    assert_eq!(codes, expected.map(|code| (code >= 0).then_some(code)));

    for whole in ["demo", "recovered", "clean"] {
        let whole = format!("kept/{whole}.cassette");
        let output = told(&cassette(scratch.path(), &["verify", &whole], b""));
        assert_eq!(output, (Some(0), format!("{whole}: ok\n"), String::new()));
    }
    for broken in ["killed", "key"] {
        let broken = format!("kept/{broken}.cassette");
        let output = cassette(scratch.path(), &["verify", &broken], b"");
        assert_eq!(output.status.code(), Some(1));
    }
    let wrote = fs::read_to_string(kept.join("project/notes.txt")).unwrap();
    assert_eq!(wrote, "written by the demo's agent\n");
    assert_eq!(fs::read_dir(kept.join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn the_demo_works_in_no_directory_that_holds_something() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("mine"), "mine").unwrap();
    let output = told(&cassette(scratch.path(), &["demo", "--keep", "."], b""));
    let error = "cassette: . is not empty, --keep takes a new directory\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[test]
fn the_agent_of_the_demo_is_no_command_that_users_are_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let (_, stdout, _) = told(&cassette(scratch.path(), &["--help"], b""));
    assert!(stdout.contains("  demo "), "{stdout}");
    assert!(!stdout.contains("demo-agent"), "{stdout}");
}
