//! Rollouts of any length, and project files.

use serde_json::{Value, json};

/// A rollout that grows.
#[derive(Debug, Clone)]
pub(crate) struct Rollout {
    bytes: Vec<u8>,
    /// The ordinal of the next record.
    pub(crate) ordinal: u64,
}

impl Rollout {
    /// One that holds its whole history: its first record only.
    pub(crate) fn of(id: &str) -> Self {
        let payload = json!({"id": id, "session_id": id, "cwd": "/w"});
        Self::begun(0, &payload)
    }

    /// A fork that goes on from where `parent` is.
    pub(crate) fn after(id: &str, parent: (&str, &Self)) -> Self {
        let (name, parent) = parent;
        Self::referring(id, (name, parent.ordinal, parent.len()))
    }

    /// A fork that goes on from that ordinal and byte of a parent.
    pub(crate) fn referring(id: &str, (parent, ordinal, offset): (&str, u64, u64)) -> Self {
        let payload = json!({"id": id, "forked_from_id": parent, "history_base": {
            "thread_id": parent, "end_ordinal_exclusive": ordinal, "end_byte_offset": offset,
        }});
        Self::begun(ordinal, &payload)
    }

    fn begun(ordinal: u64, payload: &Value) -> Self {
        let rollout = Self {
            bytes: Vec::new(),
            ordinal,
        };
        rollout.record("session_meta", payload)
    }

    /// With so many more records.
    pub(crate) fn records(mut self, count: usize) -> Self {
        for _ in 0..count {
            let payload = json!({"type": "message", "text": "a \"word\" or two"});
            self = self.record("event_msg", &payload);
        }
        self
    }

    /// With one more record of this text.
    pub(crate) fn saying(self, text: &str) -> Self {
        self.record("event_msg", &json!({"type": "message", "text": text}))
    }

    /// With these bytes behind.
    pub(crate) fn then(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Without the last so many bytes.
    pub(crate) fn cut(&self, bytes: usize) -> &[u8] {
        &self.bytes[..self.bytes.len() - bytes]
    }

    fn record(mut self, kind: &str, payload: &Value) -> Self {
        let record = json!({"ordinal": self.ordinal, "type": kind, "payload": payload});
        self.bytes.extend_from_slice(record.to_string().as_bytes());
        self.bytes.push(b'\n');
        self.ordinal += 1;
        self
    }
}

/// A project file of this session.
pub(crate) fn project_file(session: &str, records: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for at in 0..records {
        let record = json!({"type": "user", "uuid": at, "sessionId": session});
        bytes.extend_from_slice(record.to_string().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Compressed, as one frame.
pub(crate) fn compressed(bytes: &[u8]) -> Vec<u8> {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    compress_to_vec(bytes, CompressionLevel::Fastest)
}
