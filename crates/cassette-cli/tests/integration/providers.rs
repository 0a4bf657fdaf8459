//! `cassette providers`.

use std::fs;

use crate::cassettes::{cassette, told};

#[test]
fn the_providers_are_listed() {
    let scratch = tempfile::tempdir().unwrap();
    let list = told(&cassette(scratch.path(), &["providers"], b""));
    assert_eq!(
        list,
        told(&cassette(scratch.path(), &["providers", "list"], b""))
    );
    let (code, stdout, stderr) = list;
    assert_eq!((code, stderr), (Some(0), String::new()));
    assert_eq!(stdout.lines().count(), 9);
    let lsp = "lsp                 local:lsp                   content-length, json-rpc";
    assert!(stdout.lines().any(|line| line == lsp), "{stdout}");
}

#[test]
fn a_provider_that_is_shown_is_a_descriptor_file() {
    let scratch = tempfile::tempdir().unwrap();
    let shown = cassette(scratch.path(), &["providers", "show", "codex"], b"");
    fs::write(scratch.path().join("codex.json"), &shown.stdout).unwrap();
    let arguments = ["providers", "check", "codex.json"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(
        output,
        (Some(0), "codex.json: ok\n".to_owned(), String::new())
    );
}

#[test]
fn an_unknown_provider_is_named_and_ends_with_2() {
    let scratch = tempfile::tempdir().unwrap();
    let output = told(&cassette(scratch.path(), &["providers", "show", "x"], b""));
    let error = "cassette: provider `x` is not known, `cassette providers` lists those that are\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
}

#[test]
fn every_mistake_of_a_descriptor_file_is_told_with_its_place() {
    let scratch = tempfile::tempdir().unwrap();
    let text = "id = \"x\"\ntarget = \"local:x\"\nframing = \"line\"\ndialekt = 1\n";
    fs::write(scratch.path().join("x.toml"), text).unwrap();
    let arguments = ["providers", "check", "--json", "x.toml"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stderr), (Some(1), String::new()));
    let told: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(told["schema"], 1);
    assert_eq!(told["command"], "providers check");
    assert_eq!(told["verdict"], "failed");
    let mistakes = told["mistakes"].as_array().unwrap();
    let places = mistakes.iter().map(|mistake| mistake.as_str().unwrap());
    let places: Vec<&str> = places.map(|it| it.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["x.toml:3:11", "x.toml:4:1"]);
}

#[test]
fn a_descriptor_file_that_is_not_there_ends_with_2() {
    let scratch = tempfile::tempdir().unwrap();
    let arguments = ["providers", "check", "x.toml"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stdout), (Some(2), String::new()));
    assert!(
        stderr.starts_with("cassette: descriptor file `x.toml` cannot be read"),
        "{stderr}"
    );
}
