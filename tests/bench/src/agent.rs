//! The agents that are run: this program, told to be one.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};

use anyhow::{Context as _, bail};

/// Bytes that are written at once: what a pipe holds.
const BLOCK: usize = 64 * 1024;

/// Is an agent.
pub(crate) fn run(role: &[&str]) -> anyhow::Result<()> {
    match role {
        ["echo"] => echo().context("cannot echo"),
        ["burst", bytes] => burst(bytes.parse()?).context("cannot write"),
        ["exit"] => Ok(()),
        _ => bail!("no such agent"),
    }
}

/// Says each line that it hears, until it hears no more.
fn echo() -> io::Result<()> {
    let mut input = BufReader::with_capacity(BLOCK, io::stdin());
    let mut output = io::stdout();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        output.write_all(&line)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

/// Says this many bytes, then waits for the end of what it hears.
fn burst(bytes: usize) -> io::Result<()> {
    let block = vec![b'x'; BLOCK];
    let mut output = io::stdout();
    let mut left = bytes;
    while left > 0 {
        let count = left.min(block.len());
        output.write_all(&block[..count])?;
        left -= count;
    }
    output.flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
