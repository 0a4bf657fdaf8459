//! Framers: however a stream is cut, its messages are the same and none of its bytes is lost.
//!
//! An input is a choice of framing and limit, lengths of pieces, and the stream.

use cassette_format::json::{Ending, Framer, Framing, FramingError, FramingLimits, Message, Span};

use crate::cuts::{Cuts, pieces};

/// How many messages of a stream are given another content.
const CHANGED: usize = 4;

/// A message that was cut out, and how the stream was framed then.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    framing: Framing,
    start: u64,
    bytes: Vec<u8>,
    content: Span,
    ending: Ending,
}

/// What became of a stream.
#[derive(Debug, Default)]
struct Outcome {
    messages: Vec<Found>,
    /// Where the framing was given up.
    errors: Vec<(&'static str, u64)>,
}

/// Any bytes.
pub fn framers(data: &[u8]) {
    let mut choices = Cuts::of(data);
    let framing = match choices.below(3) {
        0 => Framing::Lines,
        1 => Framing::ContentLength,
        _ => Framing::Raw,
    };
    let limits = match choices.below(4) {
        0 => FramingLimits {
            max_message: 16,
            max_header: 8,
        },
        1 => FramingLimits {
            max_message: 64,
            max_header: 40,
        },
        _ => FramingLimits::new(1 << 20),
    };
    let lengths = choices.lengths(8);
    let stream = choices.rest();
    let whole = frame(&[stream], Framer::new(framing, limits));
    let cut = frame(&pieces(stream, lengths), Framer::new(framing, limits));
    for outcome in [&whole, &cut] {
        let bytes = outcome.messages.iter().map(|found| &found.bytes[..]);
        assert_eq!(bytes.collect::<Vec<_>>().concat(), stream);
    }
    assert_eq!(whole.errors, cut.errors);
    let framed = |outcome: &Outcome| -> Vec<Found> {
        let messages = outcome.messages.iter();
        messages
            .filter(|found| found.framing != Framing::Raw)
            .cloned()
            .collect()
    };
    assert_eq!(framed(&whole), framed(&cut));
    for found in whole.messages.iter().take(CHANGED) {
        check_content(found, limits);
    }
}

/// Reads a stream; one that breaks its framing goes on line by line, then piece by piece.
fn frame(pieces: &[&[u8]], mut framer: Framer) -> Outcome {
    let mut outcome = Outcome::default();
    let mut pushed = 0;
    for piece in pieces {
        framer.push(piece);
        pushed += piece.len() as u64;
        drain(&mut framer, &mut outcome);
        assert_eq!(framer.offset() + framer.pending() as u64, pushed);
    }
    framer.finish();
    drain(&mut framer, &mut outcome);
    assert_eq!((framer.pending(), framer.offset()), (0, pushed));
    outcome
}

fn drain(framer: &mut Framer, outcome: &mut Outcome) {
    loop {
        let framing = framer.framing();
        match framer.next_message() {
            Ok(Some(message)) => outcome.messages.push(found(framing, &message)),
            Ok(None) => return,
            Err(error) => {
                assert_eq!(framer.next_message(), Err(error), "is final");
                outcome.errors.push(place(error));
                if outcome.errors.len() == 1 {
                    framer.fall_back_to_lines();
                } else {
                    framer.fall_back_to_raw();
                }
            }
        }
    }
}

fn found(framing: Framing, message: &Message<'_>) -> Found {
    assert_ne!(message.bytes, b"");
    Found {
        framing,
        start: message.start,
        bytes: message.bytes.to_vec(),
        content: message.content,
        ending: message.ending,
    }
}

/// Kind and place; sizes tell how much had arrived.
fn place(error: FramingError) -> (&'static str, u64) {
    match error {
        FramingError::TooLong { start, .. } => ("too long", start),
        FramingError::HeaderTooLong { start, .. } => ("header too long", start),
        FramingError::HeaderLine { line } => ("header line", line),
        FramingError::ContentLength { line } => ("content length", line),
        FramingError::NoContentLength { start } => ("no content length", start),
        other => panic!("{other}"),
    }
}

/// With another content it is a message of the same framing, with that content.
fn check_content(found: &Found, limits: FramingLimits) {
    let message = Message {
        bytes: &found.bytes,
        start: found.start,
        content: found.content,
        ending: found.ending,
    };
    if found.ending != Ending::Complete {
        return;
    }
    let limits = FramingLimits {
        max_message: limits.max_message + 64,
        ..limits
    };
    for content in [message.content(), b"", b"{\"another\":1}"] {
        let bytes = message.with_content(content);
        let mut framer = Framer::new(
            found.framing,
            FramingLimits {
                max_header: limits.max_header + 16,
                ..limits
            },
        );
        framer.push(&bytes);
        if bytes.is_empty() {
            continue;
        }
        let again = framer.next_message().unwrap().expect("is whole");
        assert_eq!((again.content(), again.bytes), (content, &bytes[..]));
    }
}
