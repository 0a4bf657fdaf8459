//! A cassette's verified chunks.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::directory::{CassetteDir, read_regular};
use super::frame_index::{ChunkDefect, ChunkView, FrameIndex};
use super::indexer::{Indexer, Totals};
use super::line_pass::index_all;
use super::load::{FramesFile, Loaded};
use super::manifest_reader::{read_manifest, read_versions};
use super::open_error::{OpenError, Sum};
use super::read_options::ReadOptions;
use crate::schema::{
    CaptureOrigin, CassetteStatus, ChunkKind, ConnectionId, GlobalSeq, KindStats, Manifest,
    ProjectionVersion, SchemaVersion,
};

/// A complete cassette, loaded and verified: there is no other way to get one.
///
/// Holds `frames.jsonl` as one buffer; chunks are views into it. Memory: the
/// file, 28 bytes a chunk, the manifest.
#[derive(Debug)]
pub struct Tape {
    manifest: Manifest,
    index: FrameIndex,
    inexact_sums: Vec<InexactSum>,
}

/// A `framesByKind.<kind>.storedBytes` that is not what the lines add up to.
/// Nothing that is played depends on it, and what the reference loads has it,
/// so it does not keep a tape from loading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InexactSum {
    /// The kind.
    pub kind: ChunkKind,
    /// The sum in the manifest.
    pub recorded: u64,
    /// The sum of the lines, each with its line feed.
    pub counted: u64,
}

impl Tape {
    /// Loads the cassette in the directory `dir` and verifies it.
    ///
    /// The checks run in this order, and the first that fails is the error:
    /// manifest, schema version, projection version, status, digest; provider
    /// and capture origin of each connection; each line with its global
    /// sequence; frame count; ordinal, duplicate and chunk sequence of each
    /// connection; connections that are not listed; sums; payload limit; times.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(dir: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, OpenError> {
        let dir = CassetteDir::new(dir.as_ref());
        let path = dir.manifest_path();
        let manifest = open_manifest(&path, options)?;
        if manifest.status != CassetteStatus::Complete {
            return Err(OpenError::Status {
                path,
                found: manifest.status,
            });
        }
        let frames = dir.frames_path();
        let file = FramesFile::open(&frames, options.limits.max_stored_bytes)?;
        let mut indexer = Indexer::new(&frames, &options.limits, &manifest, file.size());
        let Loaded {
            bytes,
            digest,
            done: indexed,
        } = file.load(|pieces| index_all(pieces, &mut indexer))?;
        if digest != manifest.frames_sha256 {
            let (recorded, actual) = (manifest.frames_sha256, digest);
            return Err(OpenError::Digest {
                path: frames,
                recorded,
                actual,
            });
        }
        check_connections(&path, &manifest, options)?;
        let mut late = indexed?;
        let lines = indexer.lines();
        let stored = bytes.len() as u64;
        let (index, totals) = indexer.finish(bytes);
        if lines != manifest.frame_count {
            let (found, recorded) = (lines, manifest.frame_count);
            return Err(OpenError::FrameCount {
                path: frames,
                found,
                recorded,
            });
        }
        check_launches(&path, &manifest, &mut late.sequences)?;
        late.unlisted.map_or(Ok(()), Err)?;
        let inexact_sums = check_sums(&path, &manifest, stored, &totals)?;
        late.too_large.map_or(Ok(()), Err)?;
        late.elapsed.map_or(Ok(()), Err)?;
        Ok(Self {
            manifest,
            index,
            inexact_sums,
        })
    }

    /// The manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many chunks there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no chunk.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.index.len() == 0
    }

    /// The chunk at this position of the tape.
    #[must_use]
    pub fn chunk(&self, at: GlobalSeq) -> Option<ChunkView<'_>> {
        self.index
            .chunk(usize::try_from(at.get().checked_sub(1)?).ok()?)
    }

    /// All chunks, in order.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = ChunkView<'_>> {
        self.index.chunks()
    }

    /// The chunks of one connection, in order; none when it is not listed.
    pub fn connection_chunks<'t>(
        &'t self,
        connection: &ConnectionId,
    ) -> impl ExactSizeIterator<Item = ChunkView<'t>> + use<'t> {
        self.index.connection_chunks(connection)
    }

    /// Sums by kind that are not exact.
    #[must_use]
    pub fn inexact_sums(&self) -> &[InexactSum] {
        &self.inexact_sums
    }

    /// The chunks that load and would fail when played.
    pub fn defects(&self) -> impl Iterator<Item = ChunkDefect> {
        self.index.defects()
    }
}

