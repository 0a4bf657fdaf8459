//! Writing the text of a string as JSON.

/// Appends `text` to `output` as a JSON string, quotes included.
///
/// Escapes only what must be: `"`, `\` and control characters, these in their
/// short forms (`\b`, `\f`, `\n`, `\r`, `\t`) or as `\u00xx`. `<`, `>`, `&`,
/// U+2028 and U+2029 stay as they are.
pub fn write_string(output: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    output.reserve(bytes.len() + 2);
    output.push(b'"');
    let mut written = 0;
    for (offset, byte) in bytes.iter().enumerate() {
        let short = match byte {
            b'"' | b'\\' => *byte,
            0x08 => b'b',
            0x0c => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x20.. => continue,
            ..0x20 => b'u',
        };
        output.extend_from_slice(&bytes[written..offset]);
        output.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            let digits = [b'0', b'0', b'0' + (byte >> 4), hex_digit(byte & 0xf)];
            output.extend_from_slice(&digits);
        }
        written = offset + 1;
    }
    output.extend_from_slice(&bytes[written..]);
    output.push(b'"');
}

const fn hex_digit(value: u8) -> u8 {
    match value {
        0..10 => b'0' + value,
        _ => b'a' + value - 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(text: &str) -> String {
        let mut output = Vec::new();
        write_string(&mut output, text);
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn encoder_escapes_only_what_it_must() {
        assert_eq!(encoded("a\"\\\u{8}\u{c}\n\r\t"), r#""a\"\\\b\f\n\r\t""#);
        assert_eq!(encoded("\0\u{1f}\u{b}"), r#""\u0000\u001f\u000b""#);
        assert_eq!(
            encoded("</>&\u{7f}\u{2028}é😀"),
            "\"</>&\u{7f}\u{2028}é😀\""
        );
        assert_eq!(encoded(""), r#""""#);
    }

    #[test]
    fn encoder_agrees_with_serde_json_on_every_ascii_character() {
        let text: String = (0..=0x7f_u8).map(char::from).collect();
        assert_eq!(encoded(&text), serde_json::to_string(&text).unwrap());
    }
}
