//! The framers: any cut of a stream gives the same messages.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use super::at_least;
use crate::json::{Ending, Framer, Framing, FramingError, FramingLimits};

/// A message on its own: where it began, its bytes, its content, its ending.
type Owned = (u64, Vec<u8>, Vec<u8>, Ending);

const LIMITS: FramingLimits = FramingLimits {
    max_message: 200,
    max_header: 100,
};

/// Takes what there is.
fn drain(framer: &mut Framer, into: &mut Vec<Owned>) -> Result<(), FramingError> {
    while let Some(message) = framer.next_message()? {
        let (bytes, content) = (message.bytes.to_vec(), message.content().to_vec());
        assert_eq!(message.end(), message.start + bytes.len() as u64);
        into.push((message.start, bytes, content, message.ending));
    }
    Ok(())
}

/// The messages of a stream that arrives in `pieces`, and what ended it early.
fn run<'a>(
    framing: Framing,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<Owned>, Option<FramingError>) {
    let mut framer = Framer::new(framing, LIMITS);
    let mut messages = Vec::new();
    let mut stream: Vec<u8> = Vec::new();
    let mut result = Ok(());
    for piece in pieces {
        stream.extend(piece);
        framer.push(piece);
        result = drain(&mut framer, &mut messages);
        let taken: usize = messages.iter().map(|(_, bytes, ..)| bytes.len()).sum();
        assert_eq!(framer.offset(), taken as u64);
        assert_eq!(framer.pending(), stream.len() - taken);
    }
    framer.finish();
    result = result.and(drain(&mut framer, &mut messages));
    if let Err(error) = result {
        assert_eq!(framer.next_message(), Err(error));
        let mut rest = messages.clone();
        framer.fall_back_to_raw();
        drain(&mut framer, &mut rest).unwrap();
        assert_eq!(joined(&rest), stream);
        return (messages, Some(error));
    }
    assert_eq!(joined(&messages), stream);
    (messages, None)
}

fn joined(messages: &[Owned]) -> Vec<u8> {
    messages
        .iter()
        .flat_map(|(_, bytes, ..)| bytes)
        .copied()
        .collect()
}

/// The error without the size, which depends on how much had arrived.
fn without_size(error: FramingError) -> FramingError {
    match error {
        FramingError::TooLong { start, limit, .. } => FramingError::TooLong {
            start,
            size: 0,
            limit,
        },
        FramingError::HeaderTooLong { start, limit, .. } => FramingError::HeaderTooLong {
            start,
            size: 0,
            limit,
        },
        other => other,
    }
}

fn streams() -> impl Strategy<Value = (Framing, Vec<u8>)> {
    let line = prop::sample::select(vec![
        "{\"id\":1}\n",
        "\n",
        "\r\n",
        "{\"t\":\"\u{2028}\u{85}\"}\r\n",
        "a\rb\n",
        "\u{b}\u{c}\n",
        "é",
        "{\"a\":",
        "1}",
    ]);
    let lines = prop::collection::vec(line, 0..12);
    let part = prop::sample::select(vec![
        "Content-Length: 5\r\n\r\n[1,2]",
        "content-length:2\n\n{}",
        "CONTENT-LENGTH: 0\r\n\r\n",
        "Content-Type: x; charset=utf-8\r\nContent-Length: 4\r\n\r\n\"é\"",
        "Content-Length: 12\r\nContent-Length: 12\r\n\r\nhello\r\nworld",
        "Content-Length: 999\r\n\r\n",
        "Content-Length: x\r\n\r\n",
        "{\"id\":1}\n",
        "X: y\r\n\r\n",
        "X-Padding: sixty characters or so, which make two a header too long\r\n",
        "Content-Length: 50",
    ]);
    let parts = prop::collection::vec(part, 0..6);
    let noise = prop::collection::vec(prop::sample::select(&b"ab\n\r:{\xff"[..]), 0..260);
    proptest::prop_oneof![
        3 => (Just(Framing::Lines), lines.prop_map(|list| list.concat().into_bytes())),
        3 => (Just(Framing::ContentLength), parts.prop_map(|list| list.concat().into_bytes())),
        1 => (Just(Framing::Lines), noise.clone()),
        1 => (Just(Framing::ContentLength), noise),
    ]
}

