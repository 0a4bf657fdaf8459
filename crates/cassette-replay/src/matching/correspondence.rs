//! What of a recorded connection stands for what of this run.

use std::collections::HashMap;

use super::{Identities, Matched, MessageId};

/// What the host has sent so far in the place of what was recorded. Grows by
/// [`learn`](Self::learn) only, so that what was refused leaves no trace.
#[derive(Debug, Clone, Default)]
pub struct Correspondence {
    /// The identities.
    pub identities: Identities,
    request_ids: HashMap<MessageId, MessageId>,
}

impl Correspondence {
    /// Remembers what a match has shown. Of requests with the same recorded id the
    /// last one counts.
    pub fn learn(&mut self, matched: &Matched) {
        for (recorded, sent) in &matched.request_ids {
            self.request_ids.insert(recorded.clone(), sent.clone());
        }
        for (recorded, sent) in &matched.identities {
            // Judged before: a conflict is no match, or was left out.
            let _known = self.identities.bind(recorded, sent);
        }
        for (portable, sent) in &matched.generated {
            self.identities.generate(portable, sent);
        }
    }

    /// The id that was sent for the request with this recorded id.
    #[must_use]
    pub fn request_id(&self, recorded: &MessageId) -> Option<&MessageId> {
        self.request_ids.get(recorded)
    }

    /// Says which id was sent for a recorded request.
    pub fn bind_request(&mut self, recorded: MessageId, sent: MessageId) {
        self.request_ids.insert(recorded, sent);
    }

    /// Forgets the id of a request, as when it was answered.
    pub fn forget_request(&mut self, recorded: &MessageId) {
        self.request_ids.remove(recorded);
    }
}
