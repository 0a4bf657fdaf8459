//! Input units: protocol messages that a host has handled, for checkpoints.

use crate::schema::{ChunkSeq, ConnectionId};

use super::Failure;

/// Where a message ends: in which chunk of which connection, and which of the
/// messages ending there it is, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnitPosition {
    /// The connection in the cassette.
    pub connection_id: ConnectionId,
    /// The chunk in which the message ends.
    pub chunk_seq: ChunkSeq,
    /// Its number among the messages that end in this chunk, from 1.
    pub unit_index: u64,
}

/// One handled message of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputUnit {
    /// Where it stands.
    pub position: UnitPosition,
}

/// A handled message could not be accounted for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// The unit belongs to another connection.
    #[error("input unit belongs to {given}, this connection is {expected}")]
    WrongConnection {
        /// The connection that was asked.
        expected: ConnectionId,
        /// The connection that the unit names.
        given: ConnectionId,
    },
    /// The unit lies behind the target that playback stops at.
    #[error("input unit at chunk {chunk_seq} of {connection_id} lies past its target")]
    Overshot {
        /// The connection.
        connection_id: ConnectionId,
        /// The chunk of the unit.
        chunk_seq: ChunkSeq,
    },
    /// The unit lies before one that was handled already.
    #[error("input unit at chunk {chunk_seq} of {connection_id} lies before the last handled one")]
    MovedBackward {
        /// The connection.
        connection_id: ConnectionId,
        /// The chunk of the unit.
        chunk_seq: ChunkSeq,
    },
    /// A made-up answer waits to be received first.
    #[error("a synthetic answer of {connection_id} waits to be received")]
    SyntheticPending {
        /// The connection.
        connection_id: ConnectionId,
    },
    /// The connection was closed while the unit was held.
    #[error("{connection_id} was closed while an input unit was held")]
    Canceled {
        /// The connection.
        connection_id: ConnectionId,
    },
    /// A layer refused it for good.
    #[error("the connection failed")]
    Failed(#[source] Failure),
}
