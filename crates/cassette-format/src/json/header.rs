//! Reading a `Content-Length` header as its bytes arrive.

use memchr::memchr;

/// A header of which some lines have been read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Header {
    /// Bytes of whole lines that have been read.
    read: usize,
    /// Bytes in which no further line end was found; at least `read`.
    searched: usize,
    length: Option<u64>,
}

/// How far a header is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The empty line has not come.
    Unfinished,
    /// Length of the header with its empty line, and of the body.
    Finished { header: usize, body: u64 },
}

/// What is wrong with a header, and where in the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    Line { offset: usize },
    Length { offset: usize },
    NoLength,
}

/// Writes a header, or none, for a body of another length.
pub(super) fn write_header(output: &mut Vec<u8>, header: &[u8], body: usize) {
    for line in header.split_inclusive(|byte| *byte == b'\n') {
        let field = memchr(b':', line).map(|colon| line.split_at(colon + 1));
        match field {
            Some((name, value)) if is_content_length(&name[..name.len() - 1]) => {
                let digits = value.trim_ascii();
                let before = value.len() - value.trim_ascii_start().len();
                output.extend_from_slice(name);
                output.extend_from_slice(&value[..before]);
                output.extend_from_slice(body.to_string().as_bytes());
                output.extend_from_slice(&value[before + digits.len()..]);
            }
            _ => output.extend_from_slice(line),
        }
    }
}

impl Header {
    /// Reads on in `message`, which holds all bytes of the message so far and
    /// begins as it did in the call before.
    pub(super) fn read(&mut self, message: &[u8]) -> Result<Progress, HeaderError> {
        while let Some(found) = memchr(b'\n', message.get(self.searched..).unwrap_or_default()) {
            let start = self.read;
            let end = self.searched + found;
            let line = &message[start..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.read = end + 1;
            self.searched = self.read;
            if !line.is_empty() {
                self.read_field(line, start)?;
                continue;
            }
            let header = self.read;
            let body = self.length.ok_or(HeaderError::NoLength)?;
            return Ok(Progress::Finished { header, body });
        }
        self.searched = message.len();
        Ok(Progress::Unfinished)
    }

    fn read_field(&mut self, line: &[u8], offset: usize) -> Result<(), HeaderError> {
        let colon = memchr(b':', line).ok_or(HeaderError::Line { offset })?;
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        let name = name.trim_ascii();
        if name.is_empty() || !name.iter().all(is_name_byte) {
            return Err(HeaderError::Line { offset });
        }
        if !is_content_length(name) {
            return Ok(());
        }
        let length = parse_length(value.trim_ascii()).ok_or(HeaderError::Length { offset })?;
        if self.length.is_some_and(|known| known != length) {
            return Err(HeaderError::Length { offset });
        }
        self.length = Some(length);
        Ok(())
    }
}

fn is_content_length(name: &[u8]) -> bool {
    name.trim_ascii().eq_ignore_ascii_case(b"content-length")
}

/// The characters of a field name (RFC 9110, `token`): JSON has others.
fn is_name_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

fn parse_length(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &[u8]) -> Result<Progress, HeaderError> {
        Header::default().read(header)
    }

    #[test]
    fn header_reads_the_length_among_other_fields() {
        let text = b"X-Trace: a:b\r\ncontent-LENGTH:  12 \r\nContent-Type: x\r\n\r\n{}";
        let header = text.len() - 2;
        assert_eq!(read(text), Ok(Progress::Finished { header, body: 12 }));
        let text = b"Content-Length: 3\nContent-Length: 3\n\n";
        let header = text.len();
        assert_eq!(read(text), Ok(Progress::Finished { header, body: 3 }));
        assert_eq!(read(b"Content-Length: 3\r\n\r"), Ok(Progress::Unfinished));
        assert_eq!(read(b""), Ok(Progress::Unfinished));
    }

    #[test]
    fn only_the_length_changes_in_a_header_that_is_written_for_another_body() {
        let mut written = Vec::new();
        let text = b"X-Trace: a:b\r\ncontent-LENGTH:  12 \r\nContent-Type: x\n\r\n";
        write_header(&mut written, text, 1234);
        let expected = b"X-Trace: a:b\r\ncontent-LENGTH:  1234 \r\nContent-Type: x\n\r\n";
        assert_eq!(&written[..], expected);
        written.clear();
        write_header(&mut written, b"", 7);
        assert_eq!(&written[..], b"");
    }

    #[test]
    fn bad_headers_are_told_apart() {
        let line = |offset| Err(HeaderError::Line { offset });
        let length = |offset| Err(HeaderError::Length { offset });
        assert_eq!(read(b"{\"a\":1}\n"), line(0));
        assert_eq!(read(b"a: b\n no colon\n"), line(5));
        assert_eq!(read(b": 3\n"), line(0));
        for value in ["", "-1", "+1", "1 2", "0x1", "99999999999999999999"] {
            assert_eq!(
                read(format!("Content-Length:{value}\n").as_bytes()),
                length(0)
            );
        }
        assert_eq!(read(b"Content-Length: 3\nContent-Length: 4\n"), length(18));
        assert_eq!(read(b"A: b\n\n"), Err(HeaderError::NoLength));
        assert_eq!(read(b"\r\n"), Err(HeaderError::NoLength));
    }
}
