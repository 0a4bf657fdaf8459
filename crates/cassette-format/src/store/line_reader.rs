//! A line of `frames.jsonl` from text to positions: the form that recorders
//! write at once, any other JSON with the scanner.

use std::borrow::Cow;

use super::base64_text;
use super::field::{FieldError, Object, sole_value, wrong_kind};
use crate::json::{Span, Value, ValueKind, decode_string};
use crate::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};

/// What a line says, by position in it.
pub(super) struct Line<'t> {
    /// The line without its line feed.
    pub(super) text: &'t [u8],
    pub(super) connection_id: Cow<'t, str>,
    pub(super) chunk_seq: u64,
    pub(super) global_seq: u64,
    pub(super) elapsed: u64,
    pub(super) kind: ChunkKind,
    /// Between the quotes of `data`; empty when absent.
    pub(super) data: Span,
    /// Whether `data` holds escapes, so that its span is not base64 itself.
    pub(super) data_escaped: bool,
    /// Bytes that `data` stands for; `None` when it is no base64.
    pub(super) data_len: Option<u64>,
    pub(super) exit_code: Option<i64>,
    /// `message` with its quotes; empty when absent.
    pub(super) message: Span,
}

/// Reads one line of `frames.jsonl`, without its line feed.
///
/// # Errors
/// What is not one JSON object; a known field twice, in another case or of
/// another kind; `data` that is not base64 (as a string of the wrong kind).
pub fn read_line(text: &[u8]) -> Result<Chunk, FieldError> {
    let line = any_line(text)?;
    let data = line.decoded_data().ok_or_else(|| {
        let value = Value {
            kind: ValueKind::String,
            span: line.data,
        };
        in_one_line(wrong_kind(text, value, "/data", "base64"))
    })?;
    Ok(Chunk {
        connection_id: ConnectionId::from_recorded(line.connection_id.as_ref()),
        chunk_seq: ChunkSeq::new(line.chunk_seq),
        global_seq: GlobalSeq::new(line.global_seq),
        elapsed: ElapsedMs::new(line.elapsed),
        data,
        exit_code: line.exit_code,
        message: line.decoded_message().into_owned(),
        kind: line.kind,
    })
}

/// Reads the line at the start of `rest` if it is in the very form that
/// recorders write, ends with a line feed and its `data` is base64.
pub(super) fn recorded_line(rest: &[u8]) -> Option<Line<'_>> {
    let mut cursor = Cursor { text: rest, at: 0 };
    cursor.literal(b"{\"connectionId\":\"")?;
    let connection_id = cursor.plain_text()?;
    cursor.literal(b"\",\"chunkSeq\":")?;
    let chunk_seq = cursor.number()?;
    cursor.literal(b",\"globalSeq\":")?;
    let global_seq = cursor.number()?;
    cursor.literal(b",\"elapsedMs\":")?;
    let elapsed = cursor.number()?;
    cursor.literal(b",\"kind\":\"")?;
    let kind = cursor.kind()?;
    let (mut data, mut data_len, mut exit_code) = (Span::new(0, 0), 0, None);
    if cursor.literal(b",\"data\":\"").is_some() {
        let start = cursor.at;
        let (len, bytes) = base64_text::leading(&rest[start..])?;
        cursor.at += len;
        cursor.literal(b"\"")?;
        (data, data_len) = (Span::new(start, start + len), bytes);
    } else if cursor.literal(b",\"exitCode\":").is_some() {
        let negative = cursor.literal(b"-").is_some();
        let code = i64::try_from(cursor.number()?).ok()?;
        exit_code = Some(if negative { -code } else { code });
    }
    cursor.literal(b"}\n")?;
    Some(Line {
        text: &rest[..cursor.at - 1],
        connection_id: Cow::Borrowed(connection_id),
        chunk_seq,
        global_seq,
        elapsed,
        kind,
        data,
        data_escaped: false,
        data_len: Some(data_len),
        exit_code,
        message: Span::new(0, 0),
    })
}

/// Reads a line in whatever form of JSON.
pub(super) fn any_line(text: &[u8]) -> Result<Line<'_>, FieldError> {
    line_of(text).map_err(in_one_line)
}

