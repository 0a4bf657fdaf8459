//! A copy of a cassette without the secrets that leaked into it.

use std::path::Path;

use cassette_format::descriptor::Registry;
use cassette_format::schema::{
    CassetteStatus, Chunk, ConnectionId, Manifest, Origin, ProviderId, Redactions,
};
use cassette_format::store::{
    ChunkView, OpenError, ReadOptions, Tape, TapePrefix, UndecodableData, write_manifest,
};

use crate::recover::{DropReason, dropped};
use crate::redaction::Redaction;
use crate::secrets::{FilterTooLarge, SecretFilter, SecretName, Secrets};
use crate::tape_copy::{CopyError, TapeCopy};
use crate::tape_messages::Framings;

/// Which secrets are taken out of a cassette, and how it is read.
#[derive(Debug, Clone, Default)]
pub struct RedactOptions {
    /// The values, and the names that stand for them.
    pub secrets: Secrets,
    /// How each provider's traffic is cut into messages.
    pub registry: Registry,
    /// How much is read at most.
    pub read: ReadOptions,
}

/// What was taken out of a cassette.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RedactReport {
    /// Frames of the new cassette, as many as of the old one.
    pub frames: u64,
    /// Places that hold `${REDACTED:<NAME>}` now.
    pub count: u64,
    /// Whose values were there, in order.
    pub names: Vec<SecretName>,
}

/// No cleaned copy was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RedactError {
    /// The tape cannot be read, or says it is complete and does not verify.
    #[error("cannot read the cassette")]
    Open(#[from] OpenError),
    /// The tape has a torn or bad line: recover it first.
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
    /// The data of a chunk is no base64.
    #[error("a chunk cannot be decoded")]
    Data(#[from] UndecodableData),
    /// No descriptor says how a connection is cut into messages.
    #[error("provider `{provider}` of {connection_id} is not registered")]
    UnknownProvider {
        /// The connection.
        connection_id: ConnectionId,
        /// Its provider.
        provider: ProviderId,
    },
    /// The secrets cannot be looked for.
    #[error("cannot look for the secrets")]
    Secrets(#[from] FilterTooLarge),
    /// The manifest holds a secret: in a name that would no longer be itself without
    /// it.
    #[error("the manifest holds the value of {name}")]
    Manifest {
        /// Whose value, never the value.
        name: SecretName,
    },
    /// A secret cannot be cut out without breaking what is around it.
    #[error("the value of {name} cannot be taken out of the messages of {connection_id}")]
    Left {
        /// The connection.
        connection_id: ConnectionId,
        /// Whose value, never the value.
        name: SecretName,
    },
    /// The new cassette was not written.
    #[error("cannot write the cleaned cassette")]
    Copy(#[from] CopyError),
}

/// Makes a complete cassette in `to` of the one in `from`, whatever its status, with
/// `${REDACTED:<NAME>}` in the place of each secret. `from` is not changed, and still
/// holds the secrets; `to` must hold no cassette.
///
/// What is found is listed at [`SecretFilter`]. A secret that lies over several messages
/// leaves all of them: the token stands where it ended. A message that changes is stored
/// whole in the chunk in which it ends, as the recorder does it. The copy has been
/// scanned as a recording is at its end. The whole tape is in memory meanwhile.
///
/// # Errors
/// See [`RedactError`]. There is no complete cassette in `to` then.
pub fn redact(
    from: impl AsRef<Path>,
    to: impl AsRef<Path>,
    options: &RedactOptions,
) -> Result<RedactReport, RedactError> {
    let RedactOptions {
        secrets,
        registry,
        read: limits,
    } = options;
    let (mut manifest, chunks) = read(from.as_ref(), limits)?;
    for record in &manifest.connections {
        if registry.by_provider(&record.provider).is_none() {
            return Err(RedactError::UnknownProvider {
                connection_id: record.connection_id.clone(),
                provider: record.provider.clone(),
            });
        }
    }
    let filter = SecretFilter::new(secrets)?;
    if let Some(hit) = filter.find(&write_manifest(&manifest)).next() {
        return Err(RedactError::Manifest { name: hit.name });
    }
    let framings = Framings::of(&manifest.connections, registry);
    let mut redaction = Redaction::new(&filter, &framings, chunks);
    redaction.run().map_err(|left| RedactError::Left {
        connection_id: left.connection_id,
        name: left.name,
    })?;
    let mut copy = TapeCopy::create(to.as_ref())?;
    for chunk in redaction.chunks() {
        copy.chunk(chunk)?;
    }
    let report = RedactReport {
        frames: copy.totals().frames(),
        count: redaction.count(),
        names: redaction.names().cloned().collect(),
    };
    annotate(&mut manifest, &report);
    copy.finish(manifest)?;
    Ok(report)
}

/// The manifest of a tape and its chunks, if all of them are sound.
fn read(from: &Path, options: &ReadOptions) -> Result<(Manifest, Vec<Chunk>), RedactError> {
    let recorded = TapePrefix::open(from, options)?;
    if recorded.manifest().status == CassetteStatus::Complete {
        let tape = Tape::open(from, options)?;
        let chunks = tape.chunks().map(|chunk| owned(&chunk)).collect();
        return Ok((tape.manifest().clone(), chunks_of(chunks)?));
    }
    let (prefix, ending) = recorded.split_ending();
    if let Some(dropped) = dropped(ending) {
        return Err(RedactError::NotWhole {
            offset: dropped.offset,
            bytes: dropped.bytes,
            reason: Box::new(dropped.reason),
        });
    }
    let chunks = prefix.chunks().map(|chunk| owned(&chunk)).collect();
    Ok((prefix.manifest().clone(), chunks_of(chunks)?))
}

fn chunks_of(chunks: Result<Vec<Chunk>, UndecodableData>) -> Result<Vec<Chunk>, RedactError> {
    chunks.map_err(RedactError::from)
}

fn owned(view: &ChunkView<'_>) -> Result<Chunk, UndecodableData> {
    Ok(Chunk {
        connection_id: view.connection_id().clone(),
        chunk_seq: view.chunk_seq(),
        global_seq: view.global_seq(),
        elapsed: view.elapsed(),
        kind: view.kind(),
        data: view.data()?,
        exit_code: view.exit_code(),
        message: view.message(),
    })
}

/// Says what was done, beside what was done before.
fn annotate(manifest: &mut Manifest, report: &RedactReport) {
    let annotations = &mut manifest.annotations;
    annotations.origin = Some(Origin::Edited);
    if report.count == 0 {
        return;
    }
    let redactions = annotations
        .redactions
        .get_or_insert_with(Redactions::default);
    redactions.count += report.count;
    let names = report.names.iter().map(|name| name.as_str().to_owned());
    redactions.rules.extend(names);
    redactions.rules.sort();
    redactions.rules.dedup();
}
