//! Naming a place for people: `$.params.items[3].cwd`.

use super::{Reader, Span, TokenKind, decode_string};

/// Levels that a path names; deeper ones become `…`.
const MAX_LEVELS: usize = 64;
/// Bytes of a key that a path shows; one that is longer becomes `…`.
const MAX_KEY: usize = 64;

/// The path of the innermost value or member at `offset` of `bytes`.
///
/// For error messages: scans again from the start (linear in `offset`), so
/// call it only once there is something to say. `$` is the value at the top,
/// `$#2` the second one where `bytes` holds several; `.key` and `["a-key"]` are
/// members, `[0]` elements. Values are never shown, nor is a key that may say
/// more than a name does: what is not made of ASCII letters, digits and `_`, `-`,
/// `.`, `$`, 64 bytes at most, becomes `["…"]`. Of bytes that are not JSON it is
/// the path as far as one can be recognised. At most 64 levels are shown.
#[must_use]
pub fn path_at(bytes: &[u8], offset: usize) -> String {
    paths_at(bytes, &[offset]).pop().unwrap_or_default()
}

/// The same for several offsets, in ascending order: scans once.
pub(crate) fn paths_at(bytes: &[u8], offsets: &[usize]) -> Vec<String> {
    let mut offsets = offsets.iter().peekable();
    let mut paths = Vec::new();
    let mut trail = Trail::new();
    for token in Reader::within(bytes, Span::whole(bytes)) {
        while offsets
            .next_if(|offset| token.span.start > **offset)
            .is_some()
        {
            paths.push(trail.text(bytes));
        }
        if offsets.peek().is_none() {
            return paths;
        }
        match token.kind {
            TokenKind::Key => trail.enter_member(token.span),
            TokenKind::EndObject | TokenKind::EndArray => trail.close(),
            kind => {
                trail.enter_value();
                match kind {
                    TokenKind::BeginObject => trail.open(None),
                    TokenKind::BeginArray => trail.open(Some(0)),
                    _ => {}
                }
            }
        }
        while offsets
            .next_if(|offset| token.span.end > **offset)
            .is_some()
        {
            paths.push(trail.text(bytes));
        }
    }
    paths.extend(offsets.map(|_| trail.text(bytes)));
    paths
}

/// The way down to the present place, at most [`MAX_LEVELS`] deep.
struct Trail {
    /// The top, which holds values as a list does, and the open containers.
    levels: Vec<Level>,
    /// How many containers are open.
    depth: usize,
    /// Whether a key was read last, whose value comes next.
    keyed: bool,
}

/// The top or an open container.
struct Level {
    /// Index of the next element; `None` in an object.
    next: Option<usize>,
    step: Step,
}

/// The child that was reached last.
#[derive(Clone, Copy)]
enum Step {
    None,
    Member(Span),
    Element(usize),
}

impl Trail {
    fn new() -> Self {
        let (next, step) = (Some(0), Step::None);
        Self {
            levels: vec![Level { next, step }],
            depth: 0,
            keyed: false,
        }
    }

    fn open(&mut self, next: Option<usize>) {
        self.depth += 1;
        if self.depth <= MAX_LEVELS {
            let step = Step::None;
            self.levels.push(Level { next, step });
        }
    }

    fn close(&mut self) {
        if self.depth <= MAX_LEVELS {
            self.levels.pop();
        }
        self.depth -= 1;
        self.keyed = false;
    }

    fn enter_member(&mut self, key: Span) {
        self.keyed = true;
        if let Some(level) = self.innermost() {
            level.step = Step::Member(key);
        }
    }

    fn enter_value(&mut self) {
        if std::mem::take(&mut self.keyed) {
            return;
        }
        if let Some(level) = self.innermost() {
            level.step = level.next.map_or(Step::None, Step::Element);
            level.next = level.next.map(|index| index + 1);
        }
    }

    fn innermost(&mut self) -> Option<&mut Level> {
        if self.depth > MAX_LEVELS {
            return None;
        }
        self.levels.last_mut()
    }

    fn text(&self, bytes: &[u8]) -> String {
        let mut path = String::from("$");
        for (depth, level) in self.levels.iter().enumerate() {
            match level.step {
                Step::Element(0) if depth == 0 => {}
                Step::Element(index) if depth == 0 => path.push_str(&format!("#{}", index + 1)),
                Step::Element(index) => path.push_str(&format!("[{index}]")),
                Step::Member(key) => push_key(&mut path, &decode_string(bytes, key)),
                Step::None => {}
            }
        }
        if self.depth > MAX_LEVELS {
            path.push('…');
        }
        path
    }
}

