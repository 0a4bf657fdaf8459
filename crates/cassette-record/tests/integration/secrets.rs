//! Secrets on their way to the tape.

use cassette_format::process::{ExitCode, Frame};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{FinishError, FoundSecret, RecordError, RecordOptions, SecretOptions};

use crate::live::{Live, texts};

const SECRET: &str = "sk-1f9a7b3c1d5e8f0a2b4c";

fn looking_for(found: FoundSecret) -> RecordOptions {
    let mut secrets = SecretOptions {
        found,
        ..SecretOptions::default()
    };
    secrets.values.add("API_KEY", SECRET).unwrap();
    RecordOptions {
        secrets,
        ..RecordOptions::default()
    }
}

fn on_disk(live: &Live) -> Vec<u8> {
    let mut all = std::fs::read(live.dir().join("frames.jsonl")).unwrap();
    all.extend(std::fs::read(live.dir().join("manifest.json")).unwrap());
    all
}

#[test]
fn a_secret_fails_the_recording_and_nothing_of_its_message_is_written() {
    let live = Live::with(looking_for(FoundSecret::Reject));
    live.tap.outbound(b"{}\n").unwrap();
    live.tap
        .inbound(&Frame::stderr(&b"key is sk-1f9a7b3c1"[..]))
        .unwrap();
    let failure = live
        .tap
        .inbound(&Frame::stderr(&b"d5e8f0a2b4c\n"[..]))
        .unwrap_err();

    let Some(RecordError::Secret { name, .. }) = failure.downcast_ref() else {
        panic!("{failure:?}")
    };
    assert_eq!(name.as_str(), "API_KEY");
    assert!(!format!("{failure:?} {failure}").contains(SECRET));
    let written = [("outbound", "{}\n"), ("stderr", "")];
    assert_eq!(live.stored(), texts(&written));
    assert!(live.recorder.finish().is_err());
}

#[test]
fn a_secret_that_cannot_be_replaced_without_breaking_its_message_fails_the_recording() {
    let mut options = looking_for(FoundSecret::Replace);
    options.secrets.values.add("PIN", "12345678").unwrap();
    let live = Live::with(options);
    live.tap.outbound(b"{\"pin\":\"12345678\"}\n").unwrap();
    live.tap
        .inbound(&Frame::stderr(&b"12345678\n"[..]))
        .unwrap();

    let failure = live.tap.outbound(b"{\"pin\":12345678}\n").unwrap_err();

    let Some(RecordError::Secret { name, .. }) = failure.downcast_ref() else {
        panic!("{failure:?}")
    };
    assert_eq!(name.as_str(), "PIN");
    let written = [
        ("outbound", "{\"pin\":\"${REDACTED:PIN}\"}\n"),
        ("stderr", "${REDACTED:PIN}\n"),
    ];
    assert_eq!(live.stored(), texts(&written));
}

#[test]
fn a_secret_is_replaced_where_that_is_asked_for_and_the_manifest_tells_it() {
    let live = Live::with(looking_for(FoundSecret::Replace));
    let line = format!("{{\"cwd\":\"/work\",\"k\":\"{SECRET}\"}}\n");
    let (first, second) = line.split_at(30);
    live.tap.inbound(&Frame::stdout(first)).unwrap();
    live.tap.inbound(&Frame::stdout(second)).unwrap();
    let exit = Frame::exit(ExitCode::new(1)).with_message(format!("said {SECRET}"));
    live.tap.inbound(&exit).unwrap();
    live.tap.close().unwrap();
    live.recorder.finish().unwrap();

    assert_eq!(
        live.stored(),
        texts(&[
            ("stdout", ""),
            (
                "stdout",
                "{\"cwd\":\"${SESSION_CWD:session-1:1}\",\"k\":\"${REDACTED:API_KEY}\"}\n"
            ),
            ("exit", ""),
        ])
    );
    assert!(memchr::memmem::find(&on_disk(&live), SECRET.as_bytes()).is_none());
    let tape = Tape::open(live.dir(), &ReadOptions::default()).unwrap();
    let exit = tape.chunks().last().unwrap();
    assert_eq!(exit.message(), "said ${REDACTED:API_KEY}");
    let redactions = tape.manifest().annotations.redactions.clone().unwrap();
    assert_eq!(
        (redactions.count, redactions.rules),
        (2, vec!["API_KEY".to_owned()])
    );
}

