//! `cassette providers`.

use std::fs;

use crate::cassettes::{self, ANSWER, QUESTION, cassette, told};

const SELF: &str = env!("CARGO_BIN_EXE_cassette");

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
    let shown = String::from_utf8(shown.stdout).unwrap();
    let renamed = shown.replace("codex", "codex-of-mine");
    fs::write(scratch.path().join("mine.json"), renamed).unwrap();
    let arguments = ["providers", "check", "mine.json"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(
        output,
        (Some(0), "mine.json: ok\n".to_owned(), String::new())
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

const OWN: &str = "id = \"mine\"\ntarget = \"local:mine\"\nframing = \"lines\"\n\
    dialect = \"json-rpc\"\n";

#[test]
fn a_provider_of_a_descriptor_file_is_recorded_replayed_and_checked() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("mine.toml"), OWN).unwrap();
    cassettes::write(scratch.path(), cassettes::exit_3());
    let run = |command: &[&str], rest: &[&str]| {
        let arguments = [command, &["--descriptor", "mine.toml"], rest].concat();
        told(&cassette(scratch.path(), &arguments, QUESTION))
    };
    let agent = ["--", SELF, "replay", "--fast-forward", "agent.cassette"];
    let options = ["--provider", "mine", "-o", "new"];
    let (code, _, stderr) = run(&["record"], &[&options[..], &agent].concat());
    assert_eq!(code, Some(3), "{stderr}");
    assert!(stderr.ends_with("recorded to new\n"), "{stderr}");
    let (code, stdout, stderr) = run(&["replay"], &["new"]);
    assert_eq!((code, stdout.as_bytes()), (Some(3), ANSWER), "{stderr}");
    for command in ["verify", "audit"] {
        let expected = (Some(0), "new: ok\n".to_owned(), String::new());
        assert_eq!(run(&[command], &["new"]), expected, "{command}");
    }
    for command in ["show", "inspect"] {
        assert_eq!(run(&[command], &["new"]).0, Some(0), "{command}");
    }
    let (code, stdout, _) = told(&cassette(scratch.path(), &["verify", "new"], b""));
    assert_eq!(code, Some(1));
    let hint = "  hint: --descriptor FILE adds a provider that is not built in\n";
    assert!(stdout.ends_with(hint), "{stdout}");
}

#[test]
fn descriptors_that_clash_are_refused_and_both_are_named() {
    let scratch = tempfile::tempdir().unwrap();
    let files = [
        ("mine.toml", OWN.to_owned()),
        ("same.toml", OWN.replace("local:mine", "local:other")),
        ("codex.toml", OWN.replace("local:mine", "local:codex")),
    ];
    for (name, text) in files {
        fs::write(scratch.path().join(name), text).unwrap();
    }
    let verify = |first, second| {
        let files = ["--descriptor", first, "--descriptor", second];
        let arguments = [&["verify"], &files[..], &["nowhere"]].concat();
        told(&cassette(scratch.path(), &arguments, b""))
    };
    let same = "cassette: same.toml: cannot be added beside mine.toml: \
        provider `mine` is registered twice\n";
    let refused = |error: &str| (Some(2), String::new(), error.to_owned());
    assert_eq!(verify("mine.toml", "same.toml"), refused(same));
    let clash = "codex.toml: cannot be added beside the built-in `codex`: \
        target `local:codex` is registered for `codex` and for `mine`\n";
    let error = format!("cassette: {clash}");
    assert_eq!(verify("codex.toml", "mine.toml"), refused(&error));
    let arguments = ["providers", "check", "codex.toml"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(output, (Some(1), clash.to_owned(), String::new()));
}
