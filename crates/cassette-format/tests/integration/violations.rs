//! Every way to break a sound cassette, and the error that each one is.

use std::fs;
use std::path::PathBuf;

use cassette_format::schema::{
    CaptureOrigin, CassetteStatus, ChunkSeq, ConnectionId, ElapsedMs, FramesDigest, GlobalSeq,
    LaunchOrdinal, ProjectionVersion, ProviderId, SchemaVersion,
};
use cassette_format::store::{
    OpenError, ReadLimits, ReadOptions, Sum, read_line, read_manifest, write_manifest,
};

use crate::tape_files::{Draft, OnDisk, digest, small_limits};

/// One way to break a cassette. In the order in which a reader checks, so that
/// of two the earlier one is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Violation {
    ManifestMissing,
    ManifestTooLarge,
    ManifestNotJson,
    SchemaVersion,
    ProjectionVersion,
    Status,
    FramesMissing,
    FramesTooLarge,
    Digest,
    Provider,
    CaptureOrigin,
    LineTooLong,
    LineNotJson,
    GlobalSequence,
    FrameCount,
    LaunchOrdinal,
    DuplicateConnection,
    ChunkSequence,
    Unlisted,
    StoredBytes,
    PayloadBytes,
    KindFrameCount,
    KindPayloadBytes,
    FrameTooLarge,
    Elapsed,
}

/// All of them, in that order.
pub(crate) const IN_ORDER: [Violation; 25] = [
    Violation::ManifestMissing,
    Violation::ManifestTooLarge,
    Violation::ManifestNotJson,
    Violation::SchemaVersion,
    Violation::ProjectionVersion,
    Violation::Status,
    Violation::FramesMissing,
    Violation::FramesTooLarge,
    Violation::Digest,
    Violation::Provider,
    Violation::CaptureOrigin,
    Violation::LineTooLong,
    Violation::LineNotJson,
    Violation::GlobalSequence,
    Violation::FrameCount,
    Violation::LaunchOrdinal,
    Violation::DuplicateConnection,
    Violation::ChunkSequence,
    Violation::Unlisted,
    Violation::StoredBytes,
    Violation::PayloadBytes,
    Violation::KindFrameCount,
    Violation::KindPayloadBytes,
    Violation::FrameTooLarge,
    Violation::Elapsed,
];

/// A cassette with violations planted.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) draft: Draft,
    pub(crate) disk: OnDisk,
    pub(crate) options: ReadOptions,
}

/// The longest line and payload that the options allow.
const LIMITS: fn() -> ReadLimits = small_limits;

/// Plants `violations` in `draft`, which has at least three connections, two
/// chunks in the last of them and five lines.
pub(crate) fn plant(mut draft: Draft, violations: &[Violation]) -> Broken {
    for violation in violations {
        plant_in_lines(&mut draft, *violation);
    }
    draft.seal();
    for violation in violations {
        plant_in_manifest(&mut draft, *violation);
    }
    let mut manifest = write_manifest(&draft.manifest);
    let mut frames = draft.frames();
    if violations.contains(&Violation::ManifestNotJson) {
        manifest.truncate(manifest.len() - 3);
    }
    if violations.contains(&Violation::ManifestTooLarge) {
        manifest.resize(LIMITS().max_manifest_bytes as usize + 1, b' ');
    }
    if violations.contains(&Violation::FramesTooLarge) {
        frames.resize(LIMITS().max_stored_bytes as usize + 1, b'\n');
    }
    let disk = OnDisk::of(manifest, frames);
    if violations.contains(&Violation::ManifestMissing) {
        fs::remove_file(disk.manifest()).unwrap();
    }
    if violations.contains(&Violation::FramesMissing) {
        fs::remove_file(disk.frames()).unwrap();
    }
    let known = ["codex", "claude-code"].map(ProviderId::from_recorded);
    let options = ReadOptions::default()
        .with_limits(LIMITS())
        .for_providers(known);
    Broken {
        draft,
        disk,
        options,
    }
}

