//! What is left of a tape: the whole, sound lines before the first cut or bad one.

use cassette_format::schema::{
    CassetteStatus, ChunkSeq, ConnectionId, ElapsedMs, FramesDigest, GlobalSeq,
};
use cassette_format::store::{Ending, OpenError, ReadOptions, TapePrefix};

use crate::tape_files::{Draft, OnDisk, Seen};

/// What a prefix says, in values that compare.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) seen: Vec<Seen>,
    pub(crate) good_bytes: u64,
    pub(crate) ending: String,
}

pub(crate) fn left_of(prefix: &TapePrefix) -> Left {
    let seen: Vec<Seen> = prefix.chunks().map(Seen::from).collect();
    assert_eq!(
        (prefix.len(), prefix.is_empty()),
        (seen.len(), seen.is_empty())
    );
    Left {
        seen,
        good_bytes: prefix.good_bytes(),
        ending: format!("{:?}", prefix.ending()),
    }
}

/// What is to be left of the lines of `draft` when it is cut at `cut`.
pub(crate) fn whole_lines_before(draft: &Draft, cut: usize) -> Left {
    let frames = draft.frames();
    let good = frames[..cut]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    let count = frames[..good].iter().filter(|byte| **byte == b'\n').count();
    let ending = match (cut - good) as u64 {
        0 => Ending::Whole,
        bytes => Ending::Torn {
            offset: good as u64,
            bytes,
        },
    };
    let seen = draft.seen()[..count].to_vec();
    Left {
        seen,
        good_bytes: good as u64,
        ending: format!("{ending:?}"),
    }
}

#[test]
fn a_tape_cut_at_any_byte_leaves_its_whole_lines_and_no_more() {
    let draft = Draft::conversation();
    let (disk, frames) = (draft.on_disk(), draft.frames());
    for cut in 0..=frames.len() {
        std::fs::write(disk.frames(), &frames[..cut]).unwrap();
        assert_eq!(
            left_of(&disk.prefix()),
            whole_lines_before(&draft, cut),
            "cut at {cut}"
        );
        assert_eq!(disk.open().is_ok(), cut == frames.len(), "cut at {cut}");
        if cut < frames.len() {
            assert!(matches!(disk.refusal(), OpenError::Digest { .. }));
        }
    }
}

#[test]
fn a_last_line_without_line_feed_is_torn_even_if_it_reads_as_a_chunk() {
    let mut draft = Draft::conversation();
    draft.ends_with_line_feed = false;
    draft.seal();
    let disk = draft.on_disk();
    assert_eq!(disk.open().unwrap().len(), 9);
    let frames = draft.frames();
    let last = draft.lines[8].text.len() as u64;
    let left = left_of(&disk.prefix());
    let ending = Ending::Torn {
        offset: frames.len() as u64 - last,
        bytes: last,
    };
    assert_eq!(
        left,
        Left {
            seen: draft.seen()[..8].to_vec(),
            good_bytes: frames.len() as u64 - last,
            ending: format!("{ending:?}")
        }
    );
}

#[test]
fn status_digest_and_counts_do_not_matter() {
    let mut draft = Draft::conversation();
    draft.manifest.status = CassetteStatus::Incomplete;
    draft.manifest.frames_sha256 = FramesDigest::default();
    draft.manifest.frame_count = 0;
    draft.manifest.frames_by_kind.clear();
    let prefix = draft.on_disk().prefix();
    assert_eq!(prefix.manifest(), &draft.manifest);
    assert_eq!(
        left_of(&prefix),
        whole_lines_before(&draft, draft.frames().len())
    );
}

#[test]
fn chunks_of_a_connection_are_those_that_were_taken() {
    let draft = Draft::conversation();
    let disk = draft.on_disk();
    let four_lines: usize = draft.lines[..4]
        .iter()
        .map(|line| line.text.len() + 1)
        .sum();
    std::fs::write(disk.frames(), &draft.frames()[..four_lines + 7]).unwrap();
    let prefix = disk.prefix();
    let positions = |number| {
        let chunks = prefix.connection_chunks(&ConnectionId::numbered(number));
        chunks
            .map(|chunk| chunk.global_seq().get())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        [positions(1), positions(2), positions(3), positions(4)],
        [vec![1, 3], vec![2], vec![4], vec![]]
    );
}

