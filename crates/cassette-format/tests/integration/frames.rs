//! Single lines of `frames.jsonl`: what a recorder writes, what a reader takes,
//! what it refuses.

use cassette_format::schema::{
    Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq, MAX_LINE_BYTES,
};
use cassette_format::store::{
    DefectKind, OpenError, ReadLimits, ReadOptions, read_line, write_line,
};
use insta::assert_snapshot;

use crate::tape_files::{Draft, DraftLine, Seen, chain, connection, seen_in};

fn chunk(kind: ChunkKind, data: &[u8]) -> Chunk {
    Chunk {
        connection_id: ConnectionId::numbered(1),
        chunk_seq: ChunkSeq::FIRST,
        global_seq: GlobalSeq::FIRST,
        elapsed: ElapsedMs::new(7),
        kind,
        data: data.to_vec(),
        exit_code: None,
        message: String::new(),
    }
}

fn written(chunk: &Chunk) -> String {
    let mut line = b"before ".to_vec();
    let len = write_line(&mut line, chunk).unwrap();
    assert_eq!(len + 7, line.len() as u64);
    String::from_utf8(line)
        .unwrap()
        .strip_prefix("before ")
        .unwrap()
        .to_owned()
}

/// A tape whose only line is `text`; it counts as a chunk of standard output.
fn tape_of(text: impl Into<Vec<u8>>) -> Draft {
    let seen = Seen::from(chunk(ChunkKind::Stdout, b""));
    let line = DraftLine {
        text: text.into(),
        seen,
    };
    Draft::new(vec![connection(1, "codex")], vec![line])
}

