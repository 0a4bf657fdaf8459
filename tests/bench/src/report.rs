//! The figures for programs: one document with those of every pair.

use std::io::Write;

use serde::Serialize;

use crate::growth::Growth;
use crate::machine::Machine;
use crate::row::Row;

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Where, and of which commit.
    pub(crate) machine: Machine,
    /// The lines of the table; times in seconds.
    pub(crate) rows: Vec<Row>,
    /// How costs grow; times in seconds.
    pub(crate) growth: Vec<Growth>,
    /// What was not measured, and why.
    pub(crate) skipped: Vec<String>,
}

impl Report {
    /// Writes the document.
    pub(crate) fn write(&self, mut out: impl Write) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        Ok(writeln!(out)?)
    }
}