/// Reads the manifest at `path` and checks its versions.
pub(super) fn open_manifest(path: &Path, options: &ReadOptions) -> Result<Manifest, OpenError> {
    let text = read_regular(path, options.limits.max_manifest_bytes)?;
    let no_manifest = |source| OpenError::Manifest {
        path: path.to_owned(),
        source,
    };
    let (schema, projection) = read_versions(&text).map_err(no_manifest)?;
    if schema != SchemaVersion::CURRENT {
        return Err(OpenError::SchemaVersion {
            path: path.to_owned(),
            found: schema,
            supported: SchemaVersion::CURRENT,
        });
    }
    if projection != ProjectionVersion::CURRENT {
        return Err(OpenError::ProjectionVersion {
            path: path.to_owned(),
            found: projection,
            supported: ProjectionVersion::CURRENT,
        });
    }
    read_manifest(&text).map_err(no_manifest)
}

/// Checks providers and capture origins, connection by connection.
pub(super) fn check_connections(
    path: &Path,
    manifest: &Manifest,
    options: &ReadOptions,
) -> Result<(), OpenError> {
    for record in &manifest.connections {
        let (path, connection_id) = (path.to_owned(), record.connection_id.clone());
        let known = options.providers.as_ref();
        if known.is_some_and(|known| !known.contains(&record.provider)) {
            let provider = record.provider.clone();
            return Err(OpenError::UnknownProvider {
                path,
                connection_id,
                provider,
            });
        }
        if matches!(record.capture_origin, CaptureOrigin::Unknown(_)) {
            let found = record.capture_origin.clone();
            return Err(OpenError::CaptureOrigin {
                path,
                connection_id,
                found,
            });
        }
    }
    Ok(())
}

/// Checks ordinals and duplicates and reports gaps, connection by connection.
pub(super) fn check_launches(
    path: &Path,
    manifest: &Manifest,
    sequences: &mut HashMap<usize, OpenError>,
) -> Result<(), OpenError> {
    let mut launches = BTreeMap::new();
    let mut ids = HashMap::new();
    for (at, record) in manifest.connections.iter().enumerate() {
        let connection_id = &record.connection_id;
        if record.launch_ordinal.get() == 0 {
            let (connection_id, found) = (connection_id.clone(), record.launch_ordinal);
            return Err(OpenError::LaunchOrdinal {
                path: path.to_owned(),
                connection_id,
                found,
            });
        }
        let launch = (
            &record.agent_session,
            &record.provider,
            record.launch_ordinal,
        );
        if let Some(first) = launches.insert(launch, connection_id) {
            let (first, second) = (first.clone(), connection_id.clone());
            return Err(OpenError::DuplicateConnection {
                path: path.to_owned(),
                first,
                second,
            });
        }
        if let Some(first) = ids.insert(connection_id, at + 1) {
            return Err(OpenError::DuplicateConnectionId {
                path: path.to_owned(),
                connection_id: connection_id.clone(),
                first,
                second: at + 1,
            });
        }
        if let Some(gap) = sequences.remove(&at) {
            return Err(gap);
        }
    }
    Ok(())
}

fn check_sums(
    path: &Path,
    manifest: &Manifest,
    stored_bytes: u64,
    totals: &Totals,
) -> Result<Vec<InexactSum>, OpenError> {
    let check = |sum: Sum, recorded: u64, counted: u64| {
        if recorded == counted {
            return Ok(());
        }
        Err(OpenError::Sum {
            path: path.to_owned(),
            sum,
            recorded,
            counted,
        })
    };
    check(Sum::StoredBytes, manifest.stored_bytes, stored_bytes)?;
    check(
        Sum::PayloadBytes,
        manifest.payload_bytes,
        totals.payload_bytes,
    )?;
    let (recorded, counted) = (&manifest.frames_by_kind, &totals.kinds);
    let mut kinds: Vec<&ChunkKind> = recorded.keys().chain(counted.keys()).collect();
    kinds.sort();
    kinds.dedup();
    let mut inexact = Vec::new();
    for kind in kinds {
        let stats = |map: &BTreeMap<_, KindStats>| map.get(kind).copied().unwrap_or_default();
        let (recorded, counted) = (stats(recorded), stats(counted));
        let named = |sum: fn(ChunkKind) -> Sum| sum(kind.clone());
        check(
            named(Sum::KindFrameCount),
            recorded.frame_count,
            counted.frame_count,
        )?;
        check(
            named(Sum::KindPayloadBytes),
            recorded.payload_bytes,
            counted.payload_bytes,
        )?;
        let (recorded, counted) = (recorded.stored_bytes, counted.stored_bytes);
        if recorded != counted {
            inexact.push(InexactSum {
                kind: kind.clone(),
                recorded,
                counted,
            });
        }
    }
    Ok(inexact)
}
