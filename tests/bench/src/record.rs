//! Recording what is on a tape once more, and the least that writing it could be.

use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::ensure;
use base64::Engine as _;
use cassette_format::process::FrameEvent;
use cassette_format::schema::CassetteStatus;
use cassette_record::{Clock, RecordOptions, Recorder, Tap};
use sha2::{Digest as _, Sha256};

use crate::case::Case;
use crate::cost::Cost;
use crate::materials::{Passing, Step, launch};
use crate::quickest::BASE64;

/// Records the traffic of a host that works elsewhere and has five secrets.
pub(crate) fn record(case: &Case) -> anyhow::Result<Cost> {
    let steps = &case.materials()?.elsewhere;
    let scratch = tempfile::tempdir()?;
    let (recorder, taps) = recorder(case, scratch.path())?;
    let (took, ()) = Cost::of(|| pass(&taps, steps))?;
    drop(taps);
    recorder.finish()?;
    Ok(took)
}

/// Ends a recording of the same: what it takes from the last frame to the complete cassette.
pub(crate) fn finish(case: &Case) -> anyhow::Result<Cost> {
    let steps = &case.materials()?.elsewhere;
    let scratch = tempfile::tempdir()?;
    let (recorder, taps) = recorder(case, scratch.path())?;
    pass(&taps, steps)?;
    let (took, status) = Cost::of(|| {
        drop(taps);
        Ok(recorder.finish()?)
    })?;
    ensure!(
        status == CassetteStatus::Complete,
        "the recording is not complete"
    );
    Ok(took)
}

/// Writes a line of base64 a payload, and hashes it.
pub(crate) fn write(case: &Case) -> anyhow::Result<Cost> {
    let steps = &case.materials()?.elsewhere;
    let scratch = tempfile::tempdir()?;
    let (took, digest) = Cost::of(|| {
        let mut file = File::create(scratch.path().join("least"))?;
        let mut hash = Sha256::new();
        let mut line = String::new();
        for step in steps {
            line.clear();
            BASE64.encode_string(payload(step), &mut line);
            line.push('\n');
            hash.update(line.as_bytes());
            file.write_all(line.as_bytes())?;
        }
        Ok(hash.finalize())
    })?;
    black_box(digest);
    Ok(took)
}

/// Syncs a file that was just written, with the tape's bytes, and its directory.
pub(crate) fn sync(case: &Case) -> anyhow::Result<Cost> {
    let stored = &case.materials()?.stored;
    let scratch = tempfile::tempdir()?;
    let mut file = File::create(scratch.path().join("least"))?;
    file.write_all(stored)?;
    let (took, ()) = Cost::of(|| {
        file.sync_all()?;
        Ok(File::open(scratch.path())?.sync_all()?)
    })?;
    Ok(took)
}

fn recorder(case: &Case, scratch: &Path) -> anyhow::Result<(Recorder, Vec<Tap>)> {
    let options = RecordOptions {
        clock: Some(Clock::from_fn(|| Duration::from_millis(1234))),
        ..RecordOptions::default()
    };
    let registry = case.registry().clone();
    let recorder = Recorder::create(scratch.join("tape"), registry, options)?;
    let records = &case.manifest().connections;
    let taps = records.iter().map(|record| recorder.tap(&launch(record)));
    let taps = taps.collect::<Result<_, _>>()?;
    Ok((recorder, taps))
}

fn pass(taps: &[Tap], steps: &[Step]) -> anyhow::Result<()> {
    for step in steps {
        let tap = &taps[step.connection];
        match &step.what {
            Passing::Sent(bytes) => tap.outbound(bytes)?,
            Passing::Received(frame) => drop(tap.inbound(frame)?),
        }
    }
    Ok(())
}

fn payload(step: &Step) -> &[u8] {
    match &step.what {
        Passing::Sent(bytes) => bytes,
        Passing::Received(frame) => match &frame.event {
            FrameEvent::Stdout(bytes) | FrameEvent::Stderr(bytes) => bytes,
            _ => &[],
        },
    }
}
