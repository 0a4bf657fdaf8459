//! What is no executable that can be verified, each with its error.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use process_local::{
    ExecutableIdentity, InvalidIdentity, Method, VerifiedExecutable, VerifyError, VerifyMode,
    VerifyOptions, identify,
};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::program::{EVIL, Stage, mode, place, program, set_mode};

fn refusal(file: &Path, identity: &ExecutableIdentity) -> VerifyError {
    VerifiedExecutable::open(file, identity, &VerifyOptions::default()).unwrap_err()
}

#[test]
fn the_way_in_which_bytes_are_held_is_told() {
    let stage = Stage::new();

    for (mode_of, method) in [
        (VerifyMode::Auto, Method::Sealed),
        (VerifyMode::Sealed, Method::Sealed),
        (VerifyMode::PrivateCopy, Method::PrivateCopy),
        (VerifyMode::Leased, Method::Leased),
    ] {
        assert_eq!(mode(mode_of).try_out().unwrap(), method);
        let opened = VerifiedExecutable::open(&stage.file, &stage.identity, &mode(mode_of));
        let opened = opened.unwrap();
        assert_eq!(opened.method(), method);
        assert_eq!(opened.path(), stage.file);
        assert_eq!(opened.identity(), &stage.identity);
    }
    assert_eq!(
        [Method::Sealed, Method::Leased, Method::PrivateCopy].map(|method| method.to_string()),
        ["sealed", "leased", "private-copy"]
    );
}

#[test]
fn what_is_no_file_that_may_be_executed_is_refused() {
    let stage = Stage::new();
    let below = |name: &str| stage.scratch.path().join(name);
    symlink(&stage.file, below("link")).unwrap();
    symlink("nowhere", below("dangling")).unwrap();
    // Nobody ever opens it for writing: waiting for that would hang.
    mknodat(CWD, below("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _listener = UnixListener::bind(below("socket")).unwrap();

    for name in ["link", "dangling"] {
        let error = refusal(&below(name), &stage.identity);
        assert!(matches!(error, VerifyError::Link { .. }), "{error:?}");
    }
    for path in [
        stage.scratch.path(),
        &below("fifo"),
        &below("socket"),
        "/dev/null".as_ref(),
    ] {
        let error = refusal(path, &stage.identity);
        assert!(matches!(error, VerifyError::NotRegular { .. }), "{error:?}");
    }
    let error = refusal(&below("missing"), &stage.identity);
    assert!(matches!(error, VerifyError::NotFound { .. }), "{error:?}");
    let error = refusal(&stage.file.join("below"), &stage.identity);
    assert!(matches!(error, VerifyError::Open { .. }), "{error:?}");

    for mode in [0o644, 0o600, 0o444] {
        set_mode(&stage.file, mode);
        let error = refusal(&stage.file, &stage.identity);
        assert!(
            matches!(error, VerifyError::NotExecutable { .. }),
            "{error:?}"
        );
    }
    set_mode(&stage.file, 0o455);
    assert!(
        VerifiedExecutable::open(&stage.file, &stage.identity, &mode(VerifyMode::Auto)).is_ok()
    );
}

#[test]
fn a_link_on_the_way_is_followed() {
    let stage = Stage::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let way = elsewhere.path().join("way");
    symlink(stage.scratch.path(), &way).unwrap();

    let opened = VerifiedExecutable::open(
        way.join("program"),
        &stage.identity,
        &mode(VerifyMode::Auto),
    );

    assert!(opened.is_ok());
}

#[test]
fn other_bytes_are_refused_and_the_expected_ones_are_named_as_such() {
    let stage = Stage::new();
    let evil = place(stage.scratch.path(), "evil", &program(EVIL));
    let found = identify(&evil).unwrap();
    let (expected, size) = (stage.identity.sha256(), stage.identity.size());

    let error = refusal(&evil, &stage.identity);
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` has SHA-256 {}, not the expected {expected}",
            evil.display(),
            found.sha256()
        )
    );
    let larger = ExecutableIdentity::new(size + 1, expected).unwrap();
    let error = refusal(&stage.file, &larger);
    assert_eq!(
        error.to_string(),
        format!(
            "`{}` has {size} bytes, not the expected {}",
            stage.file.display(),
            size + 1
        )
    );
    let smaller = ExecutableIdentity::new(size - 1, expected).unwrap();
    let error = refusal(&stage.file, &smaller);
    assert!(matches!(error, VerifyError::WrongSize { .. }), "{error:?}");
    assert_eq!(
        ExecutableIdentity::new(size, expected.to_uppercase()).unwrap_err(),
        InvalidIdentity::Digest
    );
}

#[test]
fn what_another_program_would_read_again_is_refused() {
    let stage = Stage::new();
    let script = place(stage.scratch.path(), "script", b"#!/bin/sh\nexit 0\n");
    let error = refusal(&script, &identify(&script).unwrap());
    assert!(matches!(error, VerifyError::Script { .. }), "{error:?}");

    // A shell runs it all the same when the system does not.
    let nameless = place(stage.scratch.path(), "nameless", b"exit 0\n");
    let error = refusal(&nameless, &identify(&nameless).unwrap());
    assert!(matches!(error, VerifyError::NotProgram { .. }), "{error:?}");

    fs::write(&nameless, "").unwrap();
    let error = identify(&nameless).unwrap_err();
    assert!(
        matches!(error, VerifyError::WrongSize { found: 0, .. }),
        "{error:?}"
    );
}

#[test]
fn where_bytes_cannot_be_held_nothing_is_verified() {
    let stage = Stage::new();
    let nowhere = VerifyOptions {
        mode: VerifyMode::PrivateCopy,
        copies: Some(stage.scratch.path().join("missing")),
    };
    // The kernel's own files take no new ones.
    let unwritable = VerifyOptions {
        mode: VerifyMode::PrivateCopy,
        copies: Some("/proc".into()),
    };

    for options in [nowhere, unwritable] {
        let tried = options.try_out().unwrap_err();
        assert!(
            matches!(tried, VerifyError::Unsupported { .. }),
            "{tried:?}"
        );
        let error = VerifiedExecutable::open(&stage.file, &stage.identity, &options).unwrap_err();

        let VerifyError::Unsupported { refusals, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(refusals.len(), 1);
        assert_eq!(refusals[0].method, Method::PrivateCopy);
        let said = error.to_string();
        assert!(
            said.contains("is unsupported here (private-copy: "),
            "{said}"
        );
    }
}
