//! Making a complete cassette of what a crash left.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use cassette_format::schema::{
    CassetteStatus, Chunk, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, Manifest, Origin,
    RecoveryNote,
};
use cassette_format::store::{
    Ending, OpenError, RawTape, ReadOptions, Tape, TapePrefix, UndecodableData,
};

use crate::tape_copy::{CopyError, TapeCopy};

/// How much of a damaged tape is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoverMode {
    /// All of it, or nothing: a tape with a torn or bad line is refused, and so is one
    /// that says it is complete and does not verify.
    Strict,
    /// The longest beginning of whole, sound, consecutive lines. What is behind it is
    /// left out and told of.
    Tail,
    /// Every line that reads as a chunk of a listed connection, renumbered. What was
    /// between them may be missing: such a cassette is for looking at, and need not
    /// play.
    Salvage,
}

/// What a recovery took and left.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecoveryReport {
    /// How it was done.
    pub mode: RecoverMode,
    /// Chunks in the new cassette.
    pub kept_frames: u64,
    /// What was left out, in the order of the file.
    pub dropped: Vec<Dropped>,
}

/// A piece of a damaged tape that was left out.
#[derive(Debug)]
#[non_exhaustive]
pub struct Dropped {
    /// Where it starts, in bytes from the start of `frames.jsonl`.
    pub offset: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Why.
    pub reason: DropReason,
}