/// The line of a recorder with `member` in place of the member of that name.
fn with_member(name: &str, member: &str) -> String {
    let members = ["connectionId", "chunkSeq", "globalSeq", "elapsedMs", "kind"]
        .into_iter()
        .zip(["\"connection-1\"", "1", "1", "0", "\"stdout\""]);
    let members: Vec<String> = members
        .map(|(key, value)| {
            if key == name {
                member.to_owned()
            } else {
                format!("\"{key}\":{value}")
            }
        })
        .chain(
            (!["connectionId", "chunkSeq", "globalSeq", "elapsedMs", "kind"].contains(&name))
                .then(|| member.to_owned()),
        )
        .collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn lines_are_written_in_the_form_of_the_format() {
    let mut exit = chunk(ChunkKind::Exit, b"");
    exit.exit_code = Some(-1);
    exit.message = "signal 9 <\u{7f}\u{1}\"\u{e9}\u{2028}>".into();
    let mut odd = chunk(ChunkKind::named("re\"size"), &[0, 255, 62]);
    odd.connection_id = ConnectionId::from_recorded("\\");
    odd.exit_code = Some(i64::MIN);
    let lines = [
        written(&chunk(ChunkKind::Stdout, b"hi")),
        written(&chunk(ChunkKind::Outbound, b"")),
        written(&exit),
        written(&odd),
    ];
    assert_snapshot!(lines.concat());
}

#[test]
fn a_chunk_of_any_content_is_one_line() {
    let mut all: Vec<u8> = (0..=255).collect();
    all.extend_from_slice(b"\r\n\n");
    let mut chunk = chunk(ChunkKind::Stdout, &all);
    chunk.message = "two\nlines\r\u{85}\u{2028}".into();
    let line = written(&chunk);
    assert_eq!(line.find('\n'), Some(line.len() - 1));
    assert_eq!(read_line(line.trim_end().as_bytes()), Ok(chunk));
}

#[test]
fn a_line_of_just_16_mib_is_written_and_read_and_one_byte_more_is_refused() {
    let frame = written(&chunk(ChunkKind::Stdout, b"")).len() + ",\"message\":\"\"".len();
    let mut chunk = chunk(ChunkKind::Stdout, b"");
    chunk.message = "x".repeat(MAX_LINE_BYTES as usize - frame);
    let mut line = Vec::new();
    assert_eq!(write_line(&mut line, &chunk), Ok(MAX_LINE_BYTES));
    line.pop();
    let limits = ReadLimits {
        max_frame_bytes: u64::MAX,
        ..ReadLimits::default()
    };
    let options = ReadOptions::default().with_limits(limits);
    let mut draft = Draft::new(
        vec![connection(1, "codex")],
        vec![DraftLine {
            text: line.clone(),
            seen: chunk.clone().into(),
        }],
    );
    let tape = draft.on_disk().open_with(&options).unwrap();
    assert_eq!(seen_in(&tape), [Seen::from(chunk.clone())]);

    chunk.message.push('x');
    let (bytes, limit) = (MAX_LINE_BYTES + 1, MAX_LINE_BYTES);
    let mut output = b"kept".to_vec();
    let error = write_line(&mut output, &chunk).unwrap_err();
    assert_eq!((error.bytes, error.limit), (bytes, limit));
    assert_eq!(
        error.to_string(),
        "line has 16777217 bytes, the limit is 16777216"
    );
    assert_eq!(output, b"kept");
    line.splice(1..1, *b" ");
    draft.lines[0].text = line;
    draft.seal();
    let disk = draft.on_disk();
    let error = disk.open_with(&options).unwrap_err();
    let expected = OpenError::LineTooLong {
        path: disk.frames(),
        line: 1,
        bytes,
        limit,
    };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}

#[test]
fn a_payload_of_just_the_limit_is_read_and_one_byte_more_is_refused() {
    let mut draft = Draft::conversation();
    draft.lines[0].rewrite(|chunk| {
        chunk.data = vec![0; 90];
        chunk.message = "0123456789".into();
    });
    draft.seal();
    let disk = draft.on_disk();
    let options = |max_frame_bytes| {
        ReadOptions::default().with_limits(ReadLimits {
            max_frame_bytes,
            ..ReadLimits::default()
        })
    };
    assert!(disk.open_with(&options(100)).is_ok());
    let error = disk.open_with(&options(99)).unwrap_err();
    let expected = OpenError::FrameTooLarge {
        path: disk.frames(),
        line: 1,
        bytes: 100,
        limit: 99,
    };
    assert_eq!(format!("{error:?}"), format!("{expected:?}"));
}

#[test]
fn lines_in_any_form_of_json_are_read() {
    let expected = [Seen::from(Chunk {
        elapsed: ElapsedMs::new(0),
        ..chunk(ChunkKind::Stdout, b"")
    })];
    for line in [
        with_member("", "\"extra\":{\"a\":[1,null]}"),
        with_member("data", "\"data\":\"\""),
        with_member("data", "\"data\":null,\"exitCode\":null,\"message\":null"),
        with_member("elapsedMs", "\"elapsed\":9"),
        with_member("chunkSeq", "\"chunk\\u0053eq\" :\t1"),
        with_member("kind", "\"kind\":\"st\\u0064out\""),
        with_member("connectionId", "\"connectionId\":\"connection\\u002d1\""),
        format!(" \t{} \r", with_member("", "\"\":0")),
    ] {
        let tape = tape_of(&*line)
            .on_disk()
            .open()
            .unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert_eq!(seen_in(&tape), expected, "{line}");
    }
}

#[test]
fn lines_that_are_no_chunk_are_refused_with_their_place() {
    let cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b" \t".to_vec(),
        b"\r".to_vec(),
        b"\0".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"{}{}".to_vec(),
        format!("\u{feff}{}", with_member("", "\"\":0")).into(),
        with_member("", "\"message\":\"\0\"").into(),
        [with_member("", "\"message\":\"").as_bytes(), b"\xff\"}"].concat(),
        with_member("chunkSeq", "\"chunkSeq\":1,\"chunkSeq\":1").into(),
        with_member("", "\"Data\":\"\"").into(),
        with_member("kind", "\"KIND\":\"stdout\"").into(),
        with_member("chunkSeq", "\"chunkSeq\":1.0").into(),
        with_member("chunkSeq", "\"chunkSeq\":1e0").into(),
        with_member("chunkSeq", "\"chunkSeq\":-1").into(),
        with_member("chunkSeq", "\"chunkSeq\":01").into(),
        with_member("globalSeq", "\"globalSeq\":99999999999999999999").into(),
        with_member("globalSeq", "\"globalSeq\":\"1\"").into(),
        with_member("elapsedMs", "\"elapsedMs\":-0").into(),
        with_member("elapsedMs", "\"elapsedMs\":18446744073709551616").into(),
        with_member("kind", "\"kind\":1").into(),
        with_member("", "\"data\":[104,105]").into(),
        with_member("", "\"exitCode\":0.5").into(),
        with_member("", "\"exitCode\":9223372036854775808").into(),
        with_member("", "\"exitCode\":true").into(),
    ];
    let texts: Vec<String> = cases
        .iter()
        .map(|text| {
            let disk = tape_of(&**text).on_disk();
            let error = disk.refusal();
            assert!(
                matches!(error, OpenError::Line { line: 1, .. }),
                "{error:?}"
            );
            format!("{}\n{}", text.escape_ascii(), chain(&error, disk.dir()))
        })
        .collect();
    assert_snapshot!(texts.join("\n"));
}

