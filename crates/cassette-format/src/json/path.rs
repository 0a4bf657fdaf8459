//! Naming a place for people: `$.params.items[3].cwd`.

use super::{Scanner, Span, TokenKind, decode_string, write_string};

/// Levels that a path names; deeper ones become `…`.
const MAX_LEVELS: usize = 64;
/// Characters of a key that a path shows; the others become `…`.
const MAX_KEY_CHARS: usize = 64;

/// The path of the innermost value or member at `offset` of `bytes`.
///
/// For error messages: scans again from the start (linear in `offset`), so
/// call it only once there is something to say. `$` is the value at the top,
/// each one where `bytes` holds several; `.key` and `["odd key"]` are members,
/// `[0]` elements. Of bytes that are not JSON it is the path as far as they
/// can be read. At most 64 levels and 64 characters a key are shown; values
/// never are.
#[must_use]
pub fn path_at(bytes: &[u8], offset: usize) -> String {
    paths_at(bytes, &[offset]).pop().unwrap_or_default()
}

/// The same for several offsets, in ascending order: scans once.
pub(crate) fn paths_at(bytes: &[u8], offsets: &[usize]) -> Vec<String> {
    let mut offsets = offsets.iter().peekable();
    let mut paths = Vec::new();
    let mut scanner = Scanner::new(bytes);
    let mut trail = Trail::default();
    while let Ok(Some(token)) = scanner.next_token() {
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
                trail.enter_element();
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
#[derive(Default)]
struct Trail {
    levels: Vec<Level>,
    depth: usize,
}

/// One open container.
struct Level {
    /// Index of the next element; `None` in an object.
    next: Option<usize>,
    step: Step,
}

/// The child of a container that was reached last.
#[derive(Clone, Copy)]
enum Step {
    None,
    Member(Span),
    Element(usize),
}

impl Trail {
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
        self.depth = self.depth.saturating_sub(1);
    }

    fn enter_member(&mut self, key: Span) {
        if let Some(level) = self.innermost() {
            level.step = Step::Member(key);
        }
    }

    fn enter_element(&mut self) {
        if let Some(level) = self.innermost()
            && let Some(index) = level.next
        {
            level.step = Step::Element(index);
            level.next = Some(index + 1);
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
        for level in &self.levels {
            match level.step {
                Step::None => {}
                Step::Member(key) => push_key(&mut path, &decode_string(bytes, key)),
                Step::Element(index) => {
                    path.push_str(&format!("[{index}]"));
                }
            }
        }
        if self.depth > MAX_LEVELS {
            path.push('…');
        }
        path
    }
}

fn push_key(path: &mut String, key: &str) {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let is_cut = key.chars().nth(MAX_KEY_CHARS).is_some();
    if !key.is_empty() && !is_cut && key.chars().all(is_plain) {
        path.push('.');
        path.push_str(key);
        return;
    }
    let mut shown: String = key.chars().take(MAX_KEY_CHARS).collect();
    if is_cut {
        shown.push('…');
    }
    let mut quoted = Vec::new();
    write_string(&mut quoted, &shown);
    path.push('[');
    for character in String::from_utf8_lossy(&quoted).chars() {
        if steers(character) {
            path.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            path.push(character);
        }
    }
    path.push(']');
}

/// Whether a character would steer a terminal or turn the text around it.
fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_names_every_place() {
        let text = r#"{"a":[10,{"odd key":{"c\u0077d":"x"}},[]],"b":1} [9]"#;
        for (needle, path) in [
            ("{\"a", "$"),
            ("\"a", "$.a"),
            ("[10", "$.a"),
            ("10", "$.a[0]"),
            ("{\"odd", "$.a[1]"),
            ("\"odd", "$.a[1][\"odd key\"]"),
            ("{\"c", "$.a[1][\"odd key\"]"),
            ("\"x", "$.a[1][\"odd key\"].cwd"),
            ("[]", "$.a[2]"),
            ("],\"b", "$.a"),
            ("1}", "$.b"),
            ("} [", "$"),
            ("9", "$[0]"),
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
    fn keys_cannot_steer_a_terminal() {
        let text = "{\"\\u001b[2J\u{9b}31m\u{202e}\u{7f}é\":1}";
        assert_eq!(
            path_at(text.as_bytes(), 2),
            r#"$["\u001b[2J\u009b31m\u202e\u007fé"]"#
        );
    }

    #[test]
    fn path_of_broken_json_is_the_way_to_the_break() {
        let bytes = br#"{"a":{"b":[1,x]}}"#;
        assert_eq!(path_at(bytes, 13), "$.a.b[0]");
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
        bytes = format!("{{\"{}\":1}}", "é".repeat(10_000)).into_bytes();
        assert_eq!(path_at(&bytes, 2), format!("$[\"{}…\"]", "é".repeat(64)));
    }
}