/// Why a piece of a tape was left out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DropReason {
    /// The last line lacks its line feed.
    #[error("the last line is torn")]
    Torn,
    /// It does not read as a sound chunk; names the line.
    #[error("a line is no sound chunk")]
    Line(#[from] OpenError),
    /// Its data is no base64.
    #[error("a line's data cannot be decoded")]
    Data(#[from] UndecodableData),
    /// It holds more bytes than readers take.
    #[error("a line holds {bytes} bytes, the limit is {limit}")]
    FrameTooLarge {
        /// Its payload.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// It says that it came after more time than readers take.
    #[error("a line's time of {found} ms is over the limit of {limit} ms")]
    Elapsed {
        /// The time.
        found: ElapsedMs,
        /// The limit.
        limit: ElapsedMs,
    },
    /// The manifest does not list its connection.
    #[error("a line names {connection_id}, which is not listed")]
    Unlisted {
        /// The connection.
        connection_id: ConnectionId,
    },
}

/// Nothing was recovered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoverError {
    /// The tape cannot be read at all.
    #[error("cannot read the cassette")]
    Open(#[from] OpenError),
    /// The tape is not whole, and all or nothing was asked for.
    #[error("{bytes} bytes from byte {offset} on are not sound")]
    NotWhole {
        /// Where they start, in bytes from the start of `frames.jsonl`.
        offset: u64,
        /// How many.
        bytes: u64,
        /// Why.
        #[source]
        reason: Box<DropReason>,
    },
    /// The new cassette was not written.
    #[error("cannot write the recovered cassette")]
    Copy(#[from] CopyError),
}

/// Makes a complete cassette in `to` of the one in `from`, whatever its status.
/// `from` is not changed; `to` must hold no cassette. Lines are taken as they are, so
/// what a recording's last scan for secrets would have refused is in the new cassette
/// too. The manifest of the new one says
/// what was done, and keeps fields that this version does not know.
///
/// # Errors
/// See [`RecoverError`].
pub fn recover(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
    mode: RecoverMode,
    options: &ReadOptions,
) -> Result<RecoveryReport, RecoverError> {
    match mode {
        RecoverMode::Salvage => salvage(from.as_ref(), to.as_ref(), options),
        _ => beginning(from.as_ref(), to.as_ref(), mode, options),
    }
}

/// Takes the longest sound beginning, its lines as they are.
fn beginning(
    from: &Path,
    to: &Path,
    mode: RecoverMode,
    options: &ReadOptions,
) -> Result<RecoveryReport, RecoverError> {
    let recorded = TapePrefix::open(from, options)?;
    let claims_to_be_whole = recorded.manifest().status == CassetteStatus::Complete;
    match Tape::open(from, options) {
        Ok(tape) => return whole(&tape, to, mode),
        Err(error) if claims_to_be_whole && mode == RecoverMode::Strict => {
            return Err(error.into());
        }
        // Incomplete, or no longer what it was.
        Err(_) => {}
    }
    let (prefix, ending) = recorded.split_ending();
    let dropped = match (mode, dropped(ending)) {
        (RecoverMode::Strict, Some(dropped)) => {
            return Err(RecoverError::NotWhole {
                offset: dropped.offset,
                bytes: dropped.bytes,
                reason: Box::new(dropped.reason),
            });
        }
        (_, dropped) => dropped,
    };
    let mut copy = TapeCopy::create(to)?;
    let mut line = Vec::new();
    for chunk in prefix.chunks() {
        line.clear();
        line.extend_from_slice(chunk.line());
        line.push(b'\n');
        copy.line(&line, (&chunk.kind(), chunk.payload_bytes()))?;
    }
    let manifest = prefix.manifest().clone();
    finish(copy, manifest, mode, dropped.into_iter().collect())
}

/// Takes a tape that verifies, all of its lines as they are.
fn whole(tape: &Tape, to: &Path, mode: RecoverMode) -> Result<RecoveryReport, RecoverError> {
    let mut copy = TapeCopy::create(to)?;
    let mut line = Vec::new();
    for chunk in tape.chunks() {
        line.clear();
        line.extend_from_slice(chunk.line());
        line.push(b'\n');
        copy.line(&line, (&chunk.kind(), chunk.payload_bytes()))?;
    }
    finish(copy, tape.manifest().clone(), mode, Vec::new())
}

pub(crate) fn dropped(ending: Ending) -> Option<Dropped> {
    match ending {
        Ending::Torn { offset, bytes } => Some(Dropped {
            offset,
            bytes,
            reason: DropReason::Torn,
        }),
        Ending::Bad {
            offset,
            bytes,
            error,
        } => Some(Dropped {
            offset,
            bytes,
            reason: error.into(),
        }),
        _ => None,
    }
}

/// Takes every line that reads as a chunk.
fn salvage(from: &Path, to: &Path, options: &ReadOptions) -> Result<RecoveryReport, RecoverError> {
    // What is wrong with the manifest cannot be left out.
    let checked = TapePrefix::open(from, options)?;
    drop(checked);
    let tape = RawTape::open(from, options)?;
    let listed = tape.manifest().connections.iter();
    let mut counts: HashMap<ConnectionId, ChunkSeq> = listed
        .map(|record| (record.connection_id.clone(), ChunkSeq::new(0)))
        .collect();
    let mut copy = TapeCopy::create(to)?;
    let mut dropped = Vec::new();
    for (line, text) in tape.lines().zip(tape.extents()) {
        let chunk = match (line, text.is_torn) {
            (_, true) => Err(DropReason::Torn),
            (Err(error), _) => Err(error.into()),
            (Ok(line), _) => line.to_chunk().map_err(DropReason::from),
        };
        let kept = chunk.and_then(|mut chunk| {
            check(&chunk, options)?;
            let count = counts.get_mut(&chunk.connection_id);
            let count = count.ok_or_else(|| DropReason::Unlisted {
                connection_id: chunk.connection_id.clone(),
            })?;
            *count = count.next();
            chunk.chunk_seq = *count;
            chunk.global_seq = GlobalSeq::new(copy.totals().frames() + 1);
            Ok(chunk)
        });
        match kept {
            Ok(chunk) => copy.chunk(&chunk)?,
            Err(reason) => dropped.push(Dropped {
                offset: text.offset,
                bytes: text.bytes,
                reason,
            }),
        }
    }
    finish(copy, tape.manifest().clone(), RecoverMode::Salvage, dropped)
}

/// What no reader would take.
fn check(chunk: &Chunk, options: &ReadOptions) -> Result<(), DropReason> {
    let (bytes, limit) = (chunk.payload_bytes(), options.limits.max_frame_bytes);
    if bytes > limit {
        return Err(DropReason::FrameTooLarge { bytes, limit });
    }
    let (found, limit) = (chunk.elapsed, ElapsedMs::MAX);
    if found > limit {
        return Err(DropReason::Elapsed { found, limit });
    }
    Ok(())
}

fn finish(
    copy: TapeCopy,
    mut manifest: Manifest,
    mode: RecoverMode,
    dropped: Vec<Dropped>,
) -> Result<RecoveryReport, RecoverError> {
    let kept_frames = copy.totals().frames();
    let annotations = &mut manifest.annotations;
    annotations.origin = Some(Origin::Recovered);
    annotations.recovery = Some(RecoveryNote {
        mode: mode.to_string(),
        kept_frames,
        dropped_bytes: dropped.iter().map(|dropped| dropped.bytes).sum(),
        reason: dropped
            .first()
            .map(|dropped| dropped.reason.to_string())
            .unwrap_or_default(),
        ..RecoveryNote::default()
    });
    copy.finish(manifest)?;
    Ok(RecoveryReport {
        mode,
        kept_frames,
        dropped,
    })
}

impl fmt::Display for RecoverMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Strict => "strict",
            Self::Tail => "tail",
            Self::Salvage => "salvage",
        })
    }
}
