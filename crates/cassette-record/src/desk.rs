//! What a stream works with: where chunks wait, and what becomes of a message.

use cassette_format::json::Message;
use cassette_format::portable::Direction;

use crate::backlog::Backlog;
use crate::inspector::{Inspector, Refusal};
use crate::secret_watch::SecretWatch;

/// Borrowed for one event of a connection.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) backlog: &'a mut Backlog,
    pub(crate) inspector: &'a mut Inspector,
    pub(crate) secrets: &'a mut SecretWatch,
}

impl Desk<'_> {
    /// What stands on the tape instead of the message; `None` if it stays as it is.
    pub(crate) fn inspect(
        &mut self,
        direction: Direction,
        message: &Message<'_>,
    ) -> Result<Option<Vec<u8>>, Refusal> {
        // Half a header has no content.
        let content = message.judged();
        let portable = self.inspector.portable(direction, content);
        let portable = portable.map_err(|source| Refusal::Content {
            method: self.shown_method(content),
            source,
        })?;
        // After that, as it may have cut secrets out.
        let safe = self
            .secrets
            .redact_message(portable.as_deref().unwrap_or(content))?;
        // A header stays as it is, so a secret in one cannot be replaced.
        let (header, _) = message.bytes.split_at(message.content.start);
        self.secrets.refuse(header)?;
        let changed = safe.or(portable);
        Ok(changed.map(|changed| message.with_judged(changed)))
    }

    /// The method of a message, unless it holds a secret.
    fn shown_method(&self, content: &[u8]) -> Option<String> {
        let method = self.inspector.method(content)?;
        let is_safe = self.secrets.refuse(method.as_bytes()).is_ok();
        is_safe.then_some(method)
    }
}
