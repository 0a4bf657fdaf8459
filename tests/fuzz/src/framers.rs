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
    whole.messages.iter().for_each(check_meaning);
    let headed = whole.messages.iter();
    let headed = headed.filter(|found| found.framing == Framing::ContentLength);
    let start = headed.map(|found| found.bytes.len()).sum();
    for error in &whole.errors {
        check_error(*error, (stream, start));
    }
    for found in whole.messages.iter().take(CHANGED) {
        check_content(found, limits);
    }
}

/// A whole message is what its line or header says, read in the plainest way.
fn check_meaning(found: &Found) {
    let content = found.content.text(&found.bytes);
    match (found.framing, found.ending) {
        (Framing::Lines, Ending::Complete) => {
            let line = found.bytes.strip_suffix(b"\n").expect("a line feed");
            assert!(!line.contains(&b'\n'));
            assert_eq!(content, line.strip_suffix(b"\r").unwrap_or(line));
        }
        (Framing::ContentLength, Ending::Complete) => {
            let header = &found.bytes[..found.content.start];
            let header = header.strip_suffix(b"\n").expect("an empty line");
            let mut lines: Vec<&[u8]> = header.split(|byte| *byte == b'\n').map(plain).collect();
            assert_eq!(lines.pop(), Some(&b""[..]));
            assert!(lines.iter().all(|line| line.contains(&b':')));
            let lengths: Vec<_> = lines.into_iter().filter_map(announced).collect();
            assert!(!lengths.is_empty());
            assert!(lengths.iter().all(|it| *it == Some(content.len())));
        }
        _ => {}
    }
}

/// What is refused of the header that starts at `start` is wrong in that line.
fn check_error((kind, offset): (&str, u64), (stream, start): (&[u8], usize)) {
    let at = usize::try_from(offset).unwrap();
    let mut lines = stream[at..].split(|byte| *byte == b'\n').map(plain);
    let line = lines.next().unwrap_or_default();
    if kind == "content length" {
        let length = announced(line).expect("a length");
        let before = stream[start..at].split(|byte| *byte == b'\n').map(plain);
        let mut before = before.filter_map(announced);
        assert!(length.is_none() || before.any(|it| it != length));
    }
    if kind == "no content length" {
        let mut header = lines.take_while(|line| !line.is_empty());
        assert_eq!(announced(line), None);
        assert!(line.is_empty() || header.all(|line| announced(line).is_none()));
    }
}

fn plain(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The length that a header line announces: `Some(None)` if it is no number.
fn announced(line: &[u8]) -> Option<Option<usize>> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    let is_length = name.trim_ascii().eq_ignore_ascii_case(b"content-length");
    is_length.then(|| {
        let value = str::from_utf8(value.trim_ascii()).ok()?;
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| value.parse().ok()).flatten()
    })
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
