//! Which answers tell of an account: those to an account-read request.

use std::collections::BTreeSet;

use super::envelope::Envelope;
use crate::descriptor::AccountRead;
use crate::json::{Value, ValueKind, decode_string};

/// The account-read requests of a connection that have not been answered.
#[derive(Debug, Clone, Default)]
pub(super) struct AccountRequests {
    open: BTreeSet<String>,
}

impl AccountRequests {
    /// Remembers a request of the host, if it is one.
    pub(super) fn sent(&mut self, account: &AccountRead, bytes: &[u8], envelope: &Envelope) {
        if envelope.method(bytes).as_deref() == Some(account.method.as_str())
            && let Some(id) = envelope.id.and_then(|id| id_text(bytes, id))
        {
            self.open.insert(id);
        }
    }

    /// Where the e-mail stands in an answer of the process, if it answers such a
    /// request. The first result or error uses the request up.
    pub(super) fn received(
        &mut self,
        account: &AccountRead,
        bytes: &[u8],
        envelope: &Envelope,
    ) -> Option<String> {
        let waited_for = envelope.is_answer && !self.open.is_empty();
        let id = envelope.id.filter(|_| waited_for)?;
        if !self.open.remove(&id_text(bytes, id)?) {
            return None;
        }
        Some(format!("{}{}", envelope.result?, account.pointer))
    }
}

/// An id as a text that equal ids have in common: strings and numbers apart,
/// numbers as they are written. `null` identifies nothing.
fn id_text(bytes: &[u8], id: Value) -> Option<String> {
    match id.kind {
        ValueKind::String => Some(format!("\"{}", decode_string(bytes, id.span))),
        ValueKind::Null => None,
        _ => Some(String::from_utf8_lossy(id.span.text(bytes)).into_owned()),
    }
}
