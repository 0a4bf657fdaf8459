//! `cassette verify`: whether cassettes are whole and as they were recorded.

use std::path::Path;
use std::process::ExitCode;

use cassette_format::store::{ChunkDefect, DefectKind, InexactSum, ReadOptions, Tape, TapePrefix};

use crate::arguments::CheckArguments;
use crate::checks::{self, Checked, is_unreadable};

/// Verifies the cassettes, and says what is wrong with each.
pub(crate) fn run(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let registry = arguments.descriptors.registry()?;
    let options = ReadOptions::default().for_providers(registry.providers());
    let what = (arguments.cassettes.as_slice(), arguments.output.form());
    checks::run("verify", what, |cassette| verify(cassette, &options))
}

fn verify(cassette: &Path, options: &ReadOptions) -> Checked {
    let error = match Tape::open(cassette, options) {
        Ok(tape) => return Checked::found(cassette, problems(&tape)),
        Err(error) if is_unreadable(&error) => return Checked::unreadable(cassette, error),
        Err(error) => error,
    };
    let checked = Checked::refused(cassette, error);
    let Ok(prefix) = TapePrefix::open(cassette, options) else {
        return checked;
    };
    let defects = prefix.defects().map(|defect| of_defect(&defect));
    let (chunks, bytes) = (prefix.len(), prefix.good_bytes());
    checked.and(defects).with_note(format!(
        "its first {chunks} chunks ({bytes} bytes) can be read"
    ))
}

/// What is wrong with a tape that loads.
fn problems(tape: &Tape) -> Vec<String> {
    let defects = tape.defects().map(|defect| of_defect(&defect));
    let sums = tape.inexact_sums().iter().map(of_sum);
    defects.chain(sums).collect()
}

fn of_defect(defect: &ChunkDefect) -> String {
    let (line, connection) = (defect.global_seq, &defect.connection_id);
    let what = match &defect.kind {
        DefectKind::UnknownKind(kind) => format!("has the unknown kind {:?}", kind.as_str()),
        DefectKind::UndecodableData => "has data that is no base64".to_owned(),
        DefectKind::MissingExitCode => "is an exit without code".to_owned(),
        _ => "cannot be played".to_owned(),
    };
    format!("line {line} of {connection} {what}")
}

fn of_sum(sum: &InexactSum) -> String {
    let InexactSum {
        kind,
        recorded,
        counted,
    } = sum;
    let kind = kind.as_str();
    format!("storedBytes of {kind:?} is {recorded}, the lines add up to {counted}")
}
