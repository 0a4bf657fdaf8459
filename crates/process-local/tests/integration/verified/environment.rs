//! Variables that make a program run other code do not reach a verified one.

use std::path::{Path, PathBuf};
use std::process::Command;

use process_local::{
    EffectiveEnvironment, RunError, RunOptions, StartError, identify, run_verified, spawn,
};

use super::program::fake_agent;
use crate::agent::{options, spec};

/// What a program says of which the host has this variable: run by itself, and verified.
fn said(variable: (&str, &Path), command: &[&str]) -> [String; 2] {
    let text = |command: &mut Command| {
        let output = command.env(variable.0, variable.1).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let mut verified = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
    [
        text(Command::new(command[0]).args(&command[1..])),
        text(verified.arg(crate::VERIFYING_HOST).args(command)),
    ]
}

/// The program of this name itself, not a link to it.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    let directories = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&directories).map(|directory| directory.join(name));
    let found = found.filter_map(|file| file.canonicalize().ok());
    let found = found
        .into_iter()
        .find(|file| std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF")));
    if found.is_none() {
        eprintln!("skipped: there is no {name}");
    }
    found
}

#[test]
fn a_preloaded_library_does_not_run() {
    let Some(compiler) = installed("cc") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let (source, library) = (scratch.path().join("a.c"), scratch.path().join("a.so"));
    let text = "#include <string.h>\n#include <unistd.h>\n\
        __attribute__((constructor)) static void loaded(int count, char **arguments) {\n\
        if (count > 1 && !strcmp(arguments[1], \"say\")) write(1, \"INJECTED\\n\", 9);\n}\n";
    std::fs::write(&source, text).unwrap();
    let mut compile = Command::new(compiler);
    let compiled = compile
        .args(["-shared", "-fPIC", "-w", "-o"])
        .args([&library, &source]);
    assert!(compiled.status().unwrap().success());

    let said = said(
        ("LD_PRELOAD", &library),
        &[env!("CARGO_BIN_EXE_fake-agent"), "say", "said"],
    );

    assert_eq!(said, ["INJECTED\nsaid\n", "said\n"]);
}

#[test]
fn a_file_that_shells_read_first_does_not_run() {
    let Some(bash) = installed("bash") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let injection = scratch.path().join("injection");
    std::fs::write(&injection, "echo INJECTED\n").unwrap();

    let bash = bash.to_str().unwrap();
    let said = said(("BASH_ENV", &injection), &[bash, "-c", "echo said"]);

    assert_eq!(said, ["INJECTED\nsaid\n", "said\n"]);
}

#[test]
fn options_of_node_have_no_effect() {
    let Some(node) = installed("node") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let injection = scratch.path().join("injection.js");
    std::fs::write(&injection, "console.log('INJECTED')").unwrap();
    let option = PathBuf::from(format!("--require={}", injection.display()));

    let node = node.to_str().unwrap();
    let said = said(
        ("NODE_OPTIONS", &option),
        &[node, "-e", "console.log('said')"],
    );

    assert_eq!(said, ["INJECTED\nsaid\n", "said\n"]);
}

#[tokio::test]
async fn a_variable_that_would_inject_is_refused_by_its_name() {
    let agent = fake_agent();
    for name in [
        "LD_PRELOAD",
        "DYLD_X",
        "NODE_OPTIONS",
        "ENV",
        "PYTHONPATH",
        "RUBYOPT",
    ] {
        let mut launch = spec("exit 0").with_variable(name, "value");
        launch.executable = Some(agent.identity().clone());
        let refused = spawn(launch, options()).unwrap_err();
        let run = RunOptions {
            environment: EffectiveEnvironment::from_iter([(name, "value")]),
            ..RunOptions::default()
        };
        let run = run_verified(&agent, ["exit", "0"], &run).await.unwrap_err();
        let RunError::Start { source, .. } = run else {
            panic!("{run:?}")
        };
        for error in [refused, source] {
            let StartError::RefusedVariable { name: refused } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(refused, name);
        }
    }
}

#[tokio::test]
async fn a_launch_without_identity_keeps_its_variables() {
    let launch = spec("say-environment").with_variable("NODE_OPTIONS", "--no-warnings");
    let agent = spawn(launch, options()).unwrap();

    let said = crate::agent::hear(&agent).await.stdout;

    assert!(
        String::from_utf8(said)
            .unwrap()
            .contains("NODE_OPTIONS=--no-warnings\n")
    );
    assert!(identify(env!("CARGO_BIN_EXE_fake-agent")).is_ok());
}
