//! Whether a cassette holds what may not be on a tape: the judgement of
//! recording, over what is on disk.

use std::collections::HashMap;
use std::path::Path;

use cassette_format::descriptor::{Descriptor, MessageFraming, Registry};
use cassette_format::json::{Ending, Framer, Framing, FramingLimits};
use cassette_format::portable::{Audit, ContentError, Rules};
use cassette_format::schema::{ChunkKind, ConnectionId, GlobalSeq, MAX_STORED_BYTES, ProviderId};
use cassette_format::store::{LineView, OpenError, RawTape, ReadOptions};

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
    let tape = RawTape::open(dir, options)?;
    let mut streams = Streams::new(&tape, registry, rules)?;
    let mut findings = Vec::new();
    for line in tape.lines() {
        streams.take(&line?, &mut findings);
    }
    streams.finish(&mut findings);
    Ok(findings)
}

/// The streams of all connections, each as far as it has been read.
struct Streams {
    audits: HashMap<ConnectionId, (Audit, MessageFraming)>,
    framers: HashMap<(ConnectionId, ChunkKind), Open>,
}

struct Open {
    framer: Framer,
    /// The last line that added to it.
    line: GlobalSeq,
}

impl Streams {
    fn new(tape: &RawTape, registry: &Registry, rules: &Rules) -> Result<Self, AuditError> {
        let mut audits = HashMap::new();
        for record in &tape.manifest().connections {
            let descriptor: &Descriptor =
                registry.by_provider(&record.provider).ok_or_else(|| {
                    let connection_id = record.connection_id.clone();
                    AuditError::UnknownProvider {
                        connection_id,
                        provider: record.provider.clone(),
                    }
                })?;
            let audit = (Audit::new(descriptor, rules), descriptor.framing);
            audits.entry(record.connection_id.clone()).or_insert(audit);
        }
        Ok(Self {
            audits,
            framers: HashMap::new(),
        })
    }

    fn take(&mut self, view: &LineView<'_>, findings: &mut Vec<Finding>) {
        let connection_id = ConnectionId::from_recorded(view.connection_id());
        let line = view.line();
        let mut find = |kind| {
            findings.push(Finding {
                line,
                connection_id: connection_id.clone(),
                kind,
            });
        };
        let Some((audit, framing)) = self.audits.get(&connection_id) else {
            return find(FindingKind::UnlistedConnection);
        };
        let framing = match view.kind() {
            ChunkKind::Outbound | ChunkKind::Stdout => framing_of(*framing),
            ChunkKind::Stderr => Framing::Lines,
            _ => return,
        };
        let Ok(data) = view.data() else {
            return find(FindingKind::UndecodableData);
        };
        let stream = (connection_id.clone(), view.kind().clone());
        let open = self.framers.entry(stream).or_insert_with(|| Open {
            framer: Framer::new(framing, limits()),
            line,
        });
        open.line = line;
        open.framer.push(&data);
        drain(&mut open.framer, audit, &mut find);
    }

    /// Judges what was left unfinished, stream by stream.
    fn finish(self, findings: &mut Vec<Finding>) {
        for ((connection_id, _), mut open) in self.framers {
            let Some((audit, _)) = self.audits.get(&connection_id) else {
                continue;
            };
            open.framer.finish();
            let line = open.line;
            drain(&mut open.framer, audit, &mut |kind| {
                findings.push(Finding {
                    line,
                    connection_id: connection_id.clone(),
                    kind,
                });
            });
        }
        // A message that was left unfinished may end in an earlier line.
        findings.sort_by_key(|finding| finding.line);
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
