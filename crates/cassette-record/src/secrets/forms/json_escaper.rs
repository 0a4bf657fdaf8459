//! The text of a JSON string, as the encoders of several languages write it.

use super::hex_forms::{LOWER, UPPER, pair};

/// Which marks are escaped besides those that must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonMarks {
    /// None: serde_json, JavaScript, Python.
    Needed,
    /// `/`, by a backslash: PHP.
    Slash,
    /// `<`, `>`, `&`: Go.
    Html,
    /// `<`, `>`, `&`, `=`, `'`: Gson.
    Gson,
    /// `"`, `&`, `'`, `+`, `<`, `>`, `` ` ``: .NET.
    DotNet,
    /// All but letters and digits, and `"` and `\` too, by their numbers.
    All,
}

/// Whether what is not ASCII is escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NonAscii {
    Kept,
    Escaped,
}

/// One way to write the text of a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonEscaper {
    marks: JsonMarks,
    non_ascii: NonAscii,
    digits: &'static [u8; 16],
}

impl JsonEscaper {
    /// Escapes what must be: serde_json, JavaScript.
    pub(super) const MINIMAL: Self = Self {
        marks: JsonMarks::Needed,
        non_ascii: NonAscii::Kept,
        digits: LOWER,
    };

    /// Writes printable ASCII only: Python.
    pub(super) const ASCII: Self = Self {
        non_ascii: NonAscii::Escaped,
        ..Self::MINIMAL
    };

    /// Every way there is.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use JsonMarks::{All, DotNet, Gson, Html, Needed, Slash};
        [Needed, Slash, Html, Gson, DotNet, All]
            .into_iter()
            .flat_map(|marks| {
                [NonAscii::Kept, NonAscii::Escaped].map(|non_ascii| (marks, non_ascii))
            })
            .flat_map(|(marks, non_ascii)| Self::both_cases(marks, non_ascii))
    }

    /// One way, with lower and upper case digits.
    pub(super) fn both_cases(marks: JsonMarks, non_ascii: NonAscii) -> [Self; 2] {
        [LOWER, UPPER].map(|digits| Self {
            marks,
            non_ascii,
            digits,
        })
    }

    /// `value` as the text of a string, without the quotes. Bytes that are not
    /// UTF-8 stay as they are.
    pub(super) fn escape(self, value: &[u8]) -> Vec<u8> {
        let mut output = Vec::with_capacity(value.len());
        for piece in value.utf8_chunks() {
            for character in piece.valid().chars() {
                self.character(&mut output, character);
            }
            output.extend_from_slice(piece.invalid());
        }
        output
    }

    fn character(self, output: &mut Vec<u8>, character: char) {
        let escaped = match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => false,
            '/' if self.marks == JsonMarks::Slash => {
                output.extend_from_slice(b"\\/");
                return;
            }
            _ if self.marks == JsonMarks::All && character.is_ascii() => true,
            '"' if self.marks == JsonMarks::DotNet => true,
            '"' => return short(output, b'"'),
            '\\' => return short(output, b'\\'),
            '\n' => return short(output, b'n'),
            '\r' => return short(output, b'r'),
            '\t' => return short(output, b't'),
            '\u{8}' => return short(output, b'b'),
            '\u{c}' => return short(output, b'f'),
            ..' ' => true,
            // Go escapes these two line ends whatever else it keeps.
            '\u{2028}' | '\u{2029}' if self.marks == JsonMarks::Html => true,
            '\u{7f}'.. => self.non_ascii == NonAscii::Escaped,
            _ => self.marks.extra().contains(character),
        };
        if escaped {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                output.extend_from_slice(b"\\u");
                for byte in unit.to_be_bytes() {
                    output.extend(pair(self.digits, byte));
                }
            }
        } else {
            output.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

impl JsonMarks {
    const fn extra(self) -> &'static str {
        match self {
            Self::Needed | Self::Slash | Self::All => "",
            Self::Html => "<>&",
            Self::Gson => "<>&='",
            Self::DotNet => "&'+<>`",
        }
    }
}

/// A backslash and a letter.
fn short(output: &mut Vec<u8>, letter: u8) {
    output.extend_from_slice(&[b'\\', letter]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(escaper: JsonEscaper, value: &str) -> String {
        String::from_utf8(escaper.escape(value.as_bytes())).unwrap()
    }

    fn with(marks: JsonMarks) -> JsonEscaper {
        JsonEscaper {
            marks,
            ..JsonEscaper::MINIMAL
        }
    }

    #[test]
    fn each_escaper_writes_as_its_model_does() {
        let value = "a\"\\/<é\u{1}\n+='\u{1f511}\u{7f}";
        assert_eq!(
            escaped(JsonEscaper::MINIMAL, value),
            "a\\\"\\\\/<é\\u0001\\n+='\u{1f511}\u{7f}"
        );
        assert_eq!(
            escaped(JsonEscaper::ASCII, value),
            r#"a\"\\/<\u00e9\u0001\n+='\ud83d\udd11\u007f"#
        );
        assert_eq!(escaped(with(JsonMarks::Slash), "a/\""), r#"a\/\""#);
        assert_eq!(
            escaped(with(JsonMarks::Html), "<>&'="),
            r"\u003c\u003e\u0026'="
        );
        assert_eq!(escaped(with(JsonMarks::Gson), "&'="), r"\u0026\u0027\u003d");
        assert_eq!(
            escaped(with(JsonMarks::DotNet), "\"\\+/"),
            r"\u0022\\\u002b/"
        );
        assert_eq!(
            escaped(with(JsonMarks::All), "-\\\n_"),
            r"\u002d\u005c\u000a\u005f"
        );
    }

    #[test]
    fn minimal_escaper_agrees_with_serde_json() {
        let text: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        let expected = serde_json::to_string(&text).unwrap();
        assert_eq!(
            format!("\"{}\"", escaped(JsonEscaper::MINIMAL, &text)),
            expected
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_stay() {
        assert_eq!(JsonEscaper::ASCII.escape(b"a\xff\""), b"a\xff\\\"");
    }
}
