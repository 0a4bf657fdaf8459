//! Requests of one direction that wait for their answers, by id.

use std::collections::HashMap;

use super::message_head::append_string;
use super::method_table::Place;
use super::{MAX_OPEN_REQUESTS, MAX_REQUEST_ID_BYTES};
use crate::json::{Value, ValueKind};
use crate::schema::ElapsedMs;

/// The requests that have not been answered. Of several with one id the last one
/// is answered.
#[derive(Default)]
pub(super) struct OpenRequests {
    open: HashMap<RequestId, OpenRequest>,
    /// Requests that were not taken.
    pub(super) unfollowed: u64,
}

/// A request that waits.
#[derive(Clone, Copy)]
pub(super) struct OpenRequest {
    /// Where its method is counted.
    pub(super) method: Place,
    /// When it ended.
    pub(super) asked: ElapsedMs,
}

/// A text that equal ids have in common: strings and numbers apart, numbers as
/// they are written.
#[derive(PartialEq, Eq, Hash)]
struct RequestId(String);

impl OpenRequests {
    /// A request with this id was made.
    pub(super) fn ask(&mut self, bytes: &[u8], id: Value, request: OpenRequest) {
        let Some(id) = RequestId::read(bytes, id) else {
            self.unfollowed += 1;
            return;
        };
        if self.open.len() >= MAX_OPEN_REQUESTS && !self.open.contains_key(&id) {
            self.unfollowed += 1;
            return;
        }
        self.open.insert(id, request);
    }

    /// The request with this id, which waits no longer.
    pub(super) fn answer(&mut self, bytes: &[u8], id: Value) -> Option<OpenRequest> {
        if self.open.is_empty() {
            return None;
        }
        self.open.remove(&RequestId::read(bytes, id)?)
    }
}

impl RequestId {
    /// `None` if it is too long.
    fn read(bytes: &[u8], id: Value) -> Option<Self> {
        if id.kind == ValueKind::String {
            let mut text = String::from('"');
            let limit = text.len() + MAX_REQUEST_ID_BYTES;
            return append_string(&mut text, bytes, id.span, limit).then_some(Self(text));
        }
        let text = id.span.text(bytes);
        let is_short = text.len() <= MAX_REQUEST_ID_BYTES;
        is_short.then(|| Self(String::from_utf8_lossy(text).into_owned()))
    }
}
