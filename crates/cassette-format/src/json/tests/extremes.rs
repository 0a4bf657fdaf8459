//! Sizes and depths at the limits: nothing recurses, nothing is quadratic.
//!
//! A quadratic step would not fail these tests but never end them.

use crate::json::{
    Expected, Framer, Framing, FramingLimits, Scanner, Span, Splicer, TokenKind, members, path_at,
};

const DEPTH: usize = 2_000_000;

fn nested() -> Vec<u8> {
    let mut bytes = br#"[{"a":"#.repeat(DEPTH / 2);
    bytes.extend(b"1");
    bytes.extend(b"}]".repeat(DEPTH / 2));
    bytes
}

fn count_tokens(bytes: &[u8]) -> usize {
    let mut scanner = Scanner::new(bytes);
    let mut count = 0;
    while scanner.next_token().unwrap().is_some() {
        count += 1;
    }
    count
}

#[test]
fn scanner_walks_two_million_levels() {
    let bytes = nested();
    assert_eq!(count_tokens(&bytes), DEPTH * 2 + DEPTH / 2 + 1);
}

#[test]
fn scanner_skips_two_million_levels() {
    let bytes = nested();
    let value = Scanner::new(&bytes).skip_value().unwrap().unwrap();
    assert_eq!(value.span, Span::whole(&bytes));
    assert!(path_at(&bytes, bytes.len() / 2).len() < 400);
}

#[test]
fn scanner_tells_brackets_apart_at_any_depth() {
    let mut bytes = nested();
    let middle = bytes.len() - 1_000_002;
    assert_eq!(bytes[middle], b'}');
    bytes[middle] = b']';
    let error = Scanner::new(&bytes).skip_value().unwrap_err();
    assert_eq!(
        (error.offset, error.expected),
        (middle, Expected::CommaOrObjectEnd)
    );
}

#[test]
fn scanner_stops_at_the_end_of_endless_nesting() {
    let bytes = b"[".repeat(8 << 20);
    let error = Scanner::new(&bytes).skip_value().unwrap_err();
    assert!(error.is_unexpected_end());
    assert_eq!(error.offset, bytes.len());
}

/// The scanner and the splicer keep nothing a value, so their memory is that
/// of the new bytes: no larger than the old ones and a quarter.
#[test]
fn small_objects_of_eight_megabytes_are_scanned_and_spliced() {
    let mut bytes = Vec::from(b"[");
    bytes.extend(br#"{"a":0},"#.repeat(1 << 20));
    bytes.extend(b"{}]");
    let mut scanner = Scanner::new(&bytes);
    let mut splicer = Splicer::new(&bytes);
    while let Some(token) = scanner.next_token().unwrap() {
        if token.kind == TokenKind::Number {
            splicer.replace(token.span, b"1").unwrap();
        }
    }
    let edited = splicer.finish().into_owned();
    assert_eq!(edited.len(), bytes.len());
    assert!(edited.capacity() <= bytes.len() * 5 / 4);
    assert_eq!(&edited[..10], br#"[{"a":1},{"#);
}

#[test]
fn wide_objects_are_walked_once() {
    let object = format!("{{{}}}", vec![r#""k":[{}]"#; 300_000].join(","));
    let count = members(object.as_bytes(), Span::whole(object.as_bytes())).count();
    assert_eq!(count, 300_000);
}

#[test]
fn message_that_arrives_byte_by_byte_is_linear() {
    let len = 1 << 20;
    let header = format!("Content-Length: {len}\r\n\r\n");
    let mut framers = [
        (Framing::Lines, Vec::new()),
        (Framing::ContentLength, header.into_bytes()),
    ];
    for (framing, stream) in &mut framers {
        stream.extend(vec![b'x'; len - 1]);
        stream.push(b'\n');
        let mut framer = Framer::new(*framing, FramingLimits::new(4 << 20));
        for byte in stream.chunks(1) {
            assert_eq!(framer.next_message(), Ok(None));
            framer.push(byte);
        }
        assert_eq!(framer.next_message().unwrap().unwrap().bytes, &stream[..]);
    }
}

#[test]
fn message_that_never_ends_is_stopped_at_the_limit() {
    let limits = FramingLimits::new(1 << 20);
    for framing in [Framing::Lines, Framing::ContentLength] {
        let mut framer = Framer::new(framing, limits);
        let mut pushed = 0;
        while framer.next_message().is_ok() {
            framer.push(&[b'x'; 4096]);
            pushed += 4096;
        }
        assert!(pushed <= limits.max_message + 4096);
        assert_eq!(framer.pending(), pushed);
    }
}