#[test]
fn absent_null_and_zero_sequence_numbers_are_gaps() {
    for member in ["\"x\":1", "\"globalSeq\":null", "\"globalSeq\":0"] {
        let disk = tape_of(with_member("globalSeq", member)).on_disk();
        let expected = OpenError::GlobalSequence {
            path: disk.frames(),
            line: 1,
            found: GlobalSeq::new(0),
            expected: GlobalSeq::FIRST,
        };
        assert_eq!(format!("{:?}", disk.refusal()), format!("{expected:?}"));
    }
    let disk = tape_of(with_member("chunkSeq", "\"chunkSeq\":null")).on_disk();
    assert!(matches!(disk.refusal(), OpenError::ChunkSequence { found, .. } if found.get() == 0));
    let disk = tape_of(with_member("connectionId", "\"connectionId\":null")).on_disk();
    assert!(
        matches!(disk.refusal(), OpenError::UnlistedConnection { connection_id, .. } if connection_id.as_str().is_empty())
    );
}

#[test]
fn the_largest_numbers_are_read_as_they_are() {
    let max = u64::MAX;
    let disk = tape_of(with_member("globalSeq", &format!("\"globalSeq\":{max}"))).on_disk();
    assert!(
        matches!(disk.refusal(), OpenError::GlobalSequence { found, .. } if found.get() == max)
    );
    let disk = tape_of(with_member("elapsedMs", &format!("\"elapsedMs\":{max}"))).on_disk();
    assert!(matches!(disk.refusal(), OpenError::Elapsed { found, .. } if found.get() == max));
    let last = ElapsedMs::MAX.get();
    let disk = tape_of(with_member("elapsedMs", &format!("\"elapsedMs\":{last}"))).on_disk();
    assert_eq!(
        disk.open()
            .unwrap()
            .chunk(GlobalSeq::FIRST)
            .unwrap()
            .elapsed(),
        ElapsedMs::MAX
    );
}

#[test]
fn a_byte_order_mark_or_blank_line_anywhere_is_refused() {
    for (at, broken) in [(0, "\u{feff}"), (3, ""), (8, "  "), (8, "\r")] {
        let mut draft = Draft::conversation();
        let line = &mut draft.lines[at].text;
        if broken == "\u{feff}" {
            line.splice(0..0, broken.bytes());
        } else {
            *line = broken.into();
        }
        draft.seal();
        let number = at as u64 + 1;
        let error = draft.on_disk().refusal();
        assert!(
            matches!(error, OpenError::Line { line, .. } if line == number),
            "{error:?}"
        );
    }
}

#[test]
fn carriage_returns_before_line_feeds_are_white_space() {
    let mut draft = Draft::conversation();
    draft
        .lines
        .iter_mut()
        .for_each(|line| line.text.push(b'\r'));
    draft.seal();
    assert_eq!(seen_in(&draft.on_disk().open().unwrap()), draft.seen());
}

#[test]
fn carriage_returns_alone_end_no_line() {
    let draft = Draft::conversation();
    let frames: Vec<u8> = draft
        .frames()
        .iter()
        .map(|byte| if *byte == b'\n' { b'\r' } else { *byte })
        .collect();
    let mut one_line = tape_of(frames);
    one_line.manifest.connections = draft.manifest.connections;
    assert!(matches!(
        one_line.on_disk().refusal(),
        OpenError::Line { line: 1, .. }
    ));
}

#[test]
fn chunks_that_cannot_be_played_load_and_are_listed() {
    let mut draft = Draft::conversation();
    draft.lines[0].rewrite(|chunk| chunk.kind = ChunkKind::named("resize"));
    draft.lines[6].rewrite(|chunk| chunk.exit_code = None);
    draft.lines[4].rewrite(|chunk| chunk.data = b"abc".to_vec());
    let text = String::from_utf8(draft.lines[4].text.clone()).unwrap();
    draft.lines[4].text = text.replace("YWJj", "YW_j").into();
    draft.lines[4].seen.data = Err(GlobalSeq::new(5));
    draft.seal();
    let tape = draft.on_disk().open().unwrap();
    assert_eq!(seen_in(&tape), draft.seen());
    let defects: Vec<(u64, String, DefectKind)> = tape
        .defects()
        .map(|defect| {
            (
                defect.global_seq.get(),
                defect.connection_id.to_string(),
                defect.kind,
            )
        })
        .collect();
    let expected = [
        (
            1,
            "connection-1",
            DefectKind::UnknownKind(ChunkKind::named("resize")),
        ),
        (5, "connection-2", DefectKind::UndecodableData),
        (7, "connection-2", DefectKind::MissingExitCode),
    ];
    assert_eq!(
        defects,
        expected.map(|(at, id, kind)| (at, id.to_owned(), kind))
    );
    let error = tape.chunk(GlobalSeq::new(5)).unwrap().data().unwrap_err();
    assert_eq!(error.to_string(), "data of chunk 5 is not base64");
}
