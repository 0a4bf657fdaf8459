//! Between frames and chunks: nothing that a process says is lost on the way to
//! the tape and back.

use cassette_format::process::{
    ChunkFromFrame, ExitCode, Frame, FrameEvent, FrameFromChunk, Stamp, chunk_from_frame,
    frame_from_chunk,
};
use cassette_format::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId, ElapsedMs, GlobalSeq};
use proptest::prelude::*;

fn chunk_of(frame: &Frame) -> Result<Chunk, ChunkFromFrame> {
    let numbers = (ChunkSeq::new(2), GlobalSeq::new(3));
    chunk_from_frame(frame, ConnectionId::numbered(1), numbers, ElapsedMs::new(4))
}

fn chunk(kind: ChunkKind, data: &[u8], exit_code: Option<i64>, message: &str) -> Chunk {
    Chunk {
        connection_id: ConnectionId::numbered(1),
        chunk_seq: ChunkSeq::new(2),
        global_seq: GlobalSeq::new(3),
        elapsed: ElapsedMs::new(4),
        kind,
        data: data.to_vec(),
        exit_code,
        message: message.to_owned(),
    }
}

#[test]
fn each_frame_has_its_chunk() {
    let cases = [
        (Frame::stdout("a"), chunk(ChunkKind::Stdout, b"a", None, "")),
        (
            Frame::stderr("a").with_message("m"),
            chunk(ChunkKind::Stderr, b"a", None, "m"),
        ),
        (
            Frame::exit(ExitCode::SIGNALED),
            chunk(ChunkKind::Exit, b"", Some(-1), ""),
        ),
        (
            Frame::message_only("m"),
            chunk(ChunkKind::Stdout, b"", None, "m"),
        ),
    ];
    for (frame, chunk) in cases {
        assert_eq!(chunk_of(&frame), Ok(chunk.clone()));
        assert_eq!(frame_from_chunk(chunk), Ok(frame));
    }
}

#[test]
fn a_stamp_is_not_stored() {
    let mut frame = Frame::stdout("a");
    frame.stamp = Some(Stamp {
        recording_id: None,
        connection_id: ConnectionId::numbered(9),
        chunk_seq: ChunkSeq::new(9),
        synthetic: true,
    });
    assert_eq!(chunk_of(&frame), chunk_of(&Frame::stdout("a")));
}

#[test]
fn an_empty_frame_is_no_chunk_but_an_empty_chunk_is_a_frame() {
    for frame in [
        Frame::stdout(""),
        Frame::stderr(""),
        Frame::message_only(""),
    ] {
        assert_eq!(chunk_of(&frame), Err(ChunkFromFrame::Empty));
    }
    // What is left of a chunk whose message was stored with a later one.
    let empty = chunk(ChunkKind::Stdout, b"", None, "");
    assert_eq!(frame_from_chunk(empty), Ok(Frame::stdout("")));
}

#[test]
fn chunks_that_no_process_says_are_no_frames() {
    for kind in [ChunkKind::Outbound, ChunkKind::named("resize")] {
        let expected = FrameFromChunk::UnsupportedKind {
            global_seq: GlobalSeq::new(3),
            kind: kind.clone(),
        };
        assert_eq!(frame_from_chunk(chunk(kind, b"a", None, "")), Err(expected));
    }
    let expected = FrameFromChunk::MissingExitCode {
        global_seq: GlobalSeq::new(3),
    };
    assert_eq!(
        frame_from_chunk(chunk(ChunkKind::Exit, b"", None, "m")),
        Err(expected)
    );
}

fn event() -> impl Strategy<Value = FrameEvent> {
    let bytes = || proptest::collection::vec(any::<u8>(), 1..9);
    prop_oneof![
        bytes().prop_map(FrameEvent::Stdout),
        bytes().prop_map(FrameEvent::Stderr),
        any::<i64>().prop_map(|code| FrameEvent::Exit(ExitCode::new(code))),
    ]
}

proptest! {
    #[test]
    fn any_frame_with_a_payload_comes_back_from_its_chunk(event in event(), message in proptest::option::of(".{1,4}")) {
        let frame = Frame { event, message, stamp: None };
        let chunk = chunk_of(&frame).unwrap();
        let mut line = Vec::new();
        cassette_format::store::write_line(&mut line, &chunk).unwrap();
        line.pop();
        let stored = cassette_format::store::read_line(&line).unwrap();
        prop_assert_eq!(frame_from_chunk(stored), Ok(frame));
    }
}