fn plant_in_lines(draft: &mut Draft, violation: Violation) {
    let last_connection = draft.manifest.connections.len() - 1;
    let last_id = draft.manifest.connections[last_connection]
        .connection_id
        .clone();
    let line_count = draft.lines.len();
    match violation {
        Violation::LineTooLong => {
            let padding = format!("\"padding\":\"{}\",", "x".repeat(512));
            draft.lines[0].text.splice(1..1, padding.into_bytes());
        }
        Violation::LineNotJson => draft.lines[1].text.truncate(20),
        Violation::GlobalSequence => {
            draft.lines[2].rewrite(|chunk| chunk.global_seq = GlobalSeq::new(2));
        }
        Violation::ChunkSequence => {
            let of_last = |line: &&mut _| belongs(line, &last_id);
            let line = draft.lines.iter_mut().rev().find(of_last).unwrap();
            line.rewrite(|chunk| chunk.chunk_seq = ChunkSeq::new(100));
        }
        Violation::Unlisted => {
            draft.lines[line_count - 1].rewrite(|chunk| {
                chunk.connection_id = ConnectionId::from_recorded("ghost");
            });
        }
        Violation::FrameTooLarge => draft.lines[line_count - 2].rewrite(|chunk| {
            chunk.data = vec![b'x'; 60];
            chunk.message = "12345".into();
        }),
        Violation::Elapsed => draft.lines[line_count - 3].rewrite(|chunk| {
            chunk.elapsed = ElapsedMs::new(ElapsedMs::MAX.get() + 1);
        }),
        _ => {}
    }
}

fn belongs(line: &crate::tape_files::DraftLine, connection: &ConnectionId) -> bool {
    line.seen.connection_id == *connection
}

fn plant_in_manifest(draft: &mut Draft, violation: Violation) {
    let kind = draft.lines[0].seen.kind.clone();
    let manifest = &mut draft.manifest;
    let last = manifest.connections.len() - 1;
    match violation {
        Violation::SchemaVersion => manifest.schema_version = SchemaVersion::new(5),
        Violation::ProjectionVersion => manifest.projection_version = ProjectionVersion::new(0),
        Violation::Status => manifest.status = CassetteStatus::Incomplete,
        Violation::Digest => {
            manifest.frames_sha256 =
                FramesDigest::from_recorded(manifest.frames_sha256.as_str().to_uppercase());
        }
        Violation::Provider => {
            manifest.connections[0].provider = ProviderId::from_recorded("unheard-of");
        }
        Violation::CaptureOrigin => {
            manifest.connections[1].capture_origin = CaptureOrigin::named("Process-Start");
        }
        Violation::FrameCount => manifest.frame_count += 1,
        Violation::LaunchOrdinal => {
            manifest.connections[1].launch_ordinal = LaunchOrdinal::new(0);
        }
        Violation::DuplicateConnection => {
            let first = manifest.connections[0].clone();
            let spelled = |text: &str| format!("\t{text} ");
            let repeated = &mut manifest.connections[last];
            repeated.agent_session = spelled(first.agent_session.as_str()).parse().unwrap();
            let provider = spelled(&first.provider.as_str().to_uppercase());
            repeated.provider = ProviderId::from_recorded(provider);
            repeated.launch_ordinal = first.launch_ordinal;
        }
        Violation::StoredBytes => manifest.stored_bytes += 1,
        Violation::PayloadBytes => manifest.payload_bytes += 1,
        Violation::KindFrameCount => {
            manifest.frames_by_kind.get_mut(&kind).unwrap().frame_count += 1;
        }
        Violation::KindPayloadBytes => {
            manifest
                .frames_by_kind
                .get_mut(&kind)
                .unwrap()
                .payload_bytes += 1;
        }
        _ => {}
    }
}

