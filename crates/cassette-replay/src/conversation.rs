//! One connection of a tape as it is played, decided without waiting and
//! without a clock: what may be sent, what comes next.

use std::sync::Arc;

use cassette_format::process::{Frame, Stamp, frame_from_chunk};
use cassette_format::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};
use cassette_format::store::{ChunkView, Tape};

use crate::{Mismatch, PlayError};

/// What is played of one recorded connection, and how far.
#[derive(Debug)]
pub(crate) struct Conversation {
    tape: Arc<Tape>,
    connection_id: ConnectionId,
    /// Where the connection's chunks are in the tape.
    chunks: Vec<GlobalSeq>,
    consumed: usize,
    /// Sent and not yet matched.
    unmatched: Vec<u8>,
    input_ended: bool,
    closed: bool,
    failure: Option<PlayError>,
}

/// What the next chunk asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The host sends.
    Outbound,
    /// The agent speaks, at this time.
    Inbound(ElapsedMs),
    /// Nothing is left, and the connection has ended.
    End,
    /// Nothing is left, and the connection stays open until it is closed.
    Open,
}

/// What became of bytes that were sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// They are taken; the chunks up to this time were matched, if any.
    Taken(Option<ElapsedMs>),
    /// The agent speaks first: ask again after that.
    Blocked(Option<ElapsedMs>),
}

impl Conversation {
    pub(crate) fn new(tape: Arc<Tape>, connection_id: ConnectionId) -> Self {
        let chunks = tape
            .connection_chunks(&connection_id)
            .map(|chunk| chunk.global_seq())
            .collect();
        Self {
            tape,
            connection_id,
            chunks,
            consumed: 0,
            unmatched: Vec::new(),
            input_ended: false,
            closed: false,
            failure: None,
        }
    }

    pub(crate) const fn failure(&self) -> Option<&PlayError> {
        self.failure.as_ref()
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    pub(crate) const fn input_ended(&self) -> bool {
        self.input_ended
    }

    pub(crate) const fn end_input(&mut self) {
        self.input_ended = true;
    }

    pub(crate) const fn close(&mut self) {
        self.closed = true;
    }

    pub(crate) const fn is_drained(&self) -> bool {
        self.failure.is_none() && self.consumed == self.chunks.len()
    }

    /// Whether everything was played.
    pub(crate) fn verify(&self) -> Result<(), PlayError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let (consumed, total) = (self.consumed, self.chunks.len());
        if consumed == total {
            return Ok(());
        }
        let connection_id = self.connection_id.clone();
        Err(PlayError::Unconsumed {
            connection_id,
            consumed,
            total,
        })
    }

    /// What comes next.
    pub(crate) fn next(&mut self) -> Next {
        self.skip_empty_outbound();
        match self.view() {
            Some(chunk) if chunk.kind() == ChunkKind::Outbound => {
                if self.input_ended {
                    let connection_id = self.connection_id.clone();
                    let (consumed, total) = (self.consumed, self.chunks.len());
                    self.fail(PlayError::InputEnded {
                        connection_id,
                        consumed,
                        total,
                    });
                }
                Next::Outbound
            }
            Some(chunk) => Next::Inbound(chunk.elapsed()),
            None => match self.chunks.last().and_then(|last| self.tape.chunk(*last)) {
                Some(last) if last.kind() == ChunkKind::Exit => Next::End,
                _ => Next::Open,
            },
        }
    }

    /// Takes bytes of one send; they match as a stream, however they were cut.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<Sent, PlayError> {
        self.unmatched.extend_from_slice(bytes);
        self.go_on()
    }

    /// Matches what was sent and blocked before.
    pub(crate) fn go_on(&mut self) -> Result<Sent, PlayError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let mut reached = None;
        while !self.unmatched.is_empty() {
            self.skip_empty_outbound();
            let Some(chunk) = self.view() else {
                let (connection_id, bytes) = (self.connection_id.clone(), self.unmatched.len());
                return Err(self.fail(PlayError::AfterEnd {
                    connection_id,
                    bytes,
                }));
            };
            if chunk.kind() != ChunkKind::Outbound {
                return Ok(Sent::Blocked(reached));
            }
            let (elapsed, global_seq) = (chunk.elapsed(), chunk.global_seq());
            let expected = match chunk.data() {
                Ok(expected) => expected,
                Err(error) => return Err(self.fail(error.into())),
            };
            let differs = expected
                .iter()
                .zip(&self.unmatched)
                .position(|(want, got)| want != got);
            if let Some(offset) = differs {
                return Err(self.fail(PlayError::Mismatch(Mismatch {
                    connection_id: self.connection_id.clone(),
                    chunk_seq: self.chunk_seq(),
                    global_seq,
                    offset,
                    expected_len: expected.len(),
                })));
            }
            if self.unmatched.len() < expected.len() {
                break;
            }
            self.unmatched.drain(..expected.len());
            self.consumed += 1;
            reached = Some(elapsed);
        }
        Ok(Sent::Taken(reached))
    }

    /// The frame of the next chunk, which is inbound and due.
    pub(crate) fn receive(&mut self) -> Result<Option<Frame>, PlayError> {
        let Some(view) = self.view() else {
            return Ok(None);
        };
        let stamp = Stamp {
            recording_id: None,
            connection_id: self.connection_id.clone(),
            chunk_seq: self.chunk_seq(),
            synthetic: false,
        };
        match frame(&view, stamp) {
            Ok(frame) => {
                self.consumed += 1;
                Ok(Some(frame))
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Outbound chunks without bytes ask nothing of the host.
    fn skip_empty_outbound(&mut self) {
        let empty = |chunk: ChunkView<'_>| {
            chunk.kind() == ChunkKind::Outbound && chunk.data().is_ok_and(|data| data.is_empty())
        };
        while self.view().is_some_and(empty) {
            self.consumed += 1;
        }
    }

    fn view(&self) -> Option<ChunkView<'_>> {
        self.chunks
            .get(self.consumed)
            .and_then(|at| self.tape.chunk(*at))
    }

    const fn chunk_seq(&self) -> ChunkSeq {
        ChunkSeq::new(self.consumed as u64 + 1)
    }

    fn fail(&mut self, error: PlayError) -> PlayError {
        self.failure.get_or_insert(error).clone()
    }
}

fn frame(view: &ChunkView<'_>, stamp: Stamp) -> Result<Frame, PlayError> {
    let chunk = Chunk {
        connection_id: stamp.connection_id.clone(),
        chunk_seq: stamp.chunk_seq,
        global_seq: view.global_seq(),
        elapsed: view.elapsed(),
        kind: view.kind(),
        data: view.data()?,
        exit_code: view.exit_code(),
        message: view.message(),
    };
    let mut frame = frame_from_chunk(chunk)?;
    frame.stamp = Some(stamp);
    Ok(frame)
}
