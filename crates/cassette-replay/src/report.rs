//! The report of a message that does not match.

use crate::expected::{Expected, ExpectedMessage};
use crate::matching::{Correspondence, Difference, Envelope, MatchRules, Matcher, MessageId};
use crate::mismatch::{Elsewhere, MessagePlace, Mismatch};
use crate::script::Script;

/// Bytes of recorded messages with which one that does not match is compared, at most.
const MAX_COMPARED: usize = 64 << 20;
/// The similarity of what matches.
const MATCHES: u16 = 1000;
/// Characters of a method that are shown.
const MAX_SHOWN: usize = 80;

/// What is told of a message that is not the expected one.
pub(crate) fn report(
    script: &Script,
    (matcher, known): (&mut Matcher, &Correspondence),
    (expected, actual): (&ExpectedMessage, &[u8]),
    difference: Difference,
) -> Mismatch {
    let elsewhere = find(script, (matcher, known), (expected.number, actual));
    Mismatch {
        connection_id: script.connection_id().clone(),
        place: place(script, expected),
        expected: described(matcher.rules(), &expected.content),
        sent: described(matcher.rules(), actual),
        difference,
        elsewhere,
    }
}

/// Where else on the tape a message stands: the next place, else the last one before.
fn find(
    script: &Script,
    (matcher, known): (&mut Matcher, &Correspondence),
    (number, actual): (u64, &[u8]),
) -> Option<Elsewhere> {
    let rules = matcher.shared_rules();
    let mut messages = Expected::new(rules.cut(), rules.skips_blanks());
    let mut search = matcher.search(actual, known);
    let (mut before, mut compared) = (None, 0);
    while let Some(message) = messages.next_message(script) {
        compared += message.content.len();
        if compared > MAX_COMPARED {
            break;
        }
        if message.number == number || search.similarity(&message.content) < MATCHES {
            continue;
        }
        let place = place(script, &message);
        if message.number > number {
            return Some(Elsewhere::Later(place));
        }
        before = Some(Elsewhere::Before(place));
    }
    before
}

fn place(script: &Script, message: &ExpectedMessage) -> MessagePlace {
    MessagePlace {
        message: message.number,
        chunk_seq: Script::chunk_seq(message.first),
        global_seq: script.global_seq(message.first),
    }
}

/// What a message is, such as `request "turn/start" with id 3`.
pub(crate) fn described(rules: &MatchRules, content: &[u8]) -> String {
    match rules.envelope(content) {
        Envelope::Request { id, method } => {
            let (method, id) = (shown(rules, &method), identified(rules, &id));
            format!("request {method} with id {id}")
        }
        Envelope::Notification { method } => format!("notification {}", shown(rules, &method)),
        Envelope::Answer { id: Some(id), .. } => format!("answer to {}", identified(rules, &id)),
        Envelope::Answer { id: None, .. } => "answer to no request".to_owned(),
        Envelope::Other => format!(
            "{} bytes that are neither request nor answer",
            content.len()
        ),
    }
}

fn shown(rules: &MatchRules, text: &str) -> String {
    format!("{:?}", short(&rules.masked(text)))
}

/// An id as JSON; what is no plain text in it as escapes.
fn identified(rules: &MatchRules, id: &MessageId) -> String {
    let id = short(&rules.masked(id.as_json()));
    id.chars().map(plain).collect()
}

fn plain(letter: char) -> String {
    match letter {
        '"' | '\'' | '\\' => letter.to_string(),
        _ => letter.escape_debug().to_string(),
    }
}

fn short(text: &str) -> String {
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(MAX_SHOWN).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}
