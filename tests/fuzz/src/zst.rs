//! Compressed transcripts: refused or read within the limit, and then as another reader of zstd
//! reads them.
//!
//! An input is a choice of limit, then the compressed file.

use std::fs;
use std::io::Read as _;

use cassette_format::descriptor::TranscriptLayout;
use fork_state::{InspectError, Limits, inspect};
use ruzstd::decoding::StreamingDecoder;

use crate::cuts::Cuts;

/// The magic number of a frame (RFC 8878, 3.1.1).
const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
/// Those of a skippable frame, but for the low bits of the first byte.
const SKIPPABLE: [u8; 4] = 0x184d_2a50_u32.to_le_bytes();
/// Longest block of a frame.
const BLOCK: usize = 128 * 1024;

/// Any bytes.
pub fn zst(data: &[u8]) {
    let mut choices = Cuts::of(data);
    let limit = [64 * 1024, 100, 0, 256 * 1024][usize::from(choices.below(4))];
    let compressed = choices.rest();
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let layout = TranscriptLayout::Rollouts {
        directories: Vec::new(),
        traces: Vec::new(),
    };
    let inspected = |name: &str, bytes: &[u8], limit| {
        let path = scratch.path().join(name);
        fs::write(&path, bytes).expect("is written");
        inspect(
            &path,
            &layout,
            &Limits {
                decompressed_bytes: limit,
            },
        )
    };
    match inspected("a.jsonl.zst", compressed, limit) {
        Ok(mut report) => {
            assert!(report.is_compressed && report.size <= limit);
            let content = by_another_reader(compressed).expect("is read by another one too");
            let plain = inspected("a.jsonl", &content, limit).expect("is not compressed");
            report.is_compressed = false;
            assert_eq!(report, plain);
        }
        Err(InspectError::Content { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

/// The content of all frames, if each is as it says itself.
fn by_another_reader(mut compressed: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    while !compressed.is_empty() {
        let (magic, rest) = compressed.split_first_chunk::<4>()?;
        if [magic[0] & 0xf0, magic[1], magic[2], magic[3]] == SKIPPABLE {
            let (length, rest) = rest.split_first_chunk::<4>()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            compressed = rest.get(length..)?;
        } else {
            let mut frame = StreamingDecoder::new(&mut compressed).ok()?;
            let before = content.len();
            frame.read_to_end(&mut content).ok()?;
            let frame = frame.into_frame_decoder();
            let (told, found) = (
                frame.get_checksum_from_data(),
                frame.get_calculated_checksum(),
            );
            let (size, length) = (frame.content_size(), (content.len() - before) as u64);
            let is_as_told = told.is_none_or(|told| Some(told) == found);
            if !is_as_told || (size != 0 && size != length) {
                return None;
            }
        }
    }
    Some(content)
}

/// A frame for each piece, which holds it as it is.
pub(crate) fn stored_frames(pieces: &[&[u8]]) -> Vec<u8> {
    let mut file = Vec::new();
    for piece in pieces.iter().copied().chain([&b""[..]]) {
        file.extend_from_slice(&MAGIC);
        // A single segment, its size in four bytes.
        file.push(0b1010_0000);
        let size = u32::try_from(piece.len()).expect("a short input");
        file.extend_from_slice(&size.to_le_bytes());
        let mut blocks: Vec<&[u8]> = piece.chunks(BLOCK).collect();
        if blocks.is_empty() {
            blocks.push(b"");
        }
        for (at, block) in blocks.iter().enumerate() {
            let is_last = u32::from(at + 1 == blocks.len());
            let header = u32::try_from(block.len()).expect("a block") << 3 | is_last;
            file.extend_from_slice(&header.to_le_bytes()[..3]);
            file.extend_from_slice(block);
        }
    }
    file
}
