//! What is made of a damaged tape: it loads, nothing before the damage is lost, and the source
//! stays as it is.
//!
//! An input is a choice of manifest, then `frames.jsonl`.

use std::fs;
use std::path::Path;

use cassette_format::schema::{CassetteStatus, Chunk, Manifest};
use cassette_format::store::{
    CassetteDir, ChunkView, Ending, FRAMES_FILE, LineStream, RawTape, ReadLimits, ReadOptions,
    Tape, TapePrefix, read_line,
};
use cassette_record::{RecoverError, RecoverMode, RecoveryReport, recover as recover_tape};

use crate::cuts::Cuts;
use crate::tape::{Cassette, digest, listing};

/// Any bytes.
pub fn recover(data: &[u8]) {
    let mut choices = Cuts::of(data);
    let choice = choices.byte();
    let frames = choices.rest();
    let manifest = chosen_manifest(choice, frames);
    let options = ReadOptions::default().with_limits(ReadLimits {
        max_frame_bytes: if choice & 4 == 0 { 1 << 20 } else { 24 },
        ..ReadLimits::default()
    });
    let source = Cassette::write(&manifest, frames);
    let before = source.files();
    let damaged = Damaged::read(&source, &options);
    check_lines(&source, &options);
    for mode in [RecoverMode::Strict, RecoverMode::Tail, RecoverMode::Salvage] {
        let to = source.beside(&mode.to_string());
        let outcome = recover_tape(source.path(), &to, mode, &options);
        match &outcome {
            Ok(report) => damaged.check(report, (mode, &to), &options),
            Err(error) => {
                assert!(!CassetteDir::new(&to).is_occupied(), "{error}");
                assert_eq!(mode, RecoverMode::Strict, "{error:?}");
                let is_told =
                    matches!(error, RecoverError::NotWhole { .. } | RecoverError::Open(_));
                assert!(is_told, "{error}");
            }
        }
        if mode == RecoverMode::Strict {
            assert_eq!(outcome.is_ok(), damaged.is_whole(), "{outcome:?}");
        }
    }
    assert!(source.files() == before, "the source was changed");
}

/// Incomplete, complete and true, or complete with other sums.
fn chosen_manifest(choice: u8, frames: &[u8]) -> Manifest {
    let mut manifest = listing("raw");
    if choice & 1 == 1 {
        manifest.status = CassetteStatus::Complete;
        manifest.stored_bytes = frames.len() as u64;
    }
    if choice & 2 == 2 {
        manifest.frames_sha256 = digest(frames);
    }
    manifest
}

/// What readers say of a tape before it is recovered.
struct Damaged {
    frames: Vec<u8>,
    prefix: TapePrefix,
    /// Whether it says that it is complete, and is not.
    is_false: bool,
}

impl Damaged {
    fn read(source: &Cassette, options: &ReadOptions) -> Self {
        let prefix = TapePrefix::open(source.path(), options).expect("only its lines are damaged");
        let (_, frames) = source.files();
        let good = usize::try_from(prefix.good_bytes()).unwrap();
        assert!(frames[..good].ends_with(b"\n") || good == 0);
        let lines = prefix.chunks().map(|chunk| chunk.line().len() + 1);
        assert_eq!(lines.sum::<usize>(), good);
        let told = match prefix.ending() {
            Ending::Torn { offset, bytes } => Some((*offset, *bytes)),
            Ending::Bad { offset, bytes, .. } => Some((*offset, *bytes)),
            _ => None,
        };
        let left = frames.len() - good;
        assert_eq!(told.unwrap_or((good as u64, 0)), (good as u64, left as u64));
        let says_complete = prefix.manifest().status == CassetteStatus::Complete;
        let is_false = says_complete && Tape::open(source.path(), options).is_err();
        Self {
            frames,
            prefix,
            is_false,
        }
    }

    fn is_whole(&self) -> bool {
        matches!(self.prefix.ending(), Ending::Whole) && !self.is_false
    }

    fn check(
        &self,
        report: &RecoveryReport,
        (mode, to): (RecoverMode, &Path),
        options: &ReadOptions,
    ) {
        let tape = Tape::open(to, options).expect("what was recovered loads");
        assert_eq!((report.mode, report.kept_frames), (mode, tape.len() as u64));
        let frames = fs::read(to.join(FRAMES_FILE)).unwrap();
        let dropped: u64 = report.dropped.iter().map(|dropped| dropped.bytes).sum();
        if mode != RecoverMode::Salvage {
            let good = usize::try_from(self.prefix.good_bytes()).unwrap();
            assert_eq!(frames, self.frames[..good]);
            assert_eq!(dropped, (self.frames.len() - good) as u64);
            return;
        }
        let lines = self.frames.split_inclusive(|byte| *byte == b'\n');
        assert_eq!(
            report.kept_frames + report.dropped.len() as u64,
            lines.count() as u64
        );
        let readable = |chunk: ChunkView<'_>| read_line(chunk.line()).ok().map(contents);
        let before: Vec<_> = self.prefix.chunks().filter_map(readable).collect();
        let kept: Vec<_> = tape.chunks().filter_map(readable).collect();
        assert!(
            kept.starts_with(&before),
            "something before the damage was lost"
        );
    }
}

/// A chunk without the numbers that a recovery gives anew.
fn contents(chunk: Chunk) -> impl PartialEq + std::fmt::Debug {
    let Chunk {
        connection_id,
        elapsed,
        kind,
        data,
        exit_code,
        message,
        ..
    } = chunk;
    (connection_id, elapsed, kind, data, exit_code, message)
}

/// Each line reads alike in memory, from the file, and by itself.
fn check_lines(source: &Cassette, options: &ReadOptions) {
    let raw = RawTape::open(source.path(), options).expect("is read whole");
    let dir = CassetteDir::new(source.path());
    let mut stream = LineStream::open(&dir, options).expect("is there");
    let (_, frames) = source.files();
    let mut lines = frames.split_inclusive(|byte| *byte == b'\n');
    let mut offset = 0;
    for (in_memory, extent) in raw.lines().zip(raw.extents()) {
        let text = lines.next().expect("as many lines");
        assert_eq!((extent.offset, extent.bytes), (offset, text.len() as u64));
        offset += extent.bytes;
        let streamed = stream.next_line().expect("as many lines");
        let alone = read_line(text.strip_suffix(b"\n").unwrap_or(text)).ok();
        let in_memory = in_memory.ok().and_then(|line| line.to_chunk().ok());
        let streamed = streamed.ok().and_then(|line| line.to_chunk().ok());
        assert_eq!(in_memory, alone);
        assert_eq!(streamed, alone);
    }
    assert!(stream.next_line().is_none() && lines.next().is_none());
}
