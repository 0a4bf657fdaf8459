//! What a command has found, on standard output: as a text, or as one JSON
//! object in one line.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};

use anyhow::Context;
use serde::Serialize;

/// The version of the JSON objects: raised when a member goes or changes its
/// meaning. Members may be added.
pub(crate) const SCHEMA: u32 = 1;

/// In which form a result is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Prints a result in the form that is wanted.
pub(crate) fn print(form: Form, result: &(impl Display + Serialize)) -> anyhow::Result<()> {
    write(|output| match form {
        Form::Text => writeln!(output, "{result}"),
        Form::Json => write_json(output, result),
    })
}

/// Prints a result whose text is not printed by this.
pub(crate) fn print_json(result: &impl Serialize) -> anyhow::Result<()> {
    write(|output| write_json(output, result))
}

/// Has `print` write to standard output.
pub(crate) fn write(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    let written = print(&mut output).and_then(|()| output.flush());
    written.context("cannot write to standard output")
}

fn write_json(output: &mut dyn Write, result: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, result)?;
    writeln!(output)
}
