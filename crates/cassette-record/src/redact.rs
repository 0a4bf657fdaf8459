//! A copy of a cassette without the secrets that leaked into it.

use std::path::Path;

use cassette_format::descriptor::Registry;
use cassette_format::portable::Direction;
use cassette_format::schema::{Chunk, ConnectionId, Manifest, Origin, ProviderId, Redactions};
use cassette_format::store::{
    ChunkView, OpenError, ReadOptions, UndecodableData, write_line, write_manifest,
};

use crate::manifest_secrets::{CleanedManifest, clean_manifest};
use crate::recover::DropReason;
use crate::redaction::Redaction;
use crate::secrets::{FilterTooLarge, SecretFilter, SecretName, Secrets, StreamedTexts};
use crate::sound_tape::{SoundTape, owned};
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
    /// Places of frames and manifest that hold `${REDACTED:<NAME>}` now.
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
    /// The manifest holds a secret where it identifies something: in an id, a provider,
    /// a token or the name of a field.
    #[error("the manifest holds the value of {name}")]
    Manifest {
        /// Whose value, never the value.
        name: SecretName,
    },
    /// A secret cannot be cut out without breaking what is around it: a header with a
    /// length, or a JSON message of which it is a number or holds quotes or brackets.
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
/// whole in the chunk in which it ends, as the recorder does it, and is JSON if it was (an
/// object or a list). Signatures are no exception: one that holds a secret no longer fits,
/// but a leak is worse. The copy has been scanned as a recording is at its end. The whole
/// tape is in memory meanwhile, as it is stored and decoded.
///
/// Lines whose chunk does not change are copied as they are, with members of newer
/// versions, unless a secret stands in one of these. Of all other lines what this version
/// knows is kept. In the manifest secrets are replaced in annotations and in fields of
/// newer versions; what identifies something is never changed.
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
    let recorded = SoundTape::open(from.as_ref(), limits)?;
    let mut manifest = recorded.manifest().clone();
    for record in &manifest.connections {
        if registry.by_provider(&record.provider).is_none() {
            return Err(RedactError::UnknownProvider {
                connection_id: record.connection_id.clone(),
                provider: record.provider.clone(),
            });
        }
    }
    let filter = SecretFilter::new(secrets)?;
    let cleaned = clean_manifest(&mut manifest, &filter);
    let cleaned = cleaned.map_err(|name| RedactError::Manifest { name })?;
    let framings = Framings::of(&manifest.connections, registry);
    let chunks = recorded.chunks().map(|chunk| owned(&chunk));
    let chunks = chunks.collect::<Result<Vec<Chunk>, UndecodableData>>()?;
    let mut redaction = Redaction::new(&filter, &framings, chunks);
    redaction.run().map_err(|left| RedactError::Left {
        connection_id: left.connection_id,
        name: left.name,
    })?;
    let report = report(&redaction, cleaned);
    annotate(&mut manifest, &report);
    if let Some(hit) = filter.find(&write_manifest(&manifest)).next() {
        return Err(RedactError::Manifest { name: hit.name });
    }
    let mut copy = TapeCopy::create(to.as_ref())?;
    for (view, chunk) in recorded.chunks().zip(redaction.chunks()) {
        write(&mut copy, (&view, chunk), &filter)?;
    }
    copy.finish(manifest)?;
    Ok(report)
}

/// Adds the line of a chunk: as it is, if nothing changes and it holds no secret beside
/// what the chunk says.
fn write(
    copy: &mut TapeCopy,
    (view, chunk): (&ChunkView<'_>, &Chunk),
    filter: &SecretFilter,
) -> Result<(), RedactError> {
    if owned(view)? == *chunk {
        let mut line = view.line().to_vec();
        line.push(b'\n');
        if is_ours(&line, chunk) || !holds_secret(&line, chunk, filter) {
            copy.line(&line, (&chunk.kind, chunk.payload_bytes()))?;
            return Ok(());
        }
    }
    Ok(copy.chunk(chunk)?)
}

/// Whether a line says what the chunk does and nothing else.
fn is_ours(line: &[u8], chunk: &Chunk) -> bool {
    let mut ours = Vec::with_capacity(line.len());
    write_line(&mut ours, chunk).is_ok() && ours == line
}

/// Whether a line holds a secret in whichever spelling.
fn holds_secret(line: &[u8], chunk: &Chunk, filter: &SecretFilter) -> bool {
    let mut texts = StreamedTexts::new(filter);
    texts.remark(&chunk.connection_id, line);
    texts.message(&chunk.connection_id, Direction::Inbound, line);
    !texts.hits().is_empty()
}

fn report(redaction: &Redaction<'_>, manifest: CleanedManifest) -> RedactReport {
    let mut names: Vec<SecretName> = redaction.names().cloned().chain(manifest.names).collect();
    names.sort();
    names.dedup();
    RedactReport {
        frames: redaction.chunks().len() as u64,
        count: redaction.count() + manifest.count,
        names,
    }
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
