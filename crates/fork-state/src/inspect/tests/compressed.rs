//! Compressed contents: frames of all kinds, and what is wrong with them.

use std::io::{self, Read};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;
use crate::inspect::content::{Content, ContentError, Encoding};
use crate::inspect::limits::Limits;
use crate::inspect::transcript::inspect_content;

const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const TEXT: &str = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}\n{\"a\":1}\n";

fn compressed(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

fn read(file: impl Read, limit: u64) -> Result<Inspection, ContentError> {
    let limits = Limits {
        decompressed_bytes: limit,
    };
    let asked = session("t");
    let inspector = Inspector::new(
        RecordLayout::Rollout,
        Some(&asked),
        InspectOptions::default(),
    );
    inspect_content(Content::new(file, Encoding::Zstd, &limits), inspector)
}

fn error(file: impl Read) -> String {
    read(file, 1 << 20).unwrap_err().to_string()
}

/// A frame of raw blocks, with this descriptor and what follows it.
fn raw_frame(header: &[u8], blocks: &[&[u8]]) -> Vec<u8> {
    let mut frame = [MAGIC, header].concat();
    for (index, block) in blocks.iter().enumerate() {
        let is_last = usize::from(index + 1 == blocks.len());
        frame.extend_from_slice(&(block.len() << 3 | is_last).to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

/// Frames that are passed by.
fn skippable(content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u32).to_le_bytes();
    [&[0x5a, 0x2a, 0x4d, 0x18], &length[..], content].concat()
}

#[test]
fn the_content_of_all_frames_is_inspected() {
    let plain = rollout(TEXT.repeat(3));
    let (first, rest) = TEXT.split_at(20);
    let file = [
        skippable(b"any"),
        compressed(TEXT),
        skippable(b""),
        raw_frame(&[0x00, 0x58], &[first.as_bytes(), b"", rest.as_bytes()]),
        compressed(""),
        compressed(TEXT),
        skippable(&[0; 100_000]),
    ]
    .concat();
    assert_eq!(read(&file[..], 1 << 20).unwrap(), plain);
    assert_eq!(read(&file[..], plain.report.size).unwrap(), plain);
    let large = format!("{TEXT}{{\"a\":\"{}\"}}\n", "abcdefgh".repeat(1 << 18));
    assert_eq!(
        read(&compressed(&large)[..], 1 << 30).unwrap(),
        rollout(large)
    );
}

#[test]
fn a_file_that_is_cut_anywhere_is_told_so() {
    let second = compressed(TEXT);
    let file = [compressed(TEXT), skippable(b"any"), second.clone()].concat();
    for cut in 0..file.len() {
        let at_frame = [file.len() - second.len(), compressed(TEXT).len()].contains(&cut);
        match read(&file[..cut], 1 << 20) {
            Ok(_) => assert!(at_frame, "{cut}"),
            Err(error) => {
                assert!(
                    !at_frame && matches!(error, ContentError::Truncated),
                    "{cut}: {error}"
                );
            }
        }
    }
}

#[test]
fn what_is_no_frame_is_told_with_its_place() {
    let file = compressed(TEXT);
    for garbage in [&b"{"[..], b"garbage", b"\0\0\0\0\0", b"\x5a\x2a\x4d\x19"] {
        let told = error(&[&file[..], garbage].concat()[..]);
        assert_eq!(
            told,
            format!("no compressed frame at byte {} of the file", file.len())
        );
    }
    let told = error(TEXT.as_bytes());
    assert_eq!(told, "compressed bytes damaged before byte 0 of the file");
}

#[test]
fn frames_that_lie_are_refused() {
    let of_eight = [0x20, 8];
    assert!(error(&raw_frame(&of_eight, &[b"{}\n"])[..]).starts_with("compressed bytes damaged"));
    assert!(read(&raw_frame(&of_eight, &[b"{}\n{}{}\n"])[..], 8).is_ok());
    let checked = [raw_frame(&[0x04, 0x58], &[b"{}\n"]), vec![1, 2, 3, 4]].concat();
    assert_eq!(
        error(&checked[..]),
        "the checksum of a compressed frame differs"
    );
    let reserved = raw_frame(&[0x00, 0x58], &[]);
    let told = error(&[&reserved[..], &[7, 0, 0]].concat()[..]);
    assert!(told.starts_with("compressed bytes damaged"), "{told}");
    assert_eq!(
        error(&raw_frame(&[0x01, 0x58, 7], &[b"{}\n"])[..]),
        "compressed with a dictionary"
    );
}

#[test]
fn a_window_beyond_eight_mebibytes_is_refused_before_it_is_taken() {
    let window = |exponent: u8| raw_frame(&[0x00, (exponent - 10) << 3], &[TEXT.as_bytes()]);
    assert!(read(&window(23)[..], 1 << 20).is_ok());
    let told = error(&window(24)[..]);
    assert_eq!(
        told,
        "compressed with a window of 16777216 bytes, more than 8388608"
    );
    let huge = error(&raw_frame(&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0], &[b""])[..]);
    assert_eq!(
        huge,
        "compressed with a window of 4294967296 bytes, more than 8388608"
    );
}

#[test]
fn a_bomb_ends_at_the_limit() {
    /// Blocks of 128 KiB of one byte, without end.
    struct Bomb(u64);
    impl Read for Bomb {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let header = raw_frame(&[0x00, 0x58], &[]);
            let block = ((128_u32 << 10) << 3 | 1 << 1).to_le_bytes();
            buffer[0] = match self.0.checked_sub(header.len() as u64) {
                None => header[self.0 as usize],
                Some(at) => [block[0], block[1], block[2], b' '][at as usize % 4],
            };
            self.0 += 1;
            Ok(1)
        }
    }
    let told = read(Bomb(0), 50 << 20).unwrap_err();
    assert!(
        matches!(told, ContentError::TooLarge { limit } if limit == 50 << 20),
        "{told}"
    );
}

#[test]
fn an_error_of_the_file_is_told_as_that() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("disk"))
        }
    }
    let file = compressed(&TEXT.repeat(100));
    for cut in [0, 2, 6, 20, file.len() - 1, file.len()] {
        let told = read((&file[..cut]).chain(Broken), 1 << 20).unwrap_err();
        let ContentError::Read { source } = told else {
            panic!("{cut}: {told}");
        };
        assert_eq!(source.to_string(), "disk");
    }
}

#[test]
fn damaged_frames_never_panic() {
    let asked = std::env::var("CASSETTE_MUTATIONS").ok();
    let rounds = asked.map_or(2_000, |rounds| rounds.parse().unwrap());
    let text: String = (0..400)
        .map(|n| format!("{{\"n\":{n},\"t\":\"{}\"}}\n", n * n))
        .collect();
    let file = compressed(&text);
    let mut dice = Dice(88);
    let mut errors = 0;
    for _ in 0..rounds {
        let mut damaged = file.clone();
        for _ in 0..=dice.roll(3) {
            let at = dice.roll(damaged.len());
            damaged[at] = dice.roll(256) as u8;
        }
        errors += usize::from(read(&damaged[..], 1 << 20).is_err());
    }
    assert!(errors * 10 > rounds * 9, "{errors} of {rounds}");
}
