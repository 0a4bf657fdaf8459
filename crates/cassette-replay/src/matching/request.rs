//! Requests that are answered without the tape.

use cassette_format::descriptor::{Dialect, MessageFraming, SyntheticAnswer};

use super::header::{HeaderKind, text};
use super::message_id::MessageId;
use super::rules::MatchRules;

/// A request, or a notification, that stands alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'r> {
    /// Its id; a notification has none.
    pub id: Option<MessageId>,
    /// Its method, as it was sent.
    pub method: String,
    /// Whether it carries credentials.
    pub carries_credentials: bool,
    /// What answers it, if the host may make it at any time.
    pub optional_probe: Option<&'r SyntheticAnswer>,
    /// What answers it, if it is answered at once.
    pub startup_metadata: Option<&'r SyntheticAnswer>,
    /// The version that it says it is written in, as JSON.
    version: Option<String>,
}

impl MatchRules {
    /// The request that `message` is; `None` where it is none, or not alone.
    #[must_use]
    pub fn request(&self, message: &[u8]) -> Option<Request<'_>> {
        let header = self.single(message)?;
        if matches!(header.kind, HeaderKind::Answer(_)) {
            return None;
        }
        let method = header.method.or(header.rpc_method);
        let method = text(message, method).filter(|method| !method.trim().is_empty())?;
        let json = |span: cassette_format::json::Span| {
            String::from_utf8_lossy(span.text(message)).into_owned()
        };
        Some(Request {
            id: header.id.map(|id| MessageId::of(message, id)),
            carries_credentials: is_among(&self.descriptor.credential_methods, &method),
            optional_probe: answer(&self.descriptor.optional_probes, &method),
            startup_metadata: answer(&self.descriptor.startup_metadata, &method),
            version: header.version.map(|version| json(version.span)),
            method: method.into_owned(),
        })
    }

    /// The text of a request without its id; `None` where it has none.
    pub(crate) fn without_id(&self, message: &[u8]) -> Option<Vec<u8>> {
        let id = self.single(message)?.id?.span;
        let (before, behind) = (message.get(..id.start)?, message.get(id.end..)?);
        Some([before, b"?", behind].concat())
    }

    /// An answer with this result, a JSON text, as the agent would send it, framing
    /// included. A notification has none, and neither has a dialect without answers.
    #[must_use]
    pub fn synthetic_answer(&self, request: &Request<'_>, result: &str) -> Option<Vec<u8>> {
        let id = request.id.as_ref()?;
        // Outside of strings a line end is but white space, and in them there is none.
        let result = result.replace(['\r', '\n'], " ");
        let content = match self.dialect() {
            Dialect::JsonRpc => {
                let version = request.version.as_ref();
                let version = version.map(|version| format!("\"jsonrpc\":{version},"));
                let version = version.unwrap_or_default();
                format!("{{{version}\"id\":{id},\"result\":{result}}}")
            }
            Dialect::TypedEnvelope => {
                format!("{{\"id\":{id},\"type\":\"ok\",\"payload\":{result}}}")
            }
            Dialect::StreamJson => format!(
                "{{\"type\":\"control_response\",\"response\":\
                 {{\"subtype\":\"success\",\"request_id\":{id},\"response\":{result}}}}}"
            ),
            _ => return None,
        };
        Some(match self.framing() {
            MessageFraming::Lines => format!("{content}\n").into_bytes(),
            MessageFraming::ContentLength => {
                format!("Content-Length: {}\r\n\r\n{content}", content.len()).into_bytes()
            }
            _ => content.into_bytes(),
        })
    }
}

/// Methods compare trimmed and without case.
fn is(declared: &str, method: &str) -> bool {
    declared.trim().to_lowercase() == method.trim().to_lowercase()
}

fn is_among(methods: &[String], method: &str) -> bool {
    methods.iter().any(|declared| is(declared, method))
}

fn answer<'r>(answers: &'r [SyntheticAnswer], method: &str) -> Option<&'r SyntheticAnswer> {
    answers.iter().find(|answer| is(&answer.method, method))
}
