//! `cassette redact`.

use std::fs;
use std::path::Path;

use crate::cassettes::{self, cassette, cassette_with, conversation, told};

const LEAK: &[u8] = b"{\"id\":1,\"method\":\"ping\",\"params\":{\"text\":\"s3cret-value\"}}\n";
const CLEAN: &[u8] =
    b"{\"id\":1,\"method\":\"ping\",\"params\":{\"text\":\"${REDACTED:MY_KEY}\"}}\n";

fn leaky(scratch: &Path) {
    cassettes::write_saying(scratch, ("codex", LEAK), cassettes::exit_3());
}

#[test]
fn the_value_of_a_variable_is_taken_out_of_a_copy() {
    let scratch = tempfile::tempdir().unwrap();
    leaky(scratch.path());
    let variables = [("MY_KEY", "s3cret-value"), ("OTHER_KEY", "0ther-value")];
    let arguments = ["redact", "agent.cassette", "b", "--secret", "MY_KEY"];
    let arguments = [&arguments[..], &["--secret", "OTHER_KEY"]].concat();
    let output = told(&cassette_with(scratch.path(), &variables, &arguments, b""));
    let said = "redacted to b: 1 places, of MY_KEY, not found: OTHER_KEY\n";
    assert_eq!(output, (Some(0), said.to_owned(), String::new()));
    assert_eq!(conversation(&scratch.path().join("b"))[0].1, CLEAN);
    assert_eq!(
        conversation(&scratch.path().join("agent.cassette"))[0].1,
        LEAK
    );
}

#[test]
fn secrets_come_from_a_file_too() {
    let scratch = tempfile::tempdir().unwrap();
    leaky(scratch.path());
    let file = "# keys\n\nexport MY_KEY='s3cret-value'\n";
    fs::write(scratch.path().join(".env"), file).unwrap();
    let arguments = [
        "redact",
        "--json",
        "--secrets-from",
        ".env",
        "agent.cassette",
        "b",
    ];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let expected = concat!(
        r#"{"schema":1,"command":"redact","from":"agent.cassette","to":"b","frames":4,"#,
        r#""count":1,"found":["MY_KEY"],"notFound":[]}"#,
        "\n"
    );
    assert_eq!(output, (Some(0), expected.to_owned(), String::new()));
    assert_eq!(conversation(&scratch.path().join("b"))[0].1, CLEAN);
}

#[test]
fn what_cannot_be_looked_for_is_told_without_its_value() {
    let scratch = tempfile::tempdir().unwrap();
    leaky(scratch.path());
    fs::write(scratch.path().join("keys"), "MY_KEY s3cret-value\n").unwrap();
    let refused: [(&[&str], &str); 4] = [
        (
            &["--secret", "MY_KEY=s3cret-value"],
            "cassette: --secret takes the name of an environment variable, not its value\n",
        ),
        (
            &["--secret", "NOT_THERE"],
            "cassette: environment variable NOT_THERE is not set\n",
        ),
        (
            &["--secret", "SHORT"],
            "cassette: value of SHORT has 6 bytes, secrets must have 8 or more\n",
        ),
        (
            &["--secrets-from", "keys"],
            "cassette: keys:1: no NAME=VALUE\n",
        ),
    ];
    for (secret, error) in refused {
        let arguments = [&["redact", "agent.cassette", "b"], secret].concat();
        let variables = [("SHORT", "s3cret")];
        let output = told(&cassette_with(scratch.path(), &variables, &arguments, b""));
        assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    }
    assert!(!scratch.path().join("b").exists());
}
