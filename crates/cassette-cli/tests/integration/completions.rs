//! `cassette completions`.

use crate::cassettes::{cassette, told};

const COMMANDS: [&str; 10] = [
    "record",
    "replay",
    "show",
    "verify",
    "inspect",
    "audit",
    "recover",
    "redact",
    "providers",
    "completions",
];

#[test]
fn the_script_of_each_shell_knows_every_command() {
    let scratch = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let arguments = ["completions", shell];
        let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
        assert_eq!((code, stderr), (Some(0), String::new()), "{shell}");
        for command in COMMANDS {
            assert!(stdout.contains(command), "{shell} {command}");
        }
    }
}

#[test]
fn an_unknown_shell_is_wrong_usage() {
    let scratch = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &["completions", "x"], b""));
    assert_eq!((code, stdout), (Some(2), String::new()));
    assert!(
        stderr.contains("bash, elvish, fish, powershell, zsh"),
        "{stderr}"
    );
}
