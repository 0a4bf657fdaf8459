//! Showing what differs without showing a secret.

use cassette_format::json::{ValueKind, decode_string, path_at, write_string};

use super::departure::{Bound, Departure, DepartureKind};
use super::findings::Finding;
use super::identities::IdentityConflict;
use super::pairing::Read;
use super::rules::MatchRules;
use super::tree::Node;

/// How many bytes of a value are shown.
const MAX_SHOWN: usize = 120;

/// What stands for a value that may be secret.
const HIDDEN: &str = "(hidden)";

/// Shows the findings of one comparison.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown<'s> {
    pub(super) rules: &'s MatchRules,
    pub(super) expected: Read<'s>,
    pub(super) actual: Read<'s>,
}

impl Shown<'_> {
    pub(super) fn departure(&self, finding: &Finding) -> Departure {
        let (path, kind) = self.told(finding);
        let path = self.rules.secrets.masked(&path);
        Departure { path, kind }
    }

    fn told(&self, finding: &Finding) -> (String, DepartureKind) {
        match finding {
            Finding::Value(a, b) => (recorded_path(self.expected, *a), self.value(*a, *b)),
            Finding::Missing(at) => {
                let expected = self.recorded(*at);
                let path = recorded_path(self.expected, *at);
                (path, DepartureKind::Missing { expected })
            }
            Finding::Unexpected(at) => {
                let found = self.sent(*at, None);
                let path = recorded_path(self.actual, *at);
                (path, DepartureKind::Unexpected { found })
            }
            Finding::Length(a, b) => {
                let expected = self.expected.tree.children(*a).count();
                let found = self.actual.tree.children(*b).count();
                let path = recorded_path(self.expected, *a);
                (path, DepartureKind::Length { expected, found })
            }
            Finding::AnswerId(a, b) => {
                let (expected, found) = (self.recorded(*a), self.sent(*b, Some(*a)));
                let path = recorded_path(self.expected, *a);
                (path, DepartureKind::AnswerId { expected, found })
            }
            Finding::Identity((a, b), conflict) => {
                let kind = self.identity((*a, *b), conflict);
                (recorded_path(self.expected, *a), kind)
            }
        }
    }

    fn value(&self, a: u32, b: u32) -> DepartureKind {
        let (expected, found) = (self.recorded(a), self.sent(b, Some(a)));
        let kind = |read: Read<'_>, at| read.tree.node(at).map(|node| is_word(node.kind));
        if kind(self.expected, a) == kind(self.actual, b) {
            DepartureKind::Value { expected, found }
        } else {
            DepartureKind::Type { expected, found }
        }
    }

    fn identity(&self, (a, b): (u32, u32), conflict: &IdentityConflict) -> DepartureKind {
        let quoted = |text: &str| shortened(&quoted(&self.rules.secrets.masked(text)));
        let bound = match conflict {
            IdentityConflict::Recorded { sent } => Bound::SentAs(quoted(sent)),
            IdentityConflict::Sent { recorded } => Bound::StandsFor(quoted(recorded)),
        };
        DepartureKind::Identity {
            expected: self.recorded(a),
            found: self.sent(b, Some(a)),
            bound,
        }
    }

    fn recorded(&self, at: u32) -> String {
        let Some(node) = self.expected.tree.node(at) else {
            return String::new();
        };
        if self.is_secret(self.expected, node) {
            return HIDDEN.to_owned();
        }
        self.shown(self.expected, at, node)
    }

    /// What was sent, in the place of what was recorded at `instead_of`.
    fn sent(&self, at: u32, instead_of: Option<u32>) -> String {
        let Some(node) = self.actual.tree.node(at) else {
            return String::new();
        };
        let recorded = instead_of.and_then(|at| self.expected.tree.node(at));
        let held_a_secret = recorded.is_some_and(|node| {
            node.kind == ValueKind::String
                && self
                    .rules
                    .secrets
                    .is_unknown_in(&decode_string(self.expected.bytes, node.span()))
        });
        let was_secret = recorded.is_some_and(|node| self.is_secret(self.expected, node));
        if held_a_secret || was_secret || self.is_secret(self.actual, node) {
            return HIDDEN.to_owned();
        }
        self.shown(self.actual, at, node)
    }

    fn is_secret(&self, read: Read<'_>, node: &Node) -> bool {
        node.is_secret(read.bytes, &self.rules.names)
    }

    fn shown(&self, read: Read<'_>, at: u32, node: &Node) -> String {
        match node.kind {
            ValueKind::Object => counted(read.tree.children(at).count(), ("{", "}"), "member"),
            ValueKind::Array => counted(read.tree.children(at).count(), ("[", "]"), "element"),
            ValueKind::String => self.string(read, at, node),
            _ => shortened(&String::from_utf8_lossy(node.span().text(read.bytes))),
        }
    }

    /// A text as the caller's rules and the secrets leave it.
    fn string(&self, read: Read<'_>, at: u32, node: &Node) -> String {
        let text = decode_string(read.bytes, node.span());
        let ruled = self.rules.ruled(&read.name(at), &text);
        let masked = self.rules.secrets.masked(ruled.as_deref().unwrap_or(&text));
        shortened(&quoted(&masked))
    }
}

/// One departure that has no place in a message.
pub(super) const fn placeless(kind: DepartureKind) -> Departure {
    let path = String::new();
    Departure { path, kind }
}

fn recorded_path(read: Read<'_>, at: u32) -> String {
    let node = read.tree.node(at);
    let offset = node.map_or(0, |node| node.span().start);
    path_at(read.bytes, offset)
}

/// `true` and `false` are of one type.
const fn is_word(kind: ValueKind) -> ValueKind {
    match kind {
        ValueKind::False => ValueKind::True,
        kind => kind,
    }
}

fn counted(count: usize, (open, close): (&str, &str), what: &str) -> String {
    match count {
        0 => format!("{open}{close}"),
        1 => format!("{open}1 {what}{close}"),
        count => format!("{open}{count} {what}s{close}"),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = Vec::new();
    write_string(&mut quoted, text);
    let quoted = String::from_utf8_lossy(&quoted);
    let mut shown = String::with_capacity(quoted.len());
    for character in quoted.chars() {
        if moves_the_cursor(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a terminal does something else with a character than to show it: control
/// characters, line and paragraph ends, marks of direction.
const fn moves_the_cursor(character: char) -> bool {
    matches!(
        character,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

/// The beginning of a text that is long.
fn shortened(text: &str) -> String {
    if text.len() <= MAX_SHOWN {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_SHOWN);
    let left = text.len() - end;
    format!("{}… and {left} bytes more", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_between_characters() {
        let text = "é".repeat(100);
        let shown = shortened(&text);
        assert_eq!(shown, format!("{}… and 80 bytes more", "é".repeat(60)));
        let odd = format!("x{text}");
        assert!(shortened(&odd).ends_with("… and 82 bytes more"));
        assert_eq!(shortened("short"), "short");
    }

    #[test]
    fn what_would_move_the_cursor_is_escaped() {
        assert_eq!(quoted("a\n\u{1b}[2J"), r#""a\n\u001b[2J""#);
        assert_eq!(quoted("\u{7f}\u{202e}x"), r#""\u{7f}\u{202e}x""#);
    }

    #[test]
    fn containers_are_shown_by_their_size() {
        assert_eq!(counted(0, ("{", "}"), "member"), "{}");
        assert_eq!(counted(1, ("[", "]"), "element"), "[1 element]");
        assert_eq!(counted(2, ("{", "}"), "member"), "{2 members}");
    }
}