/// The error that `violation` alone is in `broken`.
pub(crate) fn error_of(violation: Violation, broken: &Broken) -> OpenError {
    let Broken { draft, disk, .. } = broken;
    let (manifest, path, frames) = (&draft.manifest, disk.manifest(), disk.frames());
    let last = &manifest.connections[manifest.connections.len() - 1];
    let count = draft.lines.len() as u64;
    let kind = draft.lines[0].seen.kind.clone();
    let one_more = |sum: Sum, recorded: u64| OpenError::Sum {
        path: path.clone(),
        sum,
        recorded,
        counted: recorded - 1,
    };
    match violation {
        Violation::ManifestMissing => OpenError::Missing { path },
        Violation::ManifestTooLarge => too_large(path, LIMITS().max_manifest_bytes),
        Violation::ManifestNotJson => {
            let source = read_manifest(&fs::read(&path).unwrap()).unwrap_err();
            OpenError::Manifest { path, source }
        }
        Violation::SchemaVersion => OpenError::SchemaVersion {
            path,
            found: SchemaVersion::new(5),
            supported: SchemaVersion::CURRENT,
        },
        Violation::ProjectionVersion => OpenError::ProjectionVersion {
            path,
            found: ProjectionVersion::new(0),
            supported: ProjectionVersion::CURRENT,
        },
        Violation::Status => OpenError::Status {
            path,
            found: CassetteStatus::Incomplete,
        },
        Violation::FramesMissing => OpenError::Missing { path: frames },
        Violation::FramesTooLarge => too_large(frames, LIMITS().max_stored_bytes),
        Violation::Digest => OpenError::Digest {
            path: frames,
            recorded: manifest.frames_sha256.clone(),
            actual: digest(&draft.frames()),
        },
        Violation::Provider => OpenError::UnknownProvider {
            path,
            connection_id: manifest.connections[0].connection_id.clone(),
            provider: ProviderId::from_recorded("unheard-of"),
        },
        Violation::CaptureOrigin => OpenError::CaptureOrigin {
            path,
            connection_id: manifest.connections[1].connection_id.clone(),
            found: CaptureOrigin::Unknown("Process-Start".into()),
        },
        Violation::LineTooLong => OpenError::LineTooLong {
            path: frames,
            line: 1,
            bytes: draft.lines[0].text.len() as u64 + 1,
            limit: LIMITS().max_line_bytes,
        },
        Violation::LineNotJson => {
            let source = read_line(&draft.lines[1].text).unwrap_err();
            OpenError::Line {
                path: frames,
                line: 2,
                source,
            }
        }
        Violation::GlobalSequence => OpenError::GlobalSequence {
            path: frames,
            line: 3,
            found: GlobalSeq::new(2),
            expected: GlobalSeq::new(3),
        },
        Violation::FrameCount => OpenError::FrameCount {
            path: frames,
            found: count,
            recorded: count + 1,
        },
        Violation::LaunchOrdinal => OpenError::LaunchOrdinal {
            path,
            connection_id: manifest.connections[1].connection_id.clone(),
            found: LaunchOrdinal::new(0),
        },
        Violation::DuplicateConnection => OpenError::DuplicateConnection {
            path,
            first: manifest.connections[0].connection_id.clone(),
            second: last.connection_id.clone(),
        },
        Violation::ChunkSequence => {
            let of_last: Vec<usize> = (0..draft.lines.len())
                .filter(|at| draft.lines[*at].seen.connection_id == last.connection_id)
                .collect();
            OpenError::ChunkSequence {
                path: frames,
                line: *of_last.last().unwrap() as u64 + 1,
                connection_id: last.connection_id.clone(),
                found: ChunkSeq::new(100),
                expected: ChunkSeq::new(of_last.len() as u64),
            }
        }
        Violation::Unlisted => OpenError::UnlistedConnection {
            path: frames,
            line: count,
            connection_id: ConnectionId::from_recorded("ghost"),
        },
        Violation::StoredBytes => one_more(Sum::StoredBytes, manifest.stored_bytes),
        Violation::PayloadBytes => one_more(Sum::PayloadBytes, manifest.payload_bytes),
        Violation::KindFrameCount => {
            let recorded = manifest.frames_by_kind[&kind].frame_count;
            one_more(Sum::KindFrameCount(kind), recorded)
        }
        Violation::KindPayloadBytes => {
            let recorded = manifest.frames_by_kind[&kind].payload_bytes;
            one_more(Sum::KindPayloadBytes(kind), recorded)
        }
        Violation::FrameTooLarge => OpenError::FrameTooLarge {
            path: frames,
            line: count - 1,
            bytes: 65,
            limit: LIMITS().max_frame_bytes,
        },
        Violation::Elapsed => OpenError::Elapsed {
            path: frames,
            line: count - 2,
            found: ElapsedMs::new(ElapsedMs::MAX.get() + 1),
            limit: ElapsedMs::MAX,
        },
    }
}

fn too_large(path: PathBuf, limit: u64) -> OpenError {
    OpenError::FileTooLarge {
        path,
        bytes: limit + 1,
        limit,
    }
}
