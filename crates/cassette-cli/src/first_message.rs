//! Which kind of agent a client takes the command for, by the first that it says.

use cassette_format::json::{Scanner, Span, Value, ValueKind, decode_string, members, string_eq};

use crate::transcript::begins_with_header;

/// Bytes that a first message may have.
const LONGEST: usize = 64 * 1024;

/// The provider that the beginning of a client's input looks like; none where that
/// may show in what comes still.
pub(crate) fn provider_in(input: &[u8]) -> Option<&'static str> {
    let message = input.trim_ascii_start();
    if begins_with_header(message) {
        return Some("lsp");
    }
    match message.iter().position(|byte| *byte == b'\n') {
        Some(end) => Some(provider_of(&message[..end])),
        None if input.len() > LONGEST => Some("raw"),
        None => None,
    }
}

/// The provider that a whole message looks like; `raw` if it looks like none.
pub(crate) fn provider_of(message: &[u8]) -> &'static str {
    let mut scanner = Scanner::new(message);
    let (Ok(Some(_)), Ok(None)) = (scanner.skip_value(), scanner.skip_value()) else {
        return "raw";
    };
    let whole = Span::whole(message);
    let text = |name| text_of(message, member(message, whole, name)?);
    match text("method").as_deref() {
        Some("initialize") => provider_initialized(message, whole),
        Some(_) => "raw",
        None => match text("type").as_deref() {
            Some("user" | "control_request") => "claude-stream-json",
            _ => "raw",
        },
    }
}

fn provider_initialized(message: &[u8], whole: Span) -> &'static str {
    let params = member(message, whole, "params");
    let param = |name| member(message, params?.span, name);
    let version = param("protocolVersion");
    if version.is_some_and(|version| version.kind == ValueKind::Number) {
        return "acp";
    }
    let version = version.and_then(|version| text_of(message, version));
    if version.is_some_and(|version| is_date(&version)) {
        "mcp"
    } else if param("clientInfo").is_some() && member(message, whole, "jsonrpc").is_none() {
        "codex"
    } else {
        "raw"
    }
}

/// The last member of this name, as parsers take it.
fn member(message: &[u8], object: Span, name: &str) -> Option<Value> {
    let members = members(message, object).flatten();
    let named = members.filter(|member| string_eq(message, member.key, name));
    named.last().map(|member| member.value)
}

fn text_of(message: &[u8], value: Value) -> Option<String> {
    let is_text = value.kind == ValueKind::String;
    is_text.then(|| decode_string(message, value.span).into_owned())
}

/// Whether a text is as `2025-06-18`.
fn is_date(text: &str) -> bool {
    let shape = text.bytes().map(|byte| match byte {
        b'0'..=b'9' => b'0',
        other => other,
    });
    shape.eq(*b"0000-00-00")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_messages_are_recognised_by_what_they_say() {
        let messages = [
            (
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{}}}"#,
                "mcp",
            ),
            (
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
                "acp",
            ),
            (
                r#"{"id":0,"method":"initialize","params":{"clientInfo":{"name":"x"}}}"#,
                "codex",
            ),
            (
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{}}}"#,
                "raw",
            ),
            (
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"soon"}}"#,
                "raw",
            ),
            (r#"{"id":0,"method":"initialize"}"#, "raw"),
            (
                r#"{"type":"user","message":{"role":"user"}}"#,
                "claude-stream-json",
            ),
            (
                r#"{"type":"control_request","request":{}}"#,
                "claude-stream-json",
            ),
            (r#"{"type":"user","method":"x"}"#, "raw"),
            (r#"{"type":"hello"}"#, "raw"),
            (r#"{"type":"user"} {"type":"user"}"#, "raw"),
            (r#"{"type":"user""#, "raw"),
            ("[1]", "raw"),
            ("hello", "raw"),
            ("", "raw"),
        ];
        for (message, provider) in messages {
            assert_eq!(provider_of(message.as_bytes()), provider, "{message}");
        }
    }

    #[test]
    fn a_first_message_is_judged_when_it_has_ended() {
        assert_eq!(provider_in(b""), None);
        assert_eq!(provider_in(b"\n {\"type\":\"user\"}"), None);
        let message = b"\r\n {\"type\":\"user\"}\r\nrest";
        assert_eq!(provider_in(message), Some("claude-stream-json"));
        assert_eq!(provider_in(b"Content-Len"), None);
        assert_eq!(provider_in(b"content-length: 2\r\n"), Some("lsp"));
        assert_eq!(provider_in(&[b'x'; LONGEST + 1]), Some("raw"));
    }
}