/// Whoever reads a line knows its number; the error only knows the column.
fn in_one_line(mut error: FieldError) -> FieldError {
    error.line = None;
    error
}

fn line_of(text: &[u8]) -> Result<Line<'_>, FieldError> {
    let names = [
        "connectionId",
        "chunkSeq",
        "globalSeq",
        "elapsedMs",
        "kind",
        "data",
        "exitCode",
        "message",
    ];
    let object = Object::read(text, sole_value(text)?, "", names)?;
    let connection_id = match object.string_span("connectionId")? {
        Some(span) => decode_string(text, span),
        None => Cow::Borrowed(""),
    };
    let (data, data_escaped) = match object.string_span("data")? {
        Some(Span { start, end, .. }) => {
            let inner = Span::new(start + 1, end - 1);
            (inner, memchr::memchr(b'\\', inner.text(text)).is_some())
        }
        None => (Span::new(0, 0), false),
    };
    let mut line = Line {
        text,
        connection_id,
        chunk_seq: object.unsigned("chunkSeq")?,
        global_seq: object.unsigned("globalSeq")?,
        elapsed: object.unsigned("elapsedMs")?,
        kind: ChunkKind::named(&object.text("kind")?),
        data,
        data_escaped,
        data_len: None,
        exit_code: object.signed("exitCode")?,
        message: object.string_span("message")?.unwrap_or(Span::new(0, 0)),
    };
    line.data_len = if data_escaped {
        line.decoded_data().map(|bytes| bytes.len() as u64)
    } else {
        base64_text::decoded_len(data.text(text))
    };
    Ok(line)
}

impl<'t> Line<'t> {
    /// The bytes of `data`; `None` when it is no base64.
    pub(super) fn decoded_data(&self) -> Option<Vec<u8>> {
        data_of(self.text, self.data, self.data_escaped)
    }

    /// Appends the bytes of `data`; `None`, and nothing, when it is no base64.
    pub(super) fn decode_data_into(&self, output: &mut Vec<u8>) -> Option<()> {
        if self.data_escaped {
            output.extend_from_slice(&self.decoded_data()?);
            return Some(());
        }
        base64_text::decode_into(output, self.data.text(self.text))
    }

    /// Bytes that count against the frame limit. Data that is no base64 counts 0.
    pub(super) fn payload_bytes(&self) -> u64 {
        self.data_len.unwrap_or(0) + self.decoded_message().len() as u64
    }

    /// The text of `message`.
    pub(super) fn decoded_message(&self) -> Cow<'t, str> {
        if self.message.is_empty() {
            Cow::Borrowed("")
        } else {
            decode_string(self.text, self.message)
        }
    }
}

/// The bytes of the `data` between the quotes at `span` of `text`.
pub(super) fn data_of(text: &[u8], span: Span, escaped: bool) -> Option<Vec<u8>> {
    if !escaped {
        return base64_text::decode(span.text(text));
    }
    let quoted = Span::new(span.start - 1, span.end + 1);
    let decoded = decode_string(text, quoted);
    // As the reference does: line breaks inside base64 do not count.
    let digits: Vec<u8> = decoded
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    base64_text::decode(&digits)
}

struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Cursor<'t> {
    fn literal<const LEN: usize>(&mut self, literal: &[u8; LEN]) -> Option<()> {
        let there = self.text[self.at..].first_chunk() == Some(literal);
        there.then(|| self.at += LEN)
    }

    /// ASCII text up to the next quote, without escapes and control characters.
    fn plain_text(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let plain = |byte: &u8| matches!(byte, 0x20..0x7f) && !matches!(byte, b'"' | b'\\');
        let len = rest.iter().position(|byte| !plain(byte))?;
        self.at += len;
        std::str::from_utf8(&rest[..len])
            .ok()
            .filter(|_| rest[len] == b'"')
    }

    /// An integer of 1 to 19 digits without leading zero.
    fn number(&mut self) -> Option<u64> {
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|byte| !byte.is_ascii_digit())?;
        if len == 0 || len > 19 || (rest[0] == b'0' && len > 1) {
            return None;
        }
        self.at += len;
        Some(
            rest[..len]
                .iter()
                .fold(0, |value, digit| value * 10 + u64::from(digit - b'0')),
        )
    }

    fn kind(&mut self) -> Option<ChunkKind> {
        if self.literal(b"stdout\"").is_some() {
            Some(ChunkKind::Stdout)
        } else if self.literal(b"outbound\"").is_some() {
            Some(ChunkKind::Outbound)
        } else if self.literal(b"stderr\"").is_some() {
            Some(ChunkKind::Stderr)
        } else {
            self.literal(b"exit\"").map(|()| ChunkKind::Exit)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::write_line;
    use super::*;

    fn chunk() -> impl Strategy<Value = Chunk> {
        let kind = prop_oneof![
            Just(ChunkKind::Outbound),
            Just(ChunkKind::Stdout),
            Just(ChunkKind::Stderr),
            Just(ChunkKind::Exit),
            ".{0,4}".prop_map(|name| ChunkKind::named(&name)),
        ];
        let numbers = (any::<u64>(), any::<u64>(), any::<u64>());
        let data = proptest::collection::vec(any::<u8>(), 0..200);
        (
            ".{0,12}",
            numbers,
            kind,
            data,
            any::<Option<i64>>(),
            ".{0,20}",
        )
            .prop_map(
                |(id, (chunk_seq, global_seq, elapsed), kind, data, exit_code, message)| Chunk {
                    connection_id: ConnectionId::from_recorded(id),
                    chunk_seq: ChunkSeq::new(chunk_seq),
                    global_seq: GlobalSeq::new(global_seq),
                    elapsed: ElapsedMs::new(elapsed),
                    kind,
                    data,
                    exit_code,
                    message,
                },
            )
    }

    proptest! {
        #[test]
        fn a_written_line_reads_back_as_the_same_chunk(chunk in chunk()) {
            let mut text = Vec::new();
            let len = write_line(&mut text, &chunk)?;
            prop_assert_eq!(len, text.len() as u64);
            prop_assert_eq!(text.pop(), Some(b'\n'));
            prop_assert_eq!(read_line(&text), Ok(chunk));
        }

        #[test]
        fn both_ways_of_reading_a_line_agree(chunk in chunk(), cut in 0..400_usize, byte in any::<u8>()) {
            let mut text = Vec::new();
            write_line(&mut text, &chunk)?;
            let at = cut % text.len();
            text[at] = byte;
            if let Some(fast) = recorded_line(&text) {
                let slow = any_line(&text[..text.len() - 1]).map_err(|error| {
                    TestCaseError::fail(format!("only the quick way reads it: {error}"))
                })?;
                prop_assert_eq!(fast.text, slow.text);
                prop_assert_eq!(fast.connection_id, slow.connection_id);
                prop_assert_eq!(
                    (fast.chunk_seq, fast.global_seq, fast.elapsed, &fast.kind),
                    (slow.chunk_seq, slow.global_seq, slow.elapsed, &slow.kind)
                );
                prop_assert_eq!((fast.data, fast.data_len), (slow.data, slow.data_len));
                prop_assert_eq!((fast.exit_code, fast.message), (slow.exit_code, slow.message));
            }
        }
    }

    #[test]
    fn what_recorders_write_is_read_the_quick_way() {
        let line = b"{\"connectionId\":\"connection-1\",\"chunkSeq\":1,\"globalSeq\":2,\
            \"elapsedMs\":0,\"kind\":\"exit\",\"exitCode\":-1}\n";
        assert!(recorded_line(line).is_some());
    }

    #[test]
    fn a_negative_zero_is_zero_both_ways() {
        let line = b"{\"connectionId\":\"connection-1\",\"chunkSeq\":1,\"globalSeq\":2,\
            \"elapsedMs\":0,\"kind\":\"exit\",\"exitCode\":-0}\n";
        let quick = recorded_line(line).and_then(|line| line.exit_code);
        let slow = read_line(&line[..line.len() - 1]).unwrap().exit_code;
        assert_eq!((quick, slow), (Some(0), Some(0)));
    }

    #[test]
    fn line_breaks_inside_base64_do_not_count() {
        let chunk = read_line(br#"{"kind":"stdout","data":"QU\r\nJD"}"#).unwrap();
        assert_eq!(chunk.data, b"ABC");
    }
}
