//! Whether a cassette holds what may not be on a tape: the judgement of
//! recording, over what is on disk.

use std::collections::HashMap;
use std::path::Path;

use cassette_format::descriptor::{Descriptor, MessageFraming, Registry};
use cassette_format::json::{Ending, Framer, Framing, FramingLimits};
use cassette_format::portable::{Audit, ContentError, Rules};
use cassette_format::schema::{
    ChunkKind, ConnectionId, GlobalSeq, MAX_STORED_BYTES, Manifest, ProviderId,
};
use cassette_format::store::{CassetteDir, LineStream, OpenError, ReadOptions};

use crate::read_ahead::{DecodedLine, ReadAhead};

/// A cassette was not audited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A file or line cannot be read.
    #[error("cannot audit the cassette")]
    Open(#[from] OpenError),
    /// No descriptor for a connection's provider, so nothing is known of its
    /// messages.
    #[error("{connection_id} has provider `{provider}`, which is not registered")]
    UnknownProvider {
        /// The connection.
        connection_id: ConnectionId,
        /// Its provider.
        provider: ProviderId,
    },
}

/// Something that may not be on a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line of `frames.jsonl` in which the message ends.
    pub line: GlobalSeq,
    /// The connection that the line names.
    pub connection_id: ConnectionId,
    /// What is wrong.
    pub kind: FindingKind,
}

/// What is wrong with a line or the message that ends in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// The message holds what may not be on a tape.
    Content(ContentError),
    /// The line's data is no base64, so that it cannot be looked at.
    UndecodableData,
    /// The manifest does not list the line's connection.
    UnlistedConnection,
}

/// Audits the cassette in `dir`, complete or not: every message of both
/// directions and of standard error that can be read. Findings come in the order
/// of the lines in which their messages end. Numbers, digest and sums are not
/// looked at.
///
/// # Errors
/// See [`AuditError`].
pub fn audit(
    dir: impl AsRef<Path>,
    registry: &Registry,
    options: &ReadOptions,
    rules: &Rules,
) -> Result<Vec<Finding>, AuditError> {
    let dir = CassetteDir::new(dir.as_ref());
    let manifest = dir.manifest(options)?;
    let lines = LineStream::open(&dir, options)?;
    let mut connections = Connections::new(&manifest, registry, rules)?;
    let mut findings = Vec::new();
    ReadAhead::new(lines, connections.places())
        .for_each(|line| connections.take(line, &mut findings))?;
    connections.finish(&mut findings);
    Ok(findings)
}

/// The connections that the manifest lists, each as far as it has been read.
struct Connections(Vec<Connection>);

struct Connection {
    id: ConnectionId,
    audit: Audit,
    framing: MessageFraming,
    /// Of the host, and of the agent's two outputs.
    streams: [Option<Stream>; 3],
}

struct Stream {
    framer: Framer,
    /// The last line that added to it.
    line: GlobalSeq,
}

impl Connections {
    fn new(manifest: &Manifest, registry: &Registry, rules: &Rules) -> Result<Self, AuditError> {
        let connections = manifest.connections.iter().map(|record| {
            let descriptor: &Descriptor =
                registry.by_provider(&record.provider).ok_or_else(|| {
                    let connection_id = record.connection_id.clone();
                    AuditError::UnknownProvider {
                        connection_id,
                        provider: record.provider.clone(),
                    }
                })?;
            Ok(Connection {
                id: record.connection_id.clone(),
                audit: Audit::new(descriptor, rules),
                framing: descriptor.framing,
                streams: [const { None }; 3],
            })
        });
        connections.collect::<Result<_, _>>().map(Self)
    }

    /// Their places by their identities; of those that are alike the first one's.
    fn places(&self) -> HashMap<String, usize> {
        let places = self.0.iter().enumerate().rev();
        places
            .map(|(place, connection)| (connection.id.as_str().to_owned(), place))
            .collect()
    }

    fn take(&mut self, line: &DecodedLine<'_>, findings: &mut Vec<Finding>) {
        match line.connection {
            Ok(place) => self.0[place].take(line, findings),
            Err(id) => findings.push(finding((line.line, id), FindingKind::UnlistedConnection)),
        }
    }

    /// Judges what was left unfinished, stream by stream.
    fn finish(self, findings: &mut Vec<Finding>) {
        for connection in self.0 {
            for mut stream in connection.streams.into_iter().flatten() {
                stream.framer.finish();
                let found = (stream.line, &connection.id);
                drain(&mut stream.framer, &connection.audit, &mut |kind| {
                    findings.push(finding(found, kind));
                });
            }
        }
        // A message that was left unfinished may end in an earlier line.
        findings.sort_by_key(|finding| finding.line);
    }
}

impl Connection {
    fn take(&mut self, decoded: &DecodedLine<'_>, findings: &mut Vec<Finding>) {
        let (stream, framing) = match decoded.kind {
            ChunkKind::Outbound => (0, framing_of(self.framing)),
            ChunkKind::Stdout => (1, framing_of(self.framing)),
            ChunkKind::Stderr => (2, Framing::Lines),
            _ => return,
        };
        let line = decoded.line;
        let mut find = |kind| findings.push(finding((line, &self.id), kind));
        let Some(data) = decoded.data else {
            return find(FindingKind::UndecodableData);
        };
        let stream = self.streams[stream].get_or_insert_with(|| Stream {
            framer: Framer::new(framing, limits()),
            line,
        });
        stream.line = line;
        stream.framer.push(data);
        drain(&mut stream.framer, &self.audit, &mut find);
    }
}

fn finding((line, connection_id): (GlobalSeq, &ConnectionId), kind: FindingKind) -> Finding {
    Finding {
        line,
        connection_id: connection_id.clone(),
        kind,
    }
}

/// Judges every whole message. What is not framed as it should be is judged as
/// it is.
fn drain(framer: &mut Framer, audit: &Audit, find: &mut dyn FnMut(FindingKind)) {
    loop {
        match framer.next_message() {
            Ok(Some(message)) => {
                let judged = match message.ending {
                    Ending::Complete => message.content(),
                    // Perhaps half a header, which has no content.
                    Ending::EndOfStream => message.bytes,
                };
                if let Err(error) = audit.message(judged) {
                    find(FindingKind::Content(error));
                }
            }
            Ok(None) => return,
            Err(_) => framer.fall_back_to_lines(),
        }
    }
}

/// A whole tape may be one message.
fn limits() -> FramingLimits {
    FramingLimits::new(usize::try_from(MAX_STORED_BYTES).unwrap_or(usize::MAX))
}

const fn framing_of(framing: MessageFraming) -> Framing {
    match framing {
        MessageFraming::ContentLength => Framing::ContentLength,
        MessageFraming::Raw => Framing::Raw,
        _ => Framing::Lines,
    }
}
