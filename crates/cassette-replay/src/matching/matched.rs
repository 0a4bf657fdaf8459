//! What a match has shown.

use super::MessageId;

/// What a match has shown; [`Correspondence::learn`](super::Correspondence::learn)
/// takes it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// In what way both are equal.
    pub equality: Equality,
    /// The recorded and the sent id of each request.
    pub request_ids: Vec<(MessageId, MessageId)>,
    /// Recorded identities and those that were sent for them, known ones too.
    pub identities: Vec<(String, String)>,
    /// The portable values of generated fields and what was sent for them.
    pub generated: Vec<(String, String)>,
}

/// In what way a message is equal to the recorded one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Equality {
    /// Byte for byte.
    Bytes,
    /// By what it says.
    Content,
}

impl Matched {
    pub(super) const fn new(equality: Equality) -> Self {
        Self {
            equality,
            request_ids: Vec::new(),
            identities: Vec::new(),
            generated: Vec::new(),
        }
    }
}
