//! That the measurements run, whatever they measure.
#![cfg(test)]

use std::path::Path;
use std::process::{Command, Output};

use cassette_format::process::{ExitCode, Frame, Launch, LaunchSpec, SessionContext};
use cassette_record::{RecordOptions, Recorder};

/// Every part, each in a run of its own.
const PARTS: [&str; 4] = ["tape", "bind", "pass-through", "growth"];

#[test]
fn every_part_is_measured_and_told_as_json() {
    for part in PARTS {
        let output = bench(&["--quick", "--json", "--only", part]);

        let text = String::from_utf8(output.stdout).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let (rows, growth) = (&report["rows"], &report["growth"]);
        let measured = rows.as_array().unwrap().len() + growth.as_array().unwrap().len();
        assert!(measured > 0, "{part}: {text}");
        assert_eq!(report["skipped"], serde_json::json!([]), "{part}");
        assert!(report["machine"]["sha_instructions"].is_boolean());
    }
}

#[test]
fn a_tape_that_is_given_is_measured() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    record(&dir);

    let output = bench(&["--quick", "--input", dir.to_str().unwrap()]);

    let text = String::from_utf8(output.stdout).unwrap();
    for what in [
        "load + verify",
        "record",
        "audit",
        "replay, mapped",
        "scan, JSON",
    ] {
        assert!(text.contains(&format!("\n{what}")), "{what}: {text}");
    }
    assert!(!text.contains("skipped"), "{text}");
}

/// A conversation that an agent ended, with a path, a split message and standard error.
fn record(dir: &Path) {
    let registry = provider_adapters::builtin();
    let recorder = Recorder::create(dir, registry, RecordOptions::default()).unwrap();
    let session = SessionContext::new("acp".parse().unwrap(), "session-1".parse().unwrap());
    let spec = LaunchSpec::new(["agent"]).in_directory("/home/ada/work");
    let tap = recorder.tap(&Launch::for_session(spec, session)).unwrap();
    let request = "{\"id\":1,\"method\":\"x\",\"params\":{\"cwd\":\"/home/ada/work/a\"}}\n";
    tap.outbound(request.as_bytes()).unwrap();
    for frame in [
        Frame::stderr("starting\n"),
        Frame::stdout("{\"id\":1,\"result\":"),
        Frame::stdout("{\"path\":\"/home/ada/work/a\"}}\n"),
        Frame::exit(ExitCode::new(0)),
    ] {
        tap.inbound(&frame).unwrap();
    }
    drop(tap);
    recorder.finish().unwrap();
}

fn bench(options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cassette-bench"));
    let output = command.args(options).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