#[test]
fn the_environment_of_a_process_names_its_secrets() {
    let live = Live::new();
    let mut launch = crate::live::launch("session-2");
    launch.spec = launch.spec.with_variable("SOME_API_TOKEN", SECRET);
    let tap = live.recorder.tap(&launch).unwrap();

    let failure = tap.outbound(format!("{SECRET}\n").as_bytes()).unwrap_err();

    assert!(matches!(
        failure.downcast_ref(),
        Some(RecordError::Secret { .. })
    ));
}

#[test]
fn what_is_too_short_to_be_looked_for_is_told() {
    let live = Live::new();
    let mut launch = crate::live::launch("session-2");
    launch.spec = launch.spec.with_variable("CI_TOKEN", "true");
    drop(live.recorder.tap(&launch).unwrap());
    drop(live.recorder.tap(&launch).unwrap());

    let told: Vec<String> = live
        .recorder
        .unwatched_secrets()
        .iter()
        .map(ToString::to_string)
        .collect();

    assert_eq!(
        told,
        ["value of CI_TOKEN has 4 bytes, secrets must have 8 or more"]
    );
}

#[test]
fn a_secret_over_several_messages_is_found_at_the_end_and_the_tape_is_not_complete() {
    let live = Live::with(looking_for(FoundSecret::Replace));
    let (first, second) = SECRET.split_at(9);
    for text in [first, second] {
        let message = format!(
            "{{\"method\":\"delta\",\"params\":{{\"itemId\":\"1\",\"text\":\"{text}\"}}}}\n"
        );
        live.tap.inbound(&Frame::stdout(message)).unwrap();
    }
    live.tap.close().unwrap();

    let refused = live.recorder.finish();

    assert!(
        matches!(refused, Err(FinishError::Secret { .. })),
        "{refused:?}"
    );
    assert!(matches!(
        live.recorder.finish(),
        Err(FinishError::Failed(_))
    ));
    assert!(Tape::open(live.dir(), &ReadOptions::default()).is_err());
}

