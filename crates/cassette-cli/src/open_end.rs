//! Playing a connection whose recording ends before the agent did, as one that was
//! recovered: it ends when everything was said and the client has ended its input.

use cassette_format::process::{ProcessConnection, SendError};
use cassette_format::schema::{ChunkKind, ConnectionId};
use cassette_format::store::Tape;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::replay::LAST_WORDS;
use crate::stdio::{Output, PassError};

/// A connection without an end on the tape.
pub(crate) struct OpenEnd {
    /// The chunk with the last that the agent says; 0 if it says nothing.
    last_said: u64,
}

impl OpenEnd {
    /// The end of this connection, if it is not on the tape.
    pub(crate) fn of(tape: &Tape, connection_id: &ConnectionId) -> Option<Self> {
        let mut last_said = 0;
        for chunk in tape.connection_chunks(connection_id) {
            match chunk.kind() {
                ChunkKind::Exit => return None,
                ChunkKind::Stdout | ChunkKind::Stderr if chunk.has_data() => {
                    last_said = chunk.chunk_seq().get();
                }
                _ => {}
            }
        }
        Some(Self { last_said })
    }

    /// Passes frames on until there is nothing more to say and nobody to say it to.
    pub(crate) async fn pass(
        &self,
        connection: &dyn ProcessConnection,
        input: &mut oneshot::Receiver<Result<(), SendError>>,
    ) -> Result<(), PassError> {
        let mut output = Output::new();
        let (mut said, mut is_input_open) = (0, true);
        while is_input_open || said < self.last_said {
            let frame = tokio::select! {
                frame = connection.recv() => frame.map_err(PassError::Recv)?,
                _ = &mut *input, if is_input_open => {
                    is_input_open = false;
                    continue;
                }
            };
            let Some(frame) = frame else { return Ok(()) };
            output.pass_one(&frame).await?;
            let stamp = frame.stamp.as_ref();
            said = said.max(stamp.map_or(0, |stamp| stamp.chunk_seq.get()));
        }
        // What was to be heard still is missed now.
        match timeout(LAST_WORDS, connection.recv()).await {
            Ok(Ok(Some(frame))) => output.pass_one(&frame).await,
            Ok(Err(error)) => Err(PassError::Recv(error)),
            Ok(Ok(None)) | Err(_) => Ok(()),
        }
    }
}
