//! Lines and manifests as `serde_json` reads them, who knows nothing of our reader: members in
//! any order, none of the known ones twice, numbers as they are written.

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

/// A line of `frames.jsonl`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlainLine {
    pub(crate) connection_id: Option<String>,
    pub(crate) chunk_seq: Option<u64>,
    pub(crate) global_seq: Option<u64>,
    pub(crate) elapsed_ms: Option<u64>,
    pub(crate) kind: Option<String>,
    pub(crate) data: Option<String>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) message: Option<String>,
}

/// What of a manifest is told apart here.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlainManifest {
    pub(crate) schema_version: Option<u64>,
    pub(crate) projection_version: Option<u64>,
    pub(crate) status: Option<String>,
    pub(crate) frame_count: Option<u64>,
    pub(crate) payload_bytes: Option<u64>,
    pub(crate) stored_bytes: Option<u64>,
    pub(crate) max_frame_bytes: Option<u64>,
    pub(crate) limits: Option<PlainLimits>,
    #[serde(rename = "framesByKind")]
    _frames_by_kind: Option<IgnoredAny>,
    pub(crate) frames_sha256: Option<String>,
    pub(crate) connections: Option<Vec<Option<PlainConnection>>>,
    #[serde(rename = "annotations")]
    _annotations: Option<IgnoredAny>,
}

/// The limits of a tape.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlainLimits {
    pub(crate) max_frame_bytes: Option<u64>,
    pub(crate) max_stored_bytes: Option<u64>,
}

/// A connection.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlainConnection {
    pub(crate) connection_id: Option<String>,
    pub(crate) provider: Option<String>,
    pub(crate) agent_session_id: Option<String>,
    pub(crate) root_agent_session_id: Option<String>,
    pub(crate) launch_ordinal: Option<u64>,
    pub(crate) cwd_token: Option<String>,
    pub(crate) capture_origin: Option<String>,
}

/// What a text says; `None` where it is not for this reader to judge: it nests too deep for it,
/// has half a surrogate pair, which it does not take, or a negative zero, which it takes for a
/// fraction; or it is no UTF-8, which it skips unseen.
pub(crate) fn plain<T: DeserializeOwned>(text: &[u8]) -> Option<serde_json::Result<T>> {
    let string = str::from_utf8(text).ok()?;
    let opens = text.iter().filter(|byte| matches!(byte, b'{' | b'['));
    let is_surrogate = |it: &[u8]| {
        let [b'\\', b'u', first, second] = it.to_ascii_lowercase()[..] else {
            return false;
        };
        first == b'd' && second >= b'8'
    };
    let has_surrogate = text.windows(4).any(is_surrogate);
    let has_negative_zero = text.windows(2).any(|it| it == b"-0");
    let is_judged = opens.count() < 100 && !has_surrogate && !has_negative_zero;
    is_judged.then(|| serde_json::from_str(string))
}
