//! The agents that are measured: an echo of lines, one that says much, one that hears much.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};

use sha2::{Digest as _, Sha256};

/// Bytes that are written at once: what a pipe holds.
pub(crate) const BLOCK: usize = 64 * 1024;

/// Says each line that it hears, until it hears no more.
pub(crate) fn echo() {
    let mut input = BufReader::with_capacity(BLOCK, std::io::stdin());
    let mut output = std::io::stdout();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        output.write_all(&line).unwrap();
        output.flush().unwrap();
        line.clear();
    }
}

/// Says this many bytes, then waits for the end of what it hears.
pub(crate) fn burst(bytes: usize) {
    let mut output = std::io::stdout();
    for block in blocks(bytes) {
        output.write_all(&block).unwrap();
        output.flush().unwrap();
    }
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}

/// Hears to the end, then says the digest of it.
pub(crate) fn sink() {
    let mut input = std::io::stdin();
    let mut hash = Sha256::new();
    let mut buffer = vec![0; BLOCK];
    loop {
        match input.read(&mut buffer).unwrap() {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    println!("{}", hex(hash));
}

/// The digest as a text.
pub(crate) fn hex(hash: Sha256) -> String {
    let digest = hash.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// This many bytes of notifications, every tenth with a path, as they are written.
pub(crate) fn blocks(bytes: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut lines = Vec::new();
    for number in 0.. {
        let line = notification(number);
        if lines.len() + line.len() > BLOCK {
            break;
        }
        lines.extend(line);
    }
    let whole = bytes / lines.len();
    let rest = lines[..bytes % lines.len()].to_vec();
    std::iter::repeat_n(lines, whole).chain([rest])
}

fn notification(number: usize) -> Vec<u8> {
    let path = if number.is_multiple_of(10) {
        "/home/ada/work/src/main.rs"
    } else {
        ""
    };
    let text = "some words of an agent, \\\"quoted\\\" and not. ".repeat(11);
    let params = format!("{{\"n\":{number},\"path\":\"{path}\",\"delta\":\"{text}\"}}");
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"item/delta\",\"params\":{params}}}\n").into_bytes()
}
