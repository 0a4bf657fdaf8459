//! Every message is scanned, made portable and put back.

use std::collections::{BTreeMap, HashMap};

use cassette_format::descriptor::MessageFraming;
use cassette_format::json::{
    Framer, Framing, FramingLimits, Scanner, Token, TokenKind, decode_string, path_at,
};
use cassette_format::portable::{
    Direction, HomeTokens, Projection, Resolution, RootSources, Roots, Rules,
};
use cassette_format::schema::ProviderId;

use crate::capture::{self, Capture, Stream};

const TOKEN: &str = "${SESSION_CWD:session-1:1}";

#[derive(Debug, Default)]
struct Seen {
    messages: usize,
    not_json: usize,
    rewritten: usize,
    /// Rewritten places, list positions left out, and how often.
    places: BTreeMap<String, usize>,
    /// Refusals by their reason.
    refused: BTreeMap<String, usize>,
}

/// One connection's way to the tape and back.
struct Judge {
    projection: Projection,
    resolution: Resolution,
    seen: Seen,
}

#[test]
fn real_messages_are_made_portable_and_put_back_unchanged() {
    let Some(captures) = capture::all() else {
        return;
    };
    for capture in &captures {
        let seen = check(capture);
        println!(
            "{:<26} {:<19} messages {:>5}  not json {:>3}  rewritten {:>4}",
            capture.name, capture.provider, seen.messages, seen.not_json, seen.rewritten
        );
        for (place, count) in &seen.places {
            println!("    rewritten {count:>4} × {place}");
        }
        for (reason, count) in &seen.refused {
            println!("    refused   {count:>4} × {reason}");
        }
    }
}

fn check(capture: &Capture) -> Seen {
    let registry = provider_adapters::builtin();
    let provider = ProviderId::from_recorded(capture.provider);
    let descriptor = registry.by_provider(&provider).unwrap();
    let variables: Vec<(&str, &str)> = capture
        .variables
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let cwd = Some(capture.cwd.as_str());
    let sources = RootSources {
        variables: &variables,
        cwd,
        ..RootSources::default()
    };
    // A token a home, so that putting back is exact.
    let rules = Rules {
        home_tokens: HomeTokens::Numbered,
        ..Rules::default()
    };
    let roots = Roots::new(descriptor, &sources, TOKEN, rules.home_tokens);
    let mut judge = Judge {
        resolution: Resolution::new(descriptor, &roots, (TOKEN, "/fallback"), &rules),
        projection: Projection::new(descriptor, roots, rules),
        seen: Seen::default(),
    };
    let mut framers = HashMap::new();
    for (stream, piece) in &capture.pieces {
        let framing = match (stream, descriptor.framing) {
            (Stream::Stderr, _) => Framing::Lines,
            (_, MessageFraming::ContentLength) => Framing::ContentLength,
            (_, MessageFraming::Raw) => Framing::Raw,
            _ => Framing::Lines,
        };
        let framer = framers
            .entry(*stream)
            .or_insert_with(|| Framer::new(framing, FramingLimits::new(16 << 20)));
        framer.push(piece);
        while let Some(message) = framer.next_message().unwrap() {
            judge.message(*stream, message.content());
        }
    }
    for (stream, framer) in &mut framers {
        framer.finish();
        while let Some(message) = framer.next_message().unwrap() {
            judge.message(*stream, message.content());
        }
    }
    judge.seen
}

impl Judge {
    fn message(&mut self, stream: Stream, message: &[u8]) {
        self.seen.messages += 1;
        let direction = match stream {
            Stream::Outbound => Direction::Outbound,
            Stream::Stdout | Stream::Stderr => Direction::Inbound,
        };
        let projected = match self.projection.message(direction, message) {
            Ok(projected) => projected,
            Err(error) => {
                *self.seen.refused.entry(error.to_string()).or_default() += 1;
                return;
            }
        };
        match tokens(message) {
            Some(before) => self.seen.compare((message, &before), &projected),
            None => self.seen.not_json += 1,
        }
        self.seen.rewritten += usize::from(*projected != *message);
        let email = projected
            .windows(12)
            .any(|window| window == b"replay-user@");
        if !email {
            assert_eq!(*self.resolution.message(&projected).bytes, *message);
        }
    }
}

impl Seen {
    /// Notes what was rewritten; everything else is the same.
    fn compare(&mut self, (message, before): (&[u8], &[Token]), projected: &[u8]) {
        let after = tokens(projected).unwrap();
        assert_eq!(before.len(), after.len());
        for (old, new) in before.iter().zip(&after) {
            assert_eq!(old.kind, new.kind);
            if old.span.text(message) == new.span.text(projected) {
                continue;
            }
            assert!(
                matches!(old.kind, TokenKind::String | TokenKind::Key),
                "{old:?}"
            );
            let text = decode_string(projected, new.span);
            assert!(
                text.contains("${") || text.contains("replay-user@"),
                "{text}"
            );
            let place = path_at(message, old.span.start);
            let place: String = place.split(|it: char| it.is_ascii_digit()).collect();
            *self.places.entry(place).or_default() += 1;
        }
        assert_eq!(between(message, before), between(projected, &after));
    }
}

fn tokens(text: &[u8]) -> Option<Vec<Token>> {
    let mut scanner = Scanner::new(text);
    let mut tokens = Vec::new();
    while let Some(token) = scanner.next_token().ok()? {
        tokens.push(token);
    }
    Some(tokens)
}

/// What stands between the tokens: white space, commas, colons.
fn between<'t>(text: &'t [u8], tokens: &[Token]) -> Vec<&'t [u8]> {
    let starts = tokens
        .iter()
        .map(|token| token.span.start)
        .chain([text.len()]);
    let ends = [0]
        .into_iter()
        .chain(tokens.iter().map(|token| token.span.end));
    ends.zip(starts)
        .map(|(end, start)| &text[end..start])
        .collect()
}