/// Keys are names, but also paths, e-mail addresses, or whatever a map is of;
/// only what can be but a name is shown.
fn push_key(path: &mut String, key: &str) {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = |byte: u8| is_word(byte) || matches!(byte, b'-' | b'.' | b'$');
    if key.is_empty() || key.len() > MAX_KEY || !key.bytes().all(is_name) {
        path.push_str("[\"…\"]");
    } else if key.bytes().all(is_word) {
        path.push('.');
        path.push_str(key);
    } else {
        path.push_str(&format!("[\"{key}\"]"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_names_every_place() {
        let text = r#"{"a":[10,{"odd-key":{"c\u0077d":"x"}},[]],"b":1} [9]"#;
        for (needle, path) in [
            ("{\"a", "$"),
            ("\"a", "$.a"),
            ("[10", "$.a"),
            ("10", "$.a[0]"),
            ("{\"odd", "$.a[1]"),
            ("\"odd", "$.a[1][\"odd-key\"]"),
            ("{\"c", "$.a[1][\"odd-key\"]"),
            ("\"x", "$.a[1][\"odd-key\"].cwd"),
            ("[]", "$.a[2]"),
            ("],\"b", "$.a"),
            ("1}", "$.b"),
            ("} [", "$"),
            ("9", "$#2[0]"),
        ] {
            let offset = text.find(needle).unwrap();
            assert_eq!(path_at(text.as_bytes(), offset), path, "{needle}");
        }
    }

    #[test]
    fn paths_of_many_places_are_those_of_each() {
        let text = br#"{"a":[10,{"b":"x"},[[]]],"c":1} [9] "#;
        let offsets: Vec<usize> = (0..=text.len()).collect();
        let each: Vec<String> = offsets.iter().map(|at| path_at(text, *at)).collect();
        assert_eq!(paths_at(text, &offsets), each);
    }

    #[test]
    fn of_a_key_that_is_no_plain_name_nothing_is_shown() {
        let path = |key: &str| {
            let text = format!("{{\"{key}\":{{\"k\":1}}}}");
            path_at(text.as_bytes(), text.find("1}").unwrap())
        };
        for name in ["a-b", "$ref", "v1.2", &"k".repeat(60).replace("kk", "k-")] {
            assert_eq!(path(name), format!("$[\"{name}\"].k"));
        }
        for key in [
            "/home/ada",
            "ada@corp",
            "a b",
            "",
            "é",
            "\\u001b[2J",
            "\u{9b}31m\u{202e}",
            "a\\\"b",
            &"k".repeat(65),
        ] {
            assert_eq!(path(key), "$[\"…\"].k", "{key}");
        }
    }

    #[test]
    fn path_of_broken_json_is_the_way_to_the_break() {
        let bytes = br#"{"a":{"b":[1,x]}}"#;
        assert_eq!(path_at(bytes, 13), "$.a.b[0]");
        let bytes = br#"{"a":{"b":x "c":{"d":1]]},"e":2 "f":3"#;
        for (needle, path) in [("1]", "$.a.c.d"), ("2 ", "$.e"), ("3", "$.f")] {
            let offset = bytes
                .windows(needle.len())
                .position(|it| it == needle.as_bytes());
            assert_eq!(path_at(bytes, offset.unwrap()), path, "{needle}");
        }
        assert_eq!(path_at(b"\"a\":{\"b\":1}} [2] \"c\":3", 9), "$.a.b");
        assert_eq!(path_at(b"\"a\":{\"b\":1}} [2] \"c\":3", 14), "$#2[0]");
        assert_eq!(path_at(b"\"a\":{\"b\":1}} [2] \"c\":3", 21), "$.c");
        assert_eq!(path_at(br#"["a":{"b":1},"c"]"#, 10), "$.a.b");
        assert_eq!(path_at(br#"["a":{"b":1},"c"]"#, 14), "$[1]");
        assert_eq!(path_at(br#"{"a":1,"b" {"c":2}}"#, 16), "$.c");
        assert_eq!(path_at(b"", 0), "$");
        assert_eq!(path_at(b"x", 0), "$");
    }

    #[test]
    fn path_finds_its_way_back_from_the_depths() {
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let text = format!("{{\"a\":{deep},\"b\":true}}");
        assert_eq!(path_at(text.as_bytes(), text.len() - 2), "$.b");
    }

    #[test]
    fn path_stays_short_however_deep_and_long() {
        let mut bytes = br#"{"k":"#.repeat(500_000);
        assert!(path_at(&bytes, bytes.len() - 1).ends_with("k.k…"));
        assert!(path_at(&bytes, bytes.len() - 1).len() < 200);
        bytes = format!("{{\"{}\":1}}", "k".repeat(10_000)).into_bytes();
        assert_eq!(path_at(&bytes, 2), "$[\"…\"]");
    }
}