#[test]
fn a_secret_that_became_known_later_is_found_at_the_end() {
    let live = Live::new();
    live.tap
        .inbound(&Frame::stdout(format!("{SECRET}\n")))
        .unwrap();
    let mut launch = crate::live::launch("session-2");
    launch.spec = launch.spec.with_variable("SOME_API_TOKEN", SECRET);
    drop(live.recorder.tap(&launch).unwrap());
    live.tap.close().unwrap();

    let refused = live.recorder.finish();

    assert!(
        matches!(refused, Err(FinishError::Secret { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_stream_without_messages_is_searched_over_its_chunks_and_keeps_its_other_bytes() {
    for cut in 1..SECRET.len() {
        let scratch = tempfile::tempdir().unwrap();
        let dir = scratch.path().join("tape");
        let options = looking_for(FoundSecret::Replace);
        let recorder =
            cassette_record::Recorder::create(&dir, crate::live::registry(), options).unwrap();
        let mut launch = crate::live::launch("session-1");
        launch.session.as_mut().unwrap().provider = "raw".parse().unwrap();
        let tap = recorder.tap(&launch).unwrap();
        let (first, second) = SECRET.split_at(cut);

        tap.inbound(&Frame::stdout(format!("before {first}")))
            .unwrap();
        tap.inbound(&Frame::stdout(format!("{second} after")))
            .unwrap();
        tap.inbound(&Frame::stdout("s")).unwrap();
        tap.close().unwrap();
        recorder.finish().unwrap();

        assert_eq!(
            crate::live::stored(&dir),
            texts(&[
                ("stdout", "before "),
                ("stdout", "${REDACTED:API_KEY} after"),
                ("stdout", "s"),
            ])
        );
    }
}

#[test]
fn a_secret_in_a_header_fails_the_recording_as_nothing_can_be_replaced_there() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("tape");
    let options = looking_for(FoundSecret::Replace);
    let recorder =
        cassette_record::Recorder::create(&dir, crate::live::registry(), options).unwrap();
    let mut launch = crate::live::launch("session-1");
    launch.session.as_mut().unwrap().provider = "framed".parse().unwrap();
    let tap = recorder.tap(&launch).unwrap();
    let message = format!("X-Auth: {SECRET}\r\nContent-Length: 2\r\n\r\n{{}}");

    let failure = tap.inbound(&Frame::stdout(message)).unwrap_err();

    assert!(matches!(
        failure.downcast_ref(),
        Some(RecordError::Secret { .. })
    ));
}

#[test]
fn nothing_of_the_traffic_is_shown_for_debugging() {
    let live = Live::new();
    live.tap.outbound(b"whispered once\n").unwrap();
    let held = Frame::stdout("{\"whispered\":").with_message("whispered too");
    live.tap.inbound(&held).unwrap();

    let shown = format!("{:?} {:?}", live.tap, live.recorder);

    assert!(!shown.contains("whispered"), "{shown}");
    assert!(!shown.contains("119, 104, 105, 115"), "{shown}");
}

#[test]
fn a_secret_of_several_short_lines_is_found_at_the_end() {
    let mut options = looking_for(FoundSecret::Replace);
    options
        .secrets
        .values
        .add("PIN", "abcd123\nefgh567")
        .unwrap();
    let live = Live::with(options);
    let lines = Frame::stderr(&b"x abcd123\nefgh567 y\n"[..]);
    live.tap.inbound(&lines).unwrap();
    live.tap.close().unwrap();

    let refused = live.recorder.finish();

    assert!(
        matches!(refused, Err(FinishError::Secret { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_secret_never_gets_into_the_manifest() {
    let live = Live::with(looking_for(FoundSecret::Replace));
    let refused = live
        .recorder
        .tap(&crate::live::launch(&format!("session-{SECRET}")));
    assert!(
        matches!(refused, Err(cassette_record::LaunchError::Secret { .. })),
        "{refused:?}"
    );
    let manifest = std::fs::read(live.dir().join("manifest.json")).unwrap();
    assert!(memchr::memmem::find(&manifest, SECRET.as_bytes()).is_none());

    let mut options = looking_for(FoundSecret::Replace);
    options.annotations.argv = Some(vec!["agent".into(), SECRET.into()]);
    let dir = live.scratch.path().join("annotated");
    let refused = cassette_record::Recorder::create(&dir, crate::live::registry(), options);
    assert!(
        matches!(refused, Err(cassette_record::CreateError::Secret { .. })),
        "{refused:?}"
    );
    assert!(!dir.exists());
}

#[test]
fn a_refusal_names_the_method_unless_that_is_no_plain_name_or_holds_a_secret() {
    let told = |method: &str| {
        let mut options = RecordOptions::default();
        options
            .secrets
            .values
            .add("API_KEY", "s3cretvalue")
            .unwrap();
        let live = Live::with(options);
        let message = format!(r#"{{"id":1,"method":"{method}","params":{{"cwd":"/else"}}}}"#);
        let failure = live.tap.outbound(message.as_bytes());
        let failure = failure.and_then(|_| live.tap.outbound(b"\n")).unwrap_err();
        failure.to_string()
    };
    let unnamed = "message of connection-1 cannot be recorded";
    let named = "message `turn/start` of connection-1 cannot be recorded";
    assert_eq!(told("turn/start"), named);
    assert_eq!(told("turn s3cret"), unnamed);
    assert_eq!(told("x/s3cretvalue"), unnamed);
}
