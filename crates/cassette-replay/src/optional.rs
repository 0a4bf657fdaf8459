//! What is known of a recorded connection before anybody launches it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cassette_format::descriptor::Descriptor;
use cassette_format::portable::Rules;
use cassette_format::schema::{ChunkKind, ConnectionRecord, CwdToken};
use cassette_format::store::Tape;
use memchr::memmem;

use crate::expected::Expected;
use crate::matching::{MatchRules, Side};
use crate::script::Script;

/// Whether a connection need not be launched: a later launch of a session that did
/// nothing but say hello and make optional requests.
pub(crate) fn is_optional(
    tape: &Arc<Tape>,
    record: &ConnectionRecord,
    descriptor: &Descriptor,
) -> bool {
    if record.launch_ordinal.get() < 2 || descriptor.optional_probes.is_empty() {
        return false;
    }
    let rules = MatchRules::new(descriptor, &Side::new(&Rules::default()));
    let script = Script::new(Arc::clone(tape), record.connection_id.clone());
    let mut messages = Expected::new(rules.cut(), rules.skips_blanks());
    let mut has_probe = false;
    while let Some(message) = messages.next_message(&script) {
        let Some(request) = rules.request(&message.content) else {
            return false;
        };
        let is_probe = request.optional_probe.is_some() && request.id.is_some();
        has_probe |= is_probe;
        if !is_probe && !matches!(request.method.as_str(), "initialize" | "initialized") {
            return false;
        }
    }
    has_probe
}

/// Whether the token of the working directory stands anywhere in a connection.
pub(crate) fn holds_token(script: &Script, token: &CwdToken) -> bool {
    let finder = memmem::Finder::new(token.as_str().as_bytes());
    // What of a token may have come at the end of a chunk of the same stream.
    let mut ends: BTreeMap<ChunkKind, Vec<u8>> = BTreeMap::new();
    (0..script.len()).any(|index| {
        let Some(chunk) = script.chunk(index) else {
            return false;
        };
        let text = ends.entry(chunk.kind()).or_default();
        text.extend(chunk.data().unwrap_or_default());
        let is_found = finder.find(text).is_some();
        let kept = finder.needle().len().saturating_sub(1);
        text.drain(..text.len().saturating_sub(kept));
        is_found
    })
}
