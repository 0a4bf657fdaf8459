//! Messages in any number of pieces, with an end that is said and not meant, and streams
//! that lose their framing.

use cassette_format::process::{Failure, Frame};
use cassette_record::{RecordError, RecordOptions, Recorder, Tap};

use crate::live::{launch, registry, stored};

/// Records of one provider; gives the text on the tape and why the recording has failed.
fn recorded(
    provider: &str,
    record: impl FnOnce(&Tap) -> Result<(), Failure>,
) -> (String, Option<Failure>) {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let recorder = Recorder::create(&dir, registry(), RecordOptions::default()).unwrap();
    let mut launch = launch("session-1");
    launch.session.as_mut().unwrap().provider = provider.parse().unwrap();
    let tap = recorder.tap(&launch).unwrap();
    record(&tap).ok();
    tap.close().ok();
    let text = stored(&dir).into_iter().map(|(_, text)| text).collect();
    (text, recorder.failure())
}

fn said(tap: &Tap, text: &str) -> Result<(), Failure> {
    tap.inbound(&Frame::stdout(text)).map(drop)
}

const STREAMS: [(&str, &str, &str); 7] = [
    (
        "test",
        "{\"cwd\":\"/work\"}\n{\"a\":1}\n{\"path\":\"/work/a\"}",
        "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n{\"a\":1}\n{\"path\":\"${SESSION_CWD:session-1:1}/a\"}",
    ),
    (
        "framed",
        "Content-Length: 15\r\n\r\n{\"cwd\":\"/work\"}Content-Length: 2\r\n\r\n{}",
        "Content-Length: 36\r\n\r\n{\"cwd\":\"${SESSION_CWD:session-1:1}\"}Content-Length: 2\r\n\r\n{}",
    ),
    // Headers that are none, of which that is known late.
    (
        "framed",
        "a: b\r\n{\"cwd\":\"/work\"}\n\r\n{}\n",
        "a: b\r\n{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n\r\n{}\n",
    ),
    (
        "framed",
        "a: b\r\nc: d\r\n\r\n{\"cwd\":\"/work\"}\n",
        "a: b\r\nc: d\r\n\r\n{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n",
    ),
    (
        "framed",
        "{\"cwd\":\"/work\"}\r\nx: {\"cwd\":\"/work\"}\r\n\r\n{\"path\":\"/work\"}",
        "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\r\nx: {\"cwd\":\"${SESSION_CWD:session-1:1}\"}\r\n\r\n{\"path\":\"${SESSION_CWD:session-1:1}\"}",
    ),
    (
        "framed",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{\"cwd\":\"/work\"}\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n",
    ),
    (
        "framed",
        "{\"cwd\":\"/work\"}\n{\"path\":\"/work\"}\n",
        "{\"cwd\":\"${SESSION_CWD:session-1:1}\"}\n{\"path\":\"${SESSION_CWD:session-1:1}\"}\n",
    ),
];

#[test]
fn what_is_stored_is_the_same_however_a_stream_is_cut() {
    for (provider, sent, expected) in STREAMS {
        for first in 1..sent.len() - 1 {
            let second = first + 1 + first * 7 % (sent.len() - first - 1);
            let (text, failure) = recorded(provider, |tap| {
                said(tap, &sent[..first])?;
                said(tap, &sent[first..second])?;
                said(tap, &sent[second..])
            });
            assert!(failure.is_none(), "{failure:?}");
            assert_eq!(text, expected, "{first} {second}");
        }
        let (text, _) = recorded(provider, |tap| {
            (0..sent.len()).try_for_each(|at| said(tap, &sent[at..=at]))
        });
        assert_eq!(text, expected);
    }
}

#[test]
fn a_message_that_goes_on_after_its_end_is_stored_as_a_whole_or_refused() {
    for (provider, sent, expected) in STREAMS {
        let (mut whole, mut refused) = (0, 0);
        for at in 1..sent.len() {
            let (text, failure) = recorded(provider, |tap| {
                said(tap, &sent[..at])?;
                tap.close()?;
                tap.close()?;
                said(tap, &sent[at..])
            });
            match failure.as_ref().map(Failure::downcast_ref) {
                None => {
                    assert_eq!(text, expected, "{at}");
                    whole += 1;
                }
                Some(Some(RecordError::WentOn { .. })) => {
                    assert!(!text.contains("/work"), "{text:?}");
                    refused += 1;
                }
                Some(failure) => panic!("{at} {failure:?}"),
            }
        }
        assert!(whole > 0 && refused > 0, "{whole} {refused} {sent:?}");
    }
}

/// What is refused is refused, whoever said in the middle of it that it has ended.
#[test]
fn no_end_of_a_message_opens_a_way_past_what_is_looked_at() {
    let sent = "{\"id\":1,\"method\":\"login\"}\n";
    for at in 1..sent.len() {
        let (text, failure) = recorded("test", |tap| {
            tap.outbound(&sent.as_bytes()[..at])?;
            tap.end_input()?;
            tap.outbound(&sent.as_bytes()[at..])
        });
        assert!(
            matches!(
                failure.as_ref().and_then(Failure::downcast_ref),
                Some(RecordError::Content { .. })
            ),
            "{at} {failure:?}"
        );
        assert!(!text.contains("login"), "{text:?}");
    }
}
