//! A chunk from value to its line of `frames.jsonl`.

use super::base64_text;
use crate::json::write_string;
use crate::schema::{Chunk, MAX_LINE_BYTES};

/// A chunk makes a line that no reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("line has {bytes} bytes, the limit is {limit}")]
pub struct LineTooLong {
    /// The length, the line feed counted.
    pub bytes: u64,
    /// The limit.
    pub limit: u64,
}

/// Appends the line of `chunk`, its line feed included, to `output`; gives the
/// line's length.
///
/// # Errors
/// A line of more than [`MAX_LINE_BYTES`]. `output` is unchanged then.
pub fn write_line(output: &mut Vec<u8>, chunk: &Chunk) -> Result<u64, LineTooLong> {
    let start = output.len();
    output.reserve(160 + chunk.data.len().div_ceil(3) * 4 + chunk.message.len());
    output.extend_from_slice(b"{\"connectionId\":");
    write_string(output, chunk.connection_id.as_str());
    number(output, b",\"chunkSeq\":", chunk.chunk_seq.get());
    number(output, b",\"globalSeq\":", chunk.global_seq.get());
    number(output, b",\"elapsedMs\":", chunk.elapsed.get());
    output.extend_from_slice(b",\"kind\":");
    write_string(output, chunk.kind.as_str());
    if !chunk.data.is_empty() {
        output.extend_from_slice(b",\"data\":\"");
        base64_text::encode_into(output, &chunk.data);
        output.push(b'"');
    }
    if let Some(code) = chunk.exit_code {
        number(output, b",\"exitCode\":", code);
    }
    if !chunk.message.is_empty() {
        output.extend_from_slice(b",\"message\":");
        write_string(output, &chunk.message);
    }
    output.extend_from_slice(b"}\n");
    let bytes = (output.len() - start) as u64;
    if bytes > MAX_LINE_BYTES {
        output.truncate(start);
        return Err(LineTooLong {
            bytes,
            limit: MAX_LINE_BYTES,
        });
    }
    Ok(bytes)
}

/// A further member; `name` with its comma and colon.
fn number(output: &mut Vec<u8>, name: &[u8], number: impl itoa::Integer) {
    output.extend_from_slice(name);
    output.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