/// Checks that the fifth line, changed so, ends the prefix as bad.
fn assert_bad(change: impl FnOnce(&mut Draft), expected: impl FnOnce(&OpenError) -> bool) {
    let mut draft = Draft::conversation();
    change(&mut draft);
    let frames = draft.frames();
    let disk = draft.on_disk();
    // A torn tail behind a bad line belongs to what is left out.
    std::fs::write(disk.frames(), [&*frames, b"{\"conn"].concat()).unwrap();
    let prefix = disk.prefix();
    let good: u64 = draft.lines[..4]
        .iter()
        .map(|line| line.text.len() as u64 + 1)
        .sum();
    assert_eq!(
        prefix.chunks().map(Seen::from).collect::<Vec<_>>(),
        draft.seen()[..4]
    );
    assert_eq!(prefix.good_bytes(), good);
    match prefix.ending() {
        Ending::Bad {
            offset,
            bytes,
            error,
        } => {
            assert_eq!((*offset, *bytes), (good, frames.len() as u64 + 6 - good));
            assert!(expected(error), "{error:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bad_line_in_the_middle_is_never_skipped() {
    assert_bad(
        |draft| draft.lines[4].text = b"}{".to_vec(),
        |error| matches!(error, OpenError::Line { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4].text.clear(),
        |error| matches!(error, OpenError::Line { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4].text = vec![0; 4096],
        |error| matches!(error, OpenError::Line { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4] = draft.lines[3].clone(),
        |error| matches!(error, OpenError::GlobalSequence { line: 5, found, .. } if found.get() == 4),
    );
    assert_bad(
        |draft| draft.lines[4].rewrite(|chunk| chunk.global_seq = GlobalSeq::new(6)),
        |error| matches!(error, OpenError::GlobalSequence { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4].rewrite(|chunk| chunk.chunk_seq = ChunkSeq::new(3)),
        |error| matches!(error, OpenError::ChunkSequence { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4].rewrite(|chunk| chunk.connection_id = "ghost".parse().unwrap()),
        |error| matches!(error, OpenError::UnlistedConnection { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4].rewrite(|chunk| chunk.elapsed = ElapsedMs::new(u64::MAX)),
        |error| matches!(error, OpenError::Elapsed { line: 5, .. }),
    );
    assert_bad(
        |draft| draft.lines[4].rewrite(|chunk| chunk.data = vec![0; 8 * 1024 * 1024 + 1]),
        |error| matches!(error, OpenError::FrameTooLarge { line: 5, .. }),
    );
}

#[test]
fn a_line_beyond_the_limit_ends_the_prefix() {
    let mut draft = Draft::conversation();
    draft.lines[1].rewrite(|chunk| chunk.message = "x".repeat(512));
    let limits = crate::tape_files::small_limits();
    let options = ReadOptions::default().with_limits(limits);
    let prefix = TapePrefix::open(draft.on_disk().dir(), &options).unwrap();
    assert_eq!(prefix.len(), 1);
    assert!(matches!(
        prefix.ending(),
        Ending::Bad {
            error: OpenError::LineTooLong {
                line: 2,
                limit: 512,
                ..
            },
            ..
        }
    ));
}

#[test]
fn a_manifest_that_cannot_be_trusted_is_refused() {
    let refusal = |change: fn(&mut Draft)| {
        let mut draft = Draft::conversation();
        change(&mut draft);
        TapePrefix::open(draft.on_disk().dir(), &ReadOptions::default()).unwrap_err()
    };
    let schema = refusal(|draft| draft.manifest.schema_version = "5".parse().unwrap());
    assert!(matches!(schema, OpenError::SchemaVersion { .. }));
    let projection = refusal(|draft| draft.manifest.projection_version = "2".parse().unwrap());
    assert!(matches!(projection, OpenError::ProjectionVersion { .. }));
    let origin = refusal(|draft| {
        draft.manifest.connections[2].capture_origin =
            cassette_format::schema::CaptureOrigin::named("");
    });
    assert!(matches!(origin, OpenError::CaptureOrigin { .. }));
    let torn = OnDisk::of("{\"schemaVersion\": 4,", "");
    let torn = TapePrefix::open(torn.dir(), &ReadOptions::default()).unwrap_err();
    assert!(matches!(torn, OpenError::Manifest { .. }));
}

#[test]
fn chunks_that_cannot_be_played_are_taken_and_listed() {
    let mut draft = Draft::conversation();
    draft.lines[6].rewrite(|chunk| chunk.exit_code = None);
    let prefix = draft.on_disk().prefix();
    assert_eq!(prefix.len(), 9);
    let defects: Vec<u64> = prefix
        .defects()
        .map(|defect| defect.global_seq.get())
        .collect();
    assert_eq!(defects, [7]);
}
