//! Documents made up from a list of choices, together with the tokens that
//! they consist of; and ways to damage them.

use proptest::prelude::{Strategy, any, prop};

use crate::json::{Span, Token, TokenKind};

/// A sequence of JSON texts and what a scanner must find in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Document {
    pub(super) bytes: Vec<u8>,
    pub(super) tokens: Vec<Token>,
}

/// Documents of all shapes.
pub(super) fn documents() -> impl Strategy<Value = Document> {
    prop::collection::vec(any::<u8>(), 0..160).prop_map(|choices| Document::from_choices(&choices))
}

/// Documents, most of them broken.
pub(super) fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<u16>(), any::<u8>(), any::<u8>()), 0..5);
    (documents(), damage).prop_map(|(document, damage)| {
        let mut bytes = document.bytes;
        for (place, operation, choice) in damage {
            damage_one(&mut bytes, usize::from(place), (operation, choice));
        }
        bytes
    })
}

const WHITE: [&str; 8] = ["", "", "", "", " ", "\n", "\t\r\n  ", "          "];

const NUMBERS: [&str; 12] = [
    "0",
    "-0",
    "7",
    "-12",
    "1.50e2",
    "1e999",
    "-1E-999",
    "0.0e+00",
    "1.0",
    "18446744073709551616",
    "1234567890123456789012345678901234567890",
    "0.1234567890123456789012345678901234567890",
];

const TEXTS: [&str; 20] = [
    "",
    "a",
    "cwd",
    "c\\u0077d",
    "path",
    "\\ud800",
    "\\udc00",
    "\\ud83d\\ude00",
    "\\uD83D\\uDE00",
    "\\n\\t\\r\\b\\f",
    "\\\"",
    "\\\\",
    "\\/",
    "é",
    "日本語",
    "😀",
    "\u{2028}\u{7f}",
    "{[,:]}",
    "a longer run of plain text, more than two words of eight",
    "\\u0000",
];

const INTERESTING: [&[u8]; 24] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"0",
    b"1",
    b"-",
    b"+",
    b".",
    b"e",
    b"t",
    b" ",
    b"\n",
    b"\x00",
    b"\x1f",
    b"\x80",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\u12",
    b"\xed\xa0\x80",
];

impl Document {
    fn from_choices(choices: &[u8]) -> Self {
        let mut document = Self::default();
        let mut choices = choices.iter().copied();
        while let Some(choice) = choices.next() {
            document.white(&mut choices);
            let begin = document.bytes.len();
            document.value(choice, &mut choices, 0);
            // Two numbers or words must be kept apart.
            if !matches!(document.bytes[begin], b'"' | b'{' | b'[') {
                document.bytes.push(b'\n');
            }
        }
        document
    }

    fn value(&mut self, choice: u8, choices: &mut dyn Iterator<Item = u8>, depth: usize) {
        match choice % 16 {
            0..3 => self.scalar(TokenKind::Number, pick(&NUMBERS, choices)),
            3 => self.scalar(TokenKind::True, "true"),
            4 => self.scalar(TokenKind::False, "false"),
            5 => self.scalar(TokenKind::Null, "null"),
            6..9 => self.string(TokenKind::String, choices),
            9..13 if depth < 70 => self.object(choices, depth),
            13.. if depth < 70 => self.array(choices, depth),
            _ => self.scalar(TokenKind::Number, "1"),
        }
    }

    fn object(&mut self, choices: &mut dyn Iterator<Item = u8>, depth: usize) {
        self.scalar(TokenKind::BeginObject, "{");
        self.white(choices);
        let mut separator = "";
        while let Some(choice) = choices.next().filter(|choice| choice % 4 != 0) {
            self.bytes.extend(separator.bytes());
            self.white(choices);
            self.string(TokenKind::Key, choices);
            self.white(choices);
            self.bytes.push(b':');
            self.white(choices);
            self.value(choice / 4, choices, depth + 1);
            self.white(choices);
            separator = ",";
        }
        self.scalar(TokenKind::EndObject, "}");
    }

    fn array(&mut self, choices: &mut dyn Iterator<Item = u8>, depth: usize) {
        self.scalar(TokenKind::BeginArray, "[");
        self.white(choices);
        let mut separator = "";
        while let Some(choice) = choices.next().filter(|choice| choice % 4 != 0) {
            self.bytes.extend(separator.bytes());
            self.white(choices);
            self.value(choice / 4, choices, depth + 1);
            self.white(choices);
            separator = ",";
        }
        self.scalar(TokenKind::EndArray, "]");
    }

    fn string(&mut self, kind: TokenKind, choices: &mut dyn Iterator<Item = u8>) {
        let mut text = String::from("\"");
        while let Some(choice) = choices.next().filter(|choice| choice % 3 != 0) {
            text.push_str(TEXTS[usize::from(choice / 3) % TEXTS.len()]);
        }
        text.push('"');
        self.scalar(kind, &text);
    }

    fn scalar(&mut self, kind: TokenKind, text: &str) {
        let start = self.bytes.len();
        self.bytes.extend(text.bytes());
        let span = Span::new(start, self.bytes.len());
        self.tokens.push(Token { kind, span });
    }

    fn white(&mut self, choices: &mut dyn Iterator<Item = u8>) {
        self.bytes.extend(pick(&WHITE, choices).bytes());
    }
}

fn pick<'a>(list: &[&'a str], choices: &mut dyn Iterator<Item = u8>) -> &'a str {
    list[usize::from(choices.next().unwrap_or_default()) % list.len()]
}

fn damage_one(bytes: &mut Vec<u8>, place: usize, (operation, choice): (u8, u8)) {
    let place = place % (bytes.len() + 1);
    let interesting = INTERESTING[usize::from(choice) % INTERESTING.len()];
    let end = (place + usize::from(choice % 8)).min(bytes.len());
    match operation % 6 {
        0 => bytes.truncate(place),
        1 => drop(bytes.drain(place..end)),
        2 => drop(bytes.splice(place..end, interesting.iter().copied())),
        3 => drop(bytes.splice(place..place, interesting.iter().copied())),
        4 => {
            let copy = bytes[place..end].to_vec();
            bytes.extend(copy);
        }
        _ => {
            if let Some(byte) = bytes.get_mut(place) {
                *byte = choice;
            }
        }
    }
}
