//! `cassette recover`: a complete cassette of what a crash left.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use cassette_format::store::ReadOptions;
use cassette_record::{RecoveryReport, recover};
use serde::Serialize;

use crate::arguments::RecoverArguments;
use crate::checks::in_full;
use crate::results::{self, SCHEMA};
use crate::sys;

/// Makes the new cassette, and says what was left out.
pub(crate) fn run(arguments: &RecoverArguments) -> anyhow::Result<ExitCode> {
    sys::outlive_size_limit();
    let (from, to) = (&arguments.from, &arguments.to);
    let report = recover(from, to, arguments.mode.into(), &ReadOptions::default())?;
    let recovered = Recovered {
        schema: SCHEMA,
        command: "recover",
        from: from.display().to_string(),
        to: to.display().to_string(),
        mode: report.mode.to_string(),
        kept_frames: report.kept_frames,
        dropped: dropped(report),
    };
    results::print(arguments.output.form(), &recovered)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Recovered {
    schema: u32,
    command: &'static str,
    from: String,
    to: String,
    mode: String,
    kept_frames: u64,
    dropped: Vec<LeftOut>,
}

/// A piece of `frames.jsonl` that is not in the new cassette.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LeftOut {
    offset: u64,
    bytes: u64,
    reason: String,
}

fn dropped(report: RecoveryReport) -> Vec<LeftOut> {
    let left_out = report.dropped.into_iter().map(|dropped| LeftOut {
        offset: dropped.offset,
        bytes: dropped.bytes,
        reason: in_full(dropped.reason),
    });
    left_out.collect()
}

impl Display for Recovered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "recovered to {}: {} frames", self.to, self.kept_frames)?;
        for left_out in &self.dropped {
            let LeftOut {
                offset,
                bytes,
                reason,
            } = left_out;
            write!(f, "\n  left out {bytes} bytes at byte {offset}: {reason}")?;
        }
        Ok(())
    }
}
