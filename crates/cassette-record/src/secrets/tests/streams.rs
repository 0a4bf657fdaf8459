//! Streams: the same hits however they are cut.

use super::super::{SecretFilter, SecretStream, StreamHit};
use super::filter;

/// All hits of a stream that comes in these chunks; checks what every push says.
pub(super) fn hits_of(filter: &SecretFilter, chunks: &[&[u8]]) -> Vec<StreamHit> {
    let mut stream = SecretStream::new(filter);
    let mut hits: Vec<StreamHit> = Vec::new();
    let (mut pushed, mut until) = (0, 0);
    for chunk in chunks {
        let settled = stream.push(chunk);
        pushed += chunk.len() as u64;
        assert!(until <= settled.until && settled.until <= pushed);
        assert!(
            settled
                .hits
                .iter()
                .all(|hit| until <= hit.start && hit.end <= settled.until)
        );
        until = settled.until;
        hits.extend(settled.hits);
    }
    let settled = stream.finish();
    assert_eq!(settled.until, pushed);
    hits.extend(settled.hits);
    hits
}

/// The stream with tokens, chunk by chunk.
pub(super) fn replaced(filter: &SecretFilter, chunks: &[&[u8]]) -> Vec<Vec<u8>> {
    let hits = hits_of(filter, chunks);
    let mut start = 0;
    chunks
        .iter()
        .map(|chunk| {
            let output = filter.replace_in_chunk(start, chunk, &hits);
            start += chunk.len() as u64;
            output.unwrap_or_else(|| chunk.to_vec())
        })
        .collect()
}

#[test]
fn token_stands_in_the_chunk_where_the_secret_ends() {
    let filter = filter(&["s3cret-value"]);
    let chunks: [&[u8]; 4] = [b"a s3c", b"ret", b"-value b", b" c"];
    let expected: [&[u8]; 4] = [b"a ", b"", b"${REDACTED:A} b", b" c"];
    assert_eq!(replaced(&filter, &chunks), expected);
}

#[test]
fn a_stream_of_one_letter_is_not_held_for_ever() {
    let value = "aaaaaaaaaa";
    let filter = filter(&[value]);
    let longest = filter.matcher().unwrap().longest() as u64;
    let mut stream = SecretStream::new(&filter);
    let mut end = 0;
    for pushed in 1..=1000_u64 {
        let settled = stream.push(b"a");
        assert!(pushed - settled.until <= 3 * longest);
        for hit in settled.hits {
            assert_eq!(hit.start, end);
            end = hit.end;
        }
    }
    let last = stream.finish().hits;
    assert_eq!((last[0].start, last[0].end), (end, 1000));
}

#[test]
fn bytes_that_begin_no_secret_are_settled_at_once() {
    let filter = filter(&["s3cret-value"]);
    let mut stream = SecretStream::new(&filter);
    assert_eq!(stream.push(b"hello\n").until, 6);
    assert_eq!(stream.push(b"s3cret").until, 6);
    assert_eq!(stream.push(b"s3c").until, 12);
    assert_eq!(stream.push(b"x").until, 16);
}

#[test]
fn a_stream_without_secrets_settles_everything() {
    let mut stream = SecretStream::new(&SecretFilter::default());
    assert_eq!(stream.push(b"anything").until, 8);
}