proptest! {
    #![proptest_config(at_least(2000))]

    #[test]
    fn messages_do_not_depend_on_how_the_stream_is_cut(
        (framing, stream) in streams(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
    ) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain([stream.len()]) {
            pieces.push(&stream[start..cut]);
            start = cut;
        }
        let (whole, error) = run(framing, [&stream[..]]);
        let (cut, cut_error) = run(framing, pieces);
        let (single, single_error) = run(framing, stream.chunks(1));
        prop_assert_eq!(&whole, &cut);
        prop_assert_eq!(&whole, &single);
        prop_assert_eq!(error.map(without_size), cut_error.map(without_size));
        prop_assert_eq!(error.map(without_size), single_error.map(without_size));
    }

    #[test]
    fn raw_messages_are_the_pushes(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..8)) {
        let (messages, error) = run(Framing::Raw, pieces.iter().map(Vec::as_slice));
        prop_assert_eq!(error, None);
        let pushed: Vec<_> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        let found: Vec<_> = messages.into_iter().map(|(_, bytes, ..)| bytes).collect();
        prop_assert_eq!(found, pushed);
    }

    #[test]
    fn lines_are_what_lies_between_line_feeds(stream in prop::collection::vec(prop::sample::select(&b"ab\n\r"[..]), 0..100)) {
        let (messages, _) = run(Framing::Lines, [&stream[..]]);
        let expected: Vec<_> = stream.split_inclusive(|byte| *byte == b'\n').collect();
        let found: Vec<_> = messages.iter().map(|(_, bytes, ..)| &bytes[..]).collect();
        prop_assert_eq!(found, expected);
        for (_, bytes, content, ending) in messages {
            let end = bytes.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            prop_assert_eq!(&content[..], end.unwrap_or(&bytes));
            prop_assert!((ending == Ending::Complete) == end.is_some());
        }
    }
}

#[test]
fn content_length_counts_bytes_and_keeps_other_headers() {
    let stream = "X-Id: 7\r\ncontent-length: 4\r\n\r\n\"é\"Content-Length: 2\r\n\r\n{}".as_bytes();
    let (messages, error) = run(Framing::ContentLength, [stream]);
    assert_eq!(error, None);
    let contents: Vec<_> = messages
        .iter()
        .map(|(_, _, content, _)| &content[..])
        .collect();
    assert_eq!(contents, ["\"é\"".as_bytes(), b"{}"]);
    assert!(messages[0].1.starts_with(b"X-Id: 7\r\n"));
    assert_eq!(messages[1].0, messages[0].1.len() as u64);
}

#[test]
fn unfinished_last_message_comes_at_the_end_of_the_stream() {
    let last = |framing, stream: &[u8]| {
        let (messages, error) = run(framing, stream.chunks(3));
        assert_eq!(error, None);
        let (_, bytes, content, ending) = messages.into_iter().next_back().unwrap();
        assert_eq!((bytes.as_slice(), ending), (stream, Ending::EndOfStream));
        content
    };
    assert_eq!(last(Framing::Lines, b"{\"id\":1}"), b"{\"id\":1}");
    assert_eq!(
        last(Framing::ContentLength, b"Content-Length: 5\r\n\r\n[1"),
        b"[1"
    );
    assert_eq!(last(Framing::ContentLength, b"Content-Length: 5\r\n"), b"");
}

#[test]
fn too_long_messages_name_size_and_limit() {
    let mut framer = Framer::new(Framing::Lines, FramingLimits::new(4));
    framer.push(b"abc\nabcd\n");
    assert_eq!(framer.next_message().unwrap().unwrap().bytes, b"abc\n");
    let (start, size, limit) = (4, 5, 4);
    let expected = FramingError::TooLong { start, size, limit };
    assert_eq!(framer.next_message().unwrap_err(), expected);
    assert_eq!(
        expected.to_string(),
        "message at byte 4 of the stream has 5 bytes or more, limit 4"
    );

    let mut framer = Framer::new(Framing::ContentLength, FramingLimits::new(100));
    framer.push(b"Content-Length: 100\r\n\r\n");
    let (start, size, limit) = (0, 123, 100);
    let expected = FramingError::TooLong { start, size, limit };
    assert_eq!(framer.next_message().unwrap_err(), expected);

    framer.push(b"more");
    framer.fall_back_to_raw();
    let message = framer.next_message().unwrap().unwrap();
    assert_eq!(message.bytes, b"Content-Length: 100\r\n\r\nmore");
    framer.push(b"and more");
    assert_eq!(framer.next_message().unwrap().unwrap().bytes, b"and more");
}

#[test]
fn too_long_headers_name_size_and_limit() {
    let stream = [b"X-Padding: ".as_slice(), &[b'x'; 100]].concat();
    let (messages, error) = run(Framing::ContentLength, [&stream[..]]);
    assert_eq!(messages, []);
    let (start, size, limit) = (0, 111, 100);
    assert_eq!(
        error,
        Some(FramingError::HeaderTooLong { start, size, limit })
    );
}

#[test]
fn limits_hold_for_each_message_and_not_for_the_stream() {
    let mut framer = Framer::new(Framing::Lines, FramingLimits::new(8));
    for _ in 0..1000 {
        framer.push(b"1234567\n");
        assert!(framer.next_message().unwrap().is_some());
    }
    assert_eq!(framer.offset(), 8000);
}

#[test]
fn json_line_where_a_header_belongs_is_refused_at_once() {
    let (messages, error) = run(Framing::ContentLength, [&b"{\"jsonrpc\":\"2.0\"}\n"[..]]);
    assert_eq!(messages, []);
    assert_eq!(error, Some(FramingError::HeaderLine { line: 0 }));
}
