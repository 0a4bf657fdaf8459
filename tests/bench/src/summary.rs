//! Summarising a tape.

use std::hint::black_box;

use cassette_format::summary::Summary;

use crate::case::Case;
use crate::cost::Cost;

/// Summarises the tape, which is loaded already.
pub(crate) fn summarise(case: &Case) -> anyhow::Result<Cost> {
    let tape = case.tape()?;
    let (took, summary) = Cost::of(|| Ok(Summary::of(&tape, case.registry())))?;
    black_box(summary);
    Ok(took)
}
