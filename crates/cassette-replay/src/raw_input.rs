//! What the host sends to an agent without messages: bytes that have to be the recorded
//! ones, however they are cut.

use cassette_format::schema::ChunkKind;

use crate::script::Script;
use crate::{BytesMismatch, PlayError};

/// What was sent and is not matched yet.
#[derive(Debug, Default)]
pub(crate) struct RawInput {
    unmatched: Vec<u8>,
    has_ended: bool,
}

impl RawInput {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.unmatched.extend_from_slice(bytes);
    }

    pub(crate) const fn end(&mut self) {
        self.has_ended = true;
    }

    pub(crate) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Matches as much as it is the host's turn for; whether that is all. `reached` is
    /// the last chunk that was matched whole.
    pub(crate) fn take(
        &mut self,
        script: &Script,
        cursor: &mut usize,
        reached: &mut Option<usize>,
    ) -> Result<bool, PlayError> {
        loop {
            if !script.is(*cursor, &ChunkKind::Outbound) {
                return self.wait(script, *cursor);
            }
            let expected = script.data(*cursor)?;
            let mut pairs = expected.iter().zip(&self.unmatched);
            if let Some(offset) = pairs.position(|(want, got)| want != got) {
                return Err(PlayError::Bytes(BytesMismatch {
                    connection_id: script.connection_id().clone(),
                    chunk_seq: Script::chunk_seq(*cursor),
                    global_seq: script.global_seq(*cursor),
                    offset,
                    expected_len: expected.len(),
                }));
            }
            if self.unmatched.len() < expected.len() {
                return Ok(true);
            }
            self.unmatched.drain(..expected.len());
            if !expected.is_empty() {
                *reached = Some(*cursor);
            }
            *cursor += 1;
        }
    }

    /// It is not the host's turn.
    fn wait(&self, script: &Script, cursor: usize) -> Result<bool, PlayError> {
        if !self.unmatched.is_empty() && cursor >= script.len() {
            return Err(PlayError::AfterEnd {
                connection_id: script.connection_id().clone(),
                bytes: self.unmatched.len(),
                sent: format!("{} bytes", self.unmatched.len()),
            });
        }
        Ok(self.unmatched.is_empty())
    }
}
