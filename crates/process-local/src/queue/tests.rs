//! Claims about the queue that need no process.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use cassette_format::process::{ExitCode, FrameEvent};

use super::*;

const EXIT: Frame = Frame::exit(ExitCode::new(0));

/// Polls once; `None` if it has to wait.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn push(queue: &FrameQueue, bytes: &[u8]) -> Option<Pushed> {
    now(queue.push(Stream::Stdout, bytes.to_vec()))
}

fn recv(queue: &FrameQueue) -> Option<Frame> {
    now(queue.recv()).expect("something to receive").unwrap()
}

#[test]
fn a_full_queue_holds_back_until_there_is_room_and_no_chunk_is_cut() {
    let queue = FrameQueue::new(4);
    assert_eq!(push(&queue, b"abc"), Some(Pushed::Kept));
    assert_eq!(push(&queue, b"de"), None);
    assert_eq!(recv(&queue), Some(Frame::stdout("abc")));
    assert_eq!(push(&queue, b"larger than the limit"), Some(Pushed::Kept));
    assert_eq!(recv(&queue), Some(Frame::stdout("larger than the limit")));
}

#[test]
fn a_waiting_push_goes_on_when_room_is_made() {
    let queue = FrameQueue::new(1);
    push(&queue, b"a").unwrap();
    let mut waiting = pin!(queue.push(Stream::Stdout, b"b".to_vec()));
    let mut cx = Context::from_waker(Waker::noop());
    assert_eq!(waiting.as_mut().poll(&mut cx), Poll::Pending);
    assert_eq!(recv(&queue), Some(Frame::stdout("a")));
    assert_eq!(waiting.as_mut().poll(&mut cx), Poll::Ready(Pushed::Kept));
}

#[test]
fn a_cancelled_receive_loses_nothing() {
    let queue = FrameQueue::new(8);
    {
        let mut cancelled = pin!(queue.recv());
        assert!(
            cancelled
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_pending()
        );
        push(&queue, b"a").unwrap();
    }
    assert_eq!(recv(&queue), Some(Frame::stdout("a")));
}

#[test]
fn the_exit_frame_finds_its_slot_in_a_full_queue_and_comes_last_and_once() {
    let queue = FrameQueue::new(1);
    push(&queue, b"a").unwrap();
    queue.finish(EXIT);
    queue.finish(Frame::exit(ExitCode::new(9)));
    assert_eq!(push(&queue, b"late"), Some(Pushed::Unwanted));
    assert_eq!(recv(&queue), Some(Frame::stdout("a")));
    assert_eq!(recv(&queue), Some(EXIT));
    assert_eq!(recv(&queue), None);
    assert_eq!(recv(&queue), None);
}

#[test]
fn after_keep_only_so_many_more_bytes_are_kept_and_the_rest_is_counted() {
    let queue = FrameQueue::new(3);
    push(&queue, b"abc").unwrap();
    queue.keep(4);
    queue.keep(1000);
    assert_eq!(push(&queue, b"defghi"), Some(Pushed::Kept));
    assert_eq!(queue.discarded(), 2);
    assert_eq!(recv(&queue), Some(Frame::stdout("abc")));
    assert_eq!(recv(&queue), Some(Frame::stdout("defg")));
}

#[test]
fn a_stream_that_was_cut_gets_no_more_though_there_is_room_again() {
    let queue = FrameQueue::new(2);
    queue.keep(2);
    push(&queue, b"abc").unwrap();
    assert_eq!(recv(&queue), Some(Frame::stdout("ab")));
    push(&queue, b"d").unwrap();
    assert_eq!(
        now(queue.push(Stream::Stderr, b"e".to_vec())),
        Some(Pushed::Kept)
    );
    assert_eq!(recv(&queue), Some(Frame::stderr("e")));
    assert_eq!(queue.discarded(), 2);
}

#[test]
fn many_small_chunks_are_joined_and_keep_their_order() {
    let queue = FrameQueue::new(1 << 20);
    let written: Vec<u8> = (0..100_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    for byte in &written {
        push(&queue, &[*byte]).unwrap();
    }
    queue.finish(EXIT);
    let mut read = Vec::new();
    let mut frames = 0;
    while let Some(Frame {
        event: FrameEvent::Stdout(bytes),
        ..
    }) = recv(&queue)
    {
        read.extend_from_slice(&bytes);
        frames += 1;
    }
    assert_eq!((read == written, frames), (true, 65));
}

#[test]
fn streams_are_never_joined_with_each_other_and_their_number_of_chunks_is_bounded() {
    let queue = FrameQueue::new(1 << 20);
    let mut held_back = 0;
    for index in 0..CHUNK_LIMIT + 10 {
        let stream = if index % 2 == 0 {
            Stream::Stdout
        } else {
            Stream::Stderr
        };
        held_back += usize::from(now(queue.push(stream, b"x".to_vec())).is_none());
    }
    assert_eq!(held_back, 10);
}

#[test]
fn an_abandoned_queue_is_empty_and_wants_nothing() {
    let queue = FrameQueue::new(8);
    push(&queue, b"a").unwrap();
    queue.abandon();
    assert_eq!(push(&queue, b"b"), Some(Pushed::Unwanted));
    queue.finish(EXIT);
    assert_eq!(recv(&queue), Some(EXIT));
}

#[test]
fn a_failure_to_read_is_received_once_at_its_place() {
    let queue = FrameQueue::new(8);
    push(&queue, b"a").unwrap();
    queue.push_failure(io::Error::other("broken"));
    queue.finish(EXIT);
    assert_eq!(recv(&queue), Some(Frame::stdout("a")));
    assert_eq!(
        now(queue.recv()).unwrap().unwrap_err().to_string(),
        "broken"
    );
    assert_eq!(recv(&queue), Some(EXIT));
}

#[test]
fn the_end_reaches_every_receiver_that_waits() {
    let queue = FrameQueue::new(8);
    let mut cx = Context::from_waker(Waker::noop());
    let (mut first, mut second) = (pin!(queue.recv()), pin!(queue.recv()));
    assert!(first.as_mut().poll(&mut cx).is_pending());
    assert!(second.as_mut().poll(&mut cx).is_pending());
    queue.finish(EXIT);
    let ended = |poll: Poll<io::Result<Option<Frame>>>| match poll {
        Poll::Ready(frame) => frame.unwrap(),
        Poll::Pending => panic!("it was not woken"),
    };
    assert_eq!(ended(first.poll(&mut cx)), Some(EXIT));
    assert_eq!(ended(second.poll(&mut cx)), None);
}

#[test]
fn after_holding_back_again_nobody_loses_and_what_was_cut_stays_cut() {
    let queue = FrameQueue::new(2);
    queue.keep(2);
    push(&queue, b"abc").unwrap();
    queue.hold_back();
    assert_eq!(recv(&queue), Some(Frame::stdout("ab")));
    push(&queue, b"d").unwrap();
    assert_eq!(queue.discarded(), 2);
    let stderr = |bytes: &[u8]| now(queue.push(Stream::Stderr, bytes.to_vec()));
    assert_eq!(stderr(b"ef"), Some(Pushed::Kept));
    assert_eq!(stderr(b"g"), None);
}
