//! The chunks of a cassette that nothing is known of: of its directory, or of
//! `frames.jsonl` alone.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use cassette_format::descriptor::{Dialect, MessageFraming, Registry};
use cassette_format::schema::{Chunk, ConnectionId, MAX_STORED_BYTES};
use cassette_format::store::{RawTape, ReadOptions, read_line};

use crate::checks::in_full;

/// The lines of a cassette, and what is known of its connections.
pub(crate) struct Lines {
    /// Each line, or why it is no chunk.
    pub(crate) chunks: Vec<Result<Chunk, String>>,
    /// How the messages of the connections are to be read, where that is known.
    pub(crate) protocols: HashMap<ConnectionId, (MessageFraming, Dialect)>,
}

impl Lines {
    /// Reads the lines of a cassette's directory, or of a file as a `frames.jsonl` is.
    pub(crate) fn read(path: &Path, registry: &Registry) -> anyhow::Result<Self> {
        if fs::metadata(path).is_ok_and(|found| found.is_file()) {
            Self::of_file(path)
        } else {
            Self::of_directory(path, registry)
        }
    }

    fn of_directory(dir: &Path, registry: &Registry) -> anyhow::Result<Self> {
        let tape = RawTape::open(dir, &ReadOptions::default())?;
        let mut protocols = HashMap::new();
        for record in &tape.manifest().connections {
            if let Some(known) = registry.by_provider(&record.provider) {
                let protocol = (known.framing, known.dialect);
                protocols.insert(record.connection_id.clone(), protocol);
            }
        }
        let chunks = tape.lines().map(|line| {
            let line = line.map_err(in_full)?;
            line.to_chunk().map_err(in_full)
        });
        Ok(Self {
            chunks: chunks.collect(),
            protocols,
        })
    }

    /// The manifest is not looked for: what a version control system has of the file
    /// lies in a directory of its own.
    fn of_file(path: &Path) -> anyhow::Result<Self> {
        let unread = || format!("cannot read {}", path.display());
        let mut bytes = Vec::new();
        let file = File::open(path).with_context(unread)?;
        let read = file.take(MAX_STORED_BYTES + 1).read_to_end(&mut bytes);
        let read = read.with_context(unread)? as u64;
        let path = path.display();
        ensure!(
            read <= MAX_STORED_BYTES,
            "{path} has more than {MAX_STORED_BYTES} bytes"
        );
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').zip(1..);
        let chunks = lines.map(|(line, number): (&[u8], u64)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            read_line(line).map_err(|error| format!("{path}:{number}: {}", in_full(error)))
        });
        Ok(Self {
            chunks: chunks.collect(),
            protocols: HashMap::new(),
        })
    }
}
