//! Every capture through a recorder: its pieces in their order, as they were written and
//! read, and cut anew.

use std::path::Path;

use cassette_format::portable::Rules;
use cassette_format::process::{Frame, Inheritance, Launch, LaunchSpec, SessionContext};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{RecordOptions, Recorder, audit};

use crate::capture::{Capture, Stream, all};

/// How the pieces are cut.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cuts {
    AsCaptured,
    /// Into pieces of so many bytes.
    Each(usize),
}

/// Records a capture; gives the portable bytes of both directions, or why it was
/// refused.
pub(crate) fn record(
    capture: &Capture,
    dir: &Path,
    cuts: Cuts,
) -> Result<(Vec<u8>, Vec<u8>), String> {
    let options = RecordOptions::default();
    let recorder = Recorder::create(dir, provider_adapters::builtin(), options).unwrap();
    let session = SessionContext::new(
        capture.provider.parse().unwrap(),
        "session-1".parse().unwrap(),
    );
    let mut spec = LaunchSpec::new(["agent"]).in_directory(&capture.cwd);
    spec.inheritance = Inheritance::Clear;
    for (name, value) in &capture.variables {
        spec = spec.with_variable(name, value);
    }
    let tap = recorder.tap(&Launch::for_session(spec, session)).unwrap();
    let told = |failure: cassette_format::process::Failure| {
        let cause = std::error::Error::source(&failure).map(ToString::to_string);
        format!("{failure}: {}", cause.unwrap_or_default())
    };
    for (stream, piece) in &capture.pieces {
        let size = match cuts {
            Cuts::AsCaptured => piece.len().max(1),
            Cuts::Each(size) => size,
        };
        for piece in piece.chunks(size) {
            match stream {
                Stream::Outbound => tap.outbound(piece).map_err(told)?,
                Stream::Stdout => drop(tap.inbound(&Frame::stdout(piece)).map_err(told)?),
                Stream::Stderr => drop(tap.inbound(&Frame::stderr(piece)).map_err(told)?),
            }
        }
    }
    tap.close().map_err(told)?;
    recorder.finish().unwrap();

    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    let findings = audit(
        dir,
        &provider_adapters::builtin(),
        &ReadOptions::default(),
        &Rules::default(),
    );
    assert_eq!(findings.unwrap(), [], "{}", capture.name);
    let of = |kind: &str| -> Vec<u8> {
        let chunks = tape.chunks().filter(|chunk| chunk.kind().as_str() == kind);
        chunks.flat_map(|chunk| chunk.data().unwrap()).collect()
    };
    Ok((of("outbound"), of("stdout")))
}

#[test]
fn every_capture_is_recorded_verified_and_audited_however_it_is_cut() {
    let Some(captures) = all() else {
        return;
    };
    let mut refused = Vec::new();
    for capture in &captures {
        let scratch = tempfile::tempdir().unwrap();
        let outcome = record(capture, &scratch.path().join("captured"), Cuts::AsCaptured);
        let total: usize = capture.pieces.iter().map(|(_, piece)| piece.len()).sum();
        // Single bytes of a large capture are more lines than a tape holds.
        let sizes = [1, 61, 4096]
            .into_iter()
            .filter(|size| total / size < 60_000);
        for size in sizes {
            let dir = scratch.path().join(size.to_string());
            let cut = record(capture, &dir, Cuts::Each(size));
            assert!(cut == outcome, "{} cut to {size}", capture.name);
        }
        match outcome {
            Ok((outbound, stdout)) => {
                let named = |text: &str| {
                    let text = text.as_bytes();
                    memchr::memmem::find(&outbound, text).is_some()
                        || memchr::memmem::find(&stdout, text).is_some()
                };
                let left = if named(&capture.cwd) {
                    "in free text"
                } else {
                    "nowhere"
                };
                println!(
                    "{:<40} {:>8} B out {:>8} B in, working directory left {left}",
                    capture.name,
                    outbound.len(),
                    stdout.len(),
                );
            }
            Err(reason) => {
                println!("{:<40} refused: {reason}", capture.name);
                refused.push(capture.name.as_str());
            }
        }
    }
    assert_eq!(
        refused,
        ["mcp-filesystem"],
        "refused for a reason that is right"
    );
}
