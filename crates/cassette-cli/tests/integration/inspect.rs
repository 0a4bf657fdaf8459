//! `cassette inspect`.

use crate::cassettes::{self, cassette, change, told};

#[test]
fn inspect_tells_where_a_cassette_comes_from_and_what_it_holds() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["inspect", "agent.cassette"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stderr), (Some(0), String::new()));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(lines[0], "agent.cassette: complete");
    assert!(
        lines[1].starts_with("tape: 4 frames, 57 payload bytes,"),
        "{stdout}"
    );
    let request = lines.iter().find(|line| line.contains("  ping "));
    assert!(
        request
            .unwrap()
            .starts_with("    request  ping        1     24"),
        "{stdout}"
    );
}

#[test]
fn an_incomplete_cassette_is_inspected_too() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = cassettes::write(scratch.path(), cassettes::exit_3());
    let manifest = dir.join("manifest.json");
    change(&manifest, "\"complete\"", "\"in\\u001bcomplete\"");
    let arguments = ["inspect", "agent.cassette"];
    let (code, stdout, _) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(code, Some(0));
    assert_eq!(
        stdout.lines().next(),
        Some("agent.cassette: in\\u{1b}complete")
    );
}

#[test]
fn the_json_form_is_one_versioned_object_with_the_summary() {
    let scratch = tempfile::tempdir().unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let arguments = ["inspect", "agent.cassette", "--json"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stderr), (Some(0), String::new()));
    let told: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let said = |pointer: &str| told.pointer(pointer).unwrap().clone();
    assert_eq!(said("/schema"), 1);
    assert_eq!(said("/command"), "inspect");
    assert_eq!(said("/status"), "complete");
    assert_eq!(said("/schemaVersion"), 4);
    assert_eq!(said("/summary/total/frameCount"), 4);
    assert_eq!(said("/summary/connections/0/provider"), "codex");
}
