//! Every message matches what was recorded of it, on another side and with another
//! id, and no other message; what agents said comes back in this side's directories.

use std::collections::HashMap;

use cassette_format::descriptor::{Descriptor, MessageFraming};
use cassette_format::json::{
    Edits, Framer, Framing, FramingLimits, Scanner, Span, members, string_eq,
};
use cassette_format::portable::{
    Direction, HomeTokens, Projection, Resolution, RootSources, Roots, Rules,
};
use cassette_format::schema::ProviderId;
use cassette_replay::matching::{Correspondence, Envelope, MatchRules, Matcher, Side};

use crate::capture::{self, Capture, Stream};

const TOKEN: &str = "${SESSION_CWD:session-1:1}";

/// A connection that was recorded, and the side that plays it.
struct Replayed {
    projection: Projection,
    resolution: Resolution,
    matcher: Matcher,
    known: Correspondence,
    before: Vec<u8>,
    sent: usize,
    said: usize,
}

#[test]
fn real_messages_match_on_another_side_and_with_another_id() {
    let Some(captures) = capture::all() else {
        return;
    };
    for capture in &captures {
        let (sent, said) = check(capture);
        println!(
            "{:<26} {:<19} matched {sent:>5}  said {said:>5}",
            capture.name, capture.provider
        );
    }
}

fn check(capture: &Capture) -> (usize, usize) {
    let registry = provider_adapters::builtin();
    let provider = ProviderId::from_recorded(capture.provider);
    let descriptor = registry.by_provider(&provider).unwrap();
    let mut replayed = replayed(capture, descriptor);
    let mut framers = HashMap::new();
    for (stream, piece) in &capture.pieces {
        let framing = match descriptor.framing {
            MessageFraming::ContentLength if *stream != Stream::Stderr => Framing::ContentLength,
            _ => Framing::Lines,
        };
        let framer = framers
            .entry(*stream)
            .or_insert_with(|| Framer::new(framing, FramingLimits::new(16 << 20)));
        framer.push(piece);
        while let Some(message) = framer.next_message().unwrap() {
            replayed.message(*stream, message.content());
        }
    }
    (replayed.sent, replayed.said)
}

fn replayed(capture: &Capture, descriptor: &Descriptor) -> Replayed {
    let variables = capture.variables.iter();
    let variables: Vec<(&str, &str)> = variables
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let there = RootSources {
        variables: &variables,
        cwd: Some(&capture.cwd),
        ..RootSources::default()
    };
    let mut variables: Vec<(&str, &str)> = vec![("HOME", "/opt/other user")];
    let own = descriptor.home_variables.first();
    variables.extend(own.map(|name| (name.as_str(), "/opt/agent")));
    let here = RootSources {
        variables: &variables,
        cwd: Some("/opt/other user/else where"),
        ..RootSources::default()
    };
    let rules = Rules::default();
    let roots = |sources| Roots::new(descriptor, sources, TOKEN, HomeTokens::Shared);
    let side = Side {
        sources: here,
        cwd_token: TOKEN,
        ..Side::new(&rules)
    };
    Replayed {
        projection: Projection::new(descriptor, roots(&there), rules.clone()),
        resolution: Resolution::new(descriptor, &roots(&here), (TOKEN, ""), &rules),
        matcher: Matcher::new(MatchRules::new(descriptor, &side)),
        known: Correspondence::default(),
        before: Vec::new(),
        sent: 0,
        said: 0,
    }
}

impl Replayed {
    fn message(&mut self, stream: Stream, message: &[u8]) {
        let direction = match stream {
            Stream::Outbound => Direction::Outbound,
            Stream::Stdout | Stream::Stderr => Direction::Inbound,
        };
        let Ok(recorded) = self.projection.message(direction, message) else {
            return;
        };
        let recorded = recorded.into_owned();
        match direction {
            Direction::Outbound => self.send(&recorded),
            Direction::Inbound => self.say(&recorded),
        }
    }

    fn send(&mut self, recorded: &[u8]) {
        let here = self.resolution.message(recorded).bytes.into_owned();
        let envelope = self.matcher.rules().envelope(&here);
        let sent = match envelope {
            Envelope::Request { .. } => with_other_id(&here),
            _ => here,
        };
        let verdict = self.matcher.judge(recorded, &sent, &self.known);
        let matched = verdict.unwrap_or_else(|difference| panic!("{difference}"));
        self.known.learn(&matched);
        if method(&self.matcher, &self.before) != method(&self.matcher, recorded) {
            let other = self.matcher.judge(&self.before, &sent, &self.known);
            other.unwrap_err();
        }
        self.before = recorded.to_vec();
        self.sent += 1;
    }

    fn say(&mut self, recorded: &[u8]) {
        let edits = self.matcher.rewrite(recorded, &self.known);
        let said = edits.unwrap_or_default();
        let said = said.apply(recorded).unwrap().bytes.into_owned();
        let here = self.resolution.message(recorded).bytes.into_owned();
        if let Envelope::Answer { id: Some(id), .. } = self.matcher.rules().envelope(recorded)
            && let Some(sent) = self.known.request_id(&id)
        {
            let Envelope::Answer { id, .. } = self.matcher.rules().envelope(&said) else {
                panic!("an answer stays an answer");
            };
            assert_eq!(id.as_ref(), Some(sent));
        } else if is_json(recorded) {
            assert_eq!(said, here);
        }
        self.said += 1;
    }
}

fn with_other_id(message: &[u8]) -> Vec<u8> {
    let mut edits = Edits::new();
    for member in members(message, Span::whole(message)) {
        let member = member.unwrap();
        if string_eq(message, member.key, "id") || string_eq(message, member.key, "request_id") {
            let id = format!("\"other {}\"", edits.len_after(message.len()));
            edits.replace(member.value.span, id.as_bytes());
        }
    }
    edits.apply(message).unwrap().bytes.into_owned()
}

fn method(matcher: &Matcher, message: &[u8]) -> Option<String> {
    match matcher.rules().envelope(message) {
        Envelope::Request { method, .. } | Envelope::Notification { method } => Some(method),
        _ => None,
    }
}

fn is_json(message: &[u8]) -> bool {
    let mut scanner = Scanner::new(message);
    loop {
        match scanner.skip_value() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}
