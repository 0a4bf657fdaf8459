//! Taking secrets out of cassettes into which they leaked.

use std::fs;
use std::path::{Path, PathBuf};

use cassette_format::process::{ExitCode, Frame};
use cassette_format::schema::{CassetteStatus, ChunkKind, Origin};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{
    RecordOptions, Recorder, RedactError, RedactOptions, RedactReport, Secrets, Tap, redact,
};
use proptest::prelude::*;

use crate::live::{Live, launch, registry, stored, texts};

const SECRET: &str = "sk-1f9a7b3c1d5e8f0a2b4c";

fn options(values: &[(&str, &str)]) -> RedactOptions {
    let mut secrets = Secrets::new();
    for (name, value) in values {
        secrets.add(name, value).unwrap();
    }
    RedactOptions {
        secrets,
        registry: registry(),
        read: ReadOptions::default(),
    }
}

/// Cleans the tape of `live` from [`SECRET`].
fn cleaned(live: &Live) -> (PathBuf, RedactReport) {
    let to = live.scratch.path().join("cleaned");
    let report = redact(live.dir(), &to, &options(&[("API_KEY", SECRET)])).unwrap();
    (to, report)
}

fn delta(text: &str) -> String {
    format!("{{\"method\":\"delta\",\"params\":{{\"itemId\":\"1\",\"text\":\"{text}\"}}}}\n")
}

/// A recording of a provider, by its tap.
fn of_provider(live: &Live, provider: &str, record: impl Fn(&Tap)) -> PathBuf {
    let dir = live.scratch.path().join(provider);
    let recorder = Recorder::create(&dir, registry(), RecordOptions::default()).unwrap();
    let mut launch = launch("session-1");
    launch.session.as_mut().unwrap().provider = provider.parse().unwrap();
    let tap = recorder.tap(&launch).unwrap();
    record(&tap);
    tap.close().unwrap();
    recorder.finish().unwrap();
    dir
}

#[test]
fn a_secret_over_several_messages_leaves_all_of_them() {
    let live = Live::new();
    for text in ["the key ", "is sk-", "1f9a7b3c1d", "5e8f0a2b4c", "ok?"] {
        live.tap.inbound(&Frame::stdout(delta(text))).unwrap();
        // Other texts come between.
        live.tap.inbound(&Frame::stderr(&b"tick\n"[..])).unwrap();
    }
    live.tap.close().unwrap();
    let before = fs::read(live.dir().join("frames.jsonl")).unwrap();

    let (to, report) = cleaned(&live);

    let texts: Vec<(String, String)> = stored(&to);
    let said: Vec<&str> = texts
        .iter()
        .filter(|(kind, _)| kind == "stdout")
        .map(|(_, text)| text.as_str())
        .collect();
    let expected = ["the key ", "is ", "", "${REDACTED:API_KEY}", "ok?"].map(delta);
    assert_eq!(said, expected);
    assert_eq!((report.frames, report.count), (10, 1));
    assert_eq!(report.names[0].as_str(), "API_KEY");
    let tape = Tape::open(&to, &ReadOptions::default()).unwrap();
    let annotations = &tape.manifest().annotations;
    assert_eq!(annotations.origin, Some(Origin::Edited));
    let redactions = annotations.redactions.as_ref().unwrap();
    assert_eq!(
        (redactions.count, &redactions.rules),
        (1, &vec!["API_KEY".to_owned()])
    );
    let after = fs::read(live.dir().join("frames.jsonl")).unwrap();
    assert!(before == after, "the leaked tape was changed");
}

#[test]
fn a_spelling_that_only_decoding_shows_is_cut_out_with_its_escapes() {
    let live = Live::new();
    let spelled = format!("a \\u0073k\\u002D{} b", &SECRET[3..]);
    live.tap.outbound(delta(&spelled).as_bytes()).unwrap();
    live.tap.close().unwrap();

    let (to, report) = cleaned(&live);

    let expected = delta("a ${REDACTED:API_KEY} b");
    assert_eq!(stored(&to), texts(&[("outbound", &expected)]));
    assert_eq!(report.count, 1);
}

#[test]
fn a_message_that_changes_is_stored_whole_in_the_chunk_in_which_it_ends() {
    let live = Live::new();
    let whole = format!("{{}}\n{}{}", delta(SECRET), delta("after"));
    let (first, rest) = whole.split_at(12);
    let (second, third) = rest.split_at(40);
    for part in [first, second, third] {
        live.tap.inbound(&Frame::stdout(part)).unwrap();
    }
    live.tap.close().unwrap();

    let (to, _) = cleaned(&live);

    let last = format!("{}{}", delta("${REDACTED:API_KEY}"), delta("after"));
    let expected = [("stdout", "{}\n"), ("stdout", ""), ("stdout", &last)];
    assert_eq!(stored(&to), texts(&expected));
}

#[test]
fn a_stream_without_messages_keeps_its_other_bytes_in_their_chunks() {
    let live = Live::new();
    for cut in 1..SECRET.len() {
        let (first, second) = SECRET.split_at(cut);
        let dir = of_provider(&live, "raw", |tap| {
            tap.inbound(&Frame::stdout(format!("before {first}")))
                .unwrap();
            tap.inbound(&Frame::stdout(format!("{second} after")))
                .unwrap();
        });
        let to = live.scratch.path().join("clean");

        redact(&dir, &to, &options(&[("API_KEY", SECRET)])).unwrap();

        let expected = [
            ("stdout", "before "),
            ("stdout", "${REDACTED:API_KEY} after"),
        ];
        assert_eq!(stored(&to), texts(&expected));
        fs::remove_dir_all(&dir).unwrap();
        fs::remove_dir_all(&to).unwrap();
    }
}

#[test]
fn a_framed_message_has_the_length_of_what_is_left() {
    let live = Live::new();
    let framed = |text: &str| {
        let body = delta(text);
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    let (first, second) = SECRET.split_at(5);
    let dir = of_provider(&live, "framed", |tap| {
        for text in [SECRET, first, second] {
            tap.inbound(&Frame::stdout(framed(text))).unwrap();
        }
    });
    let to = live.scratch.path().join("clean");

    let report = redact(&dir, &to, &options(&[("API_KEY", SECRET)])).unwrap();

    let token = framed("${REDACTED:API_KEY}");
    let expected = [
        ("stdout", token.as_str()),
        ("stdout", &framed("")),
        ("stdout", &token),
    ];
    assert_eq!(stored(&to), texts(&expected));
    assert_eq!(report.count, 2);
}

#[test]
fn a_secret_in_a_header_is_cut_out_unless_it_is_the_length() {
    let live = Live::new();
    let dir = of_provider(&live, "framed", |tap| {
        let message = format!("X-Auth: {SECRET}\r\nContent-Length: 2\r\n\r\n{{}}");
        tap.inbound(&Frame::stdout(message)).unwrap();
    });
    let to = live.scratch.path().join("clean");

    let refused = redact(&dir, &to, &options(&[("API_KEY", SECRET)]));

    let Err(RedactError::Left {
        name,
        connection_id,
    }) = refused
    else {
        panic!("{refused:?}")
    };
    assert_eq!(
        (name.as_str(), connection_id.as_str()),
        ("API_KEY", "connection-1")
    );
    assert!(Tape::open(&to, &ReadOptions::default()).is_err());
}

#[test]
fn lines_and_remarks_are_cleaned_too() {
    let live = Live::new();
    let pin = "abcd123\nefgh567";
    live.tap
        .inbound(&Frame::stderr(&b"x abcd123\nefgh567 y\n"[..]))
        .unwrap();
    let (first, second) = SECRET.split_at(9);
    live.tap
        .inbound(&Frame::message_only(format!("half {first}")))
        .unwrap();
    live.tap
        .inbound(&Frame::exit(ExitCode::new(1)).with_message(second))
        .unwrap();
    live.tap.close().unwrap();
    let to = live.scratch.path().join("clean");

    let found = options(&[("API_KEY", SECRET), ("PIN", pin)]);
    let report = redact(live.dir(), &to, &found).unwrap();

    assert_eq!(stored(&to)[0].1, "x ${REDACTED:PIN} y\n");
    let tape = Tape::open(&to, &ReadOptions::default()).unwrap();
    let remarks: Vec<String> = tape.chunks().map(|chunk| chunk.message()).collect();
    assert_eq!(remarks, ["", "half ", "${REDACTED:API_KEY}"]);
    assert_eq!(report.count, 2);
}

#[test]
fn a_tape_without_secrets_is_copied_line_for_line() {
    let live = Live::new();
    live.tap.inbound(&Frame::stdout(delta("nothing"))).unwrap();
    live.tap.close().unwrap();

    let (to, report) = cleaned(&live);

    assert_eq!((report.frames, report.count, report.names.len()), (1, 0, 0));
    let frames = |dir: &Path| fs::read(dir.join("frames.jsonl")).unwrap();
    assert_eq!(frames(&to), frames(&live.dir()));
    let tape = Tape::open(&to, &ReadOptions::default()).unwrap();
    assert_eq!(tape.manifest().status, CassetteStatus::Complete);
    assert_eq!(tape.manifest().annotations.redactions, None);
}

#[test]
fn what_cannot_be_cleaned_is_refused_and_nothing_is_made() {
    let live = Live::new();
    live.tap.inbound(&Frame::stdout(delta(SECRET))).unwrap();
    let to = live.scratch.path().join("clean");
    let found = options(&[("API_KEY", SECRET)]);

    let mut unknown = found.clone();
    unknown.registry = cassette_format::descriptor::Registry::new();
    let refused = redact(live.dir(), &to, &unknown);
    assert!(
        matches!(refused, Err(RedactError::UnknownProvider { .. })),
        "{refused:?}"
    );

    let named = redact(live.dir(), &to, &options(&[("NAME", "session-1")]));
    assert!(
        matches!(named, Err(RedactError::Manifest { .. })),
        "{named:?}"
    );

    let refused = redact(live.dir(), live.dir(), &found);
    assert!(matches!(refused, Err(RedactError::Copy(_))), "{refused:?}");

    let path = live.dir().join("frames.jsonl");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let torn = redact(live.dir(), &to, &found);
    let Err(RedactError::NotWhole { offset, bytes, .. }) = torn else {
        panic!("{torn:?}")
    };
    assert_eq!((offset, bytes as usize), (0, whole.len() - 3));
    assert!(!to.exists());
}

/// What cleaning a tape with this on standard output makes of it.
fn cleaned_of(
    secrets: &[(&str, &str)],
    messages: &[&str],
) -> Result<(String, RedactReport), RedactError> {
    let live = Live::new();
    for message in messages {
        let bytes = message.as_bytes();
        live.tap.inbound(&Frame::stdout(bytes)).unwrap();
    }
    live.tap.close().unwrap();
    let to = live.scratch.path().join("clean");
    let report = redact(live.dir(), &to, &options(secrets))?;
    let text = stored(&to).into_iter().map(|(_, text)| text).collect();
    Ok((text, report))
}

#[test]
fn a_message_that_would_no_longer_be_json_is_refused() {
    let number = [("PIN", "12345678")];
    for message in [
        "{\"pin\":12345678}\n",
        "{\"pin\":[112345678.5e3]}\n",
        "{\"a\":\"\"}[12345678]\n",
    ] {
        let refused = cleaned_of(&number, &[message]);
        let Err(RedactError::Left { name, .. }) = refused else {
            panic!("{message} {refused:?}")
        };
        assert_eq!(name.as_str(), "PIN");
    }
    let structure = [("ODD", "abc\",\"b\":[\"def")];
    let refused = cleaned_of(&structure, &["{\"a\":\"abc\",\"b\":[\"def\"]}\n"]);
    assert!(
        matches!(refused, Err(RedactError::Left { .. })),
        "{refused:?}"
    );
    let two_lines = [("ODD", "\"abc\"}\n{\"b\":\"def")];
    let lines = ["{\"a\":\"abc\"}\n", "{\"b\":\"def\"}\n"];
    let refused = cleaned_of(&two_lines, &lines);
    assert!(
        matches!(refused, Err(RedactError::Left { .. })),
        "{refused:?}"
    );
}

#[test]
fn numbers_are_cut_out_of_strings_and_of_what_is_no_message() {
    let secrets = [("PIN", "12345678")];
    let messages = [
        "{\"pin\":\"12345678\"}\n",
        "12345678\n",
        "{\"pin\":12345678 or so\n",
    ];
    let (text, report) = cleaned_of(&secrets, &messages).unwrap();
    let expected = [
        "{\"pin\":\"${REDACTED:PIN}\"}\n",
        "${REDACTED:PIN}\n",
        "{\"pin\":${REDACTED:PIN} or so\n",
    ];
    assert_eq!((text, report.count), (expected.concat(), 3));
}

#[test]
fn keys_and_json_before_other_text_are_cleaned_of_every_spelling() {
    let odd = format!("\\u0073{}", &SECRET[1..]);
    let messages = [
        format!("{{\"{odd}\":1}}\n"),
        format!("{{\"a\":\"{odd}\"}} {SECRET} tail {odd}\n"),
        format!("{{\"a\":\"x {odd}\n"),
    ];
    let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
    let (text, report) = cleaned_of(&[("API_KEY", SECRET)], &messages[..1]).unwrap();
    assert_eq!(
        (text.as_str(), report.count),
        ("{\"${REDACTED:API_KEY}\":1}\n", 1)
    );

    let (text, report) = cleaned_of(&[("API_KEY", SECRET)], &messages[1..]).unwrap();
    // What only looks like an escape stays, as it is none there.
    let expected = format!(
        "{{\"a\":\"${{REDACTED:API_KEY}}\"}} ${{REDACTED:API_KEY}} tail {odd}\n{{\"a\":\"x {odd}\n"
    );
    assert_eq!((text, report.count), (expected, 2));
}

#[test]
fn a_signature_is_no_exception() {
    let message = format!("{{\"signature\":\"x{SECRET}\"}}\n");
    let (text, _) = cleaned_of(&[("API_KEY", SECRET)], &[&message]).unwrap();
    assert_eq!(text, "{\"signature\":\"x${REDACTED:API_KEY}\"}\n");
}

#[test]
fn every_one_of_many_secrets_in_a_string_is_cut_out() {
    let spelled = format!("\\u0073{} \\n", &SECRET[1..]);
    let message = delta(&spelled.repeat(500));
    let (text, report) = cleaned_of(&[("API_KEY", SECRET)], &[&message]).unwrap();
    assert_eq!(text, delta(&"${REDACTED:API_KEY} \\n".repeat(500)));
    assert_eq!(report.count, 500);

    let message = delta(&"\\u0061".repeat(500));
    let (text, report) = cleaned_of(&[("API_KEY", "aaaaaaaa")], &[&message]).unwrap();
    assert_eq!((text, report.count), (delta("${REDACTED:API_KEY}"), 1));
}

#[test]
fn annotations_are_cleaned_and_what_identifies_is_not() {
    let scratch = tempfile::tempdir().unwrap();
    let [from, to] = ["tape", "clean"].map(|name| scratch.path().join(name));
    let mut recording = RecordOptions::default();
    recording.annotations.argv = Some(vec!["agent".into(), format!("--key={SECRET}")]);
    recording.annotations.agent_version = Some(format!("1.0 {SECRET}"));
    let recorder = Recorder::create(&from, registry(), recording).unwrap();
    let tap = recorder.tap(&launch("session-1")).unwrap();
    tap.inbound(&Frame::stdout(delta(SECRET))).unwrap();
    tap.close().unwrap();
    recorder.finish().unwrap();
    let path = from.join("manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    let future = format!("\"future\": [\"{SECRET}\", 1.50],\n  \"schemaVersion\"");
    fs::write(&path, manifest.replacen("\"schemaVersion\"", &future, 1)).unwrap();

    let report = redact(&from, &to, &options(&[("API_KEY", SECRET)])).unwrap();

    assert_eq!((report.count, report.names.len()), (4, 1));
    let tape = Tape::open(&to, &ReadOptions::default()).unwrap();
    let manifest = tape.manifest();
    let argv = vec!["agent".to_owned(), "--key=${REDACTED:API_KEY}".to_owned()];
    assert_eq!(manifest.annotations.argv, Some(argv));
    let version = manifest.annotations.agent_version.as_deref();
    assert_eq!(version, Some("1.0 ${REDACTED:API_KEY}"));
    assert_eq!(
        manifest.unknown[0].json(),
        "[\"${REDACTED:API_KEY}\", 1.50]"
    );
    let redactions = manifest.annotations.redactions.as_ref().unwrap();
    assert_eq!((redactions.count, redactions.rules.len()), (4, 1));

    fs::remove_dir_all(&to).unwrap();
    for name in ["session-1", "agentVersion", "schemaVersion", "connection-1"] {
        let refused = redact(&from, &to, &options(&[("NAME", name)]));
        assert!(
            matches!(refused, Err(RedactError::Manifest { .. })),
            "{refused:?}"
        );
    }
    assert!(!to.exists());
}

#[test]
fn lines_of_chunks_that_do_not_change_are_copied_as_they_are() {
    let live = Live::new();
    for text in [SECRET, "by", "far"] {
        live.tap.inbound(&Frame::stdout(delta(text))).unwrap();
    }
    live.tap.close().unwrap();
    live.recorder.abort().unwrap();
    let path = live.dir().join("frames.jsonl");
    let frames = fs::read_to_string(&path).unwrap();
    let odd = format!("\\u0073{}", &SECRET[1..]);
    let mut lines: Vec<String> = frames.lines().map(str::to_owned).collect();
    for (number, future) in [(0, "1"), (1, "{\"a\" : 1e0}"), (2, &format!("\"{odd}\""))] {
        lines[number] = lines[number].replacen('{', &format!("{{\"future\": {future},"), 1);
    }
    fs::write(&path, lines.join("\n") + "\n").unwrap();

    let (to, report) = cleaned(&live);

    let copied = fs::read_to_string(to.join("frames.jsonl")).unwrap();
    let copied: Vec<&str> = copied.lines().collect();
    assert_eq!(report.count, 1);
    assert_eq!(copied[1], lines[1]);
    // One changed, one held a secret where nobody looks.
    assert!(!copied[0].contains("future") && !copied[2].contains("future"));
    assert_eq!(stored(&to)[2].1, delta("far"));
}

/// What the messages of one kind say together.
fn said(dir: &Path, kind: &ChunkKind) -> String {
    let tape = Tape::open(dir, &ReadOptions::default()).unwrap();
    let chunks = tape.chunks().filter(|chunk| chunk.kind() == *kind);
    let bytes: Vec<u8> = chunks.flat_map(|chunk| chunk.data().unwrap()).collect();
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let message: serde_json::Value = serde_json::from_slice(line).unwrap();
            message["params"]["text"].as_str().unwrap().to_owned()
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever a secret is spread over, the copy holds the text around it and no part
    /// of it.
    #[test]
    fn only_the_secret_is_missing_from_what_was_said(
        secret in "[!-~é€]{8,24}",
        around in ["[a-z ]{0,9}", "[a-z ]{0,9}"],
        pieces in prop::collection::vec(1_usize..6, 1..40),
        chunks in prop::collection::vec(1_usize..200, 1..40),
        escape in any::<bool>(),
    ) {
        // Or the secret lies around itself.
        prop_assume!(secret.contains(|letter: char| !letter.is_ascii_lowercase()));
        let text = format!("{}{secret}{}", around[0], around[1]);
        let mut sent = String::new();
        let mut letters = text.chars().peekable();
        for length in pieces.iter().cycle() {
            if letters.peek().is_none() {
                break;
            }
            let piece: String = letters.by_ref().take(*length).collect();
            let json = serde_json::to_string(&piece).unwrap();
            let units = piece.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            let spelled = if escape { units.collect() } else { json[1..json.len() - 1].to_owned() };
            sent.push_str(&delta(&spelled));
        }
        let live = Live::new();
        let mut rest = sent.as_bytes();
        for length in chunks.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (chunk, after) = rest.split_at((*length).min(rest.len()));
            live.tap.inbound(&Frame::stdout(chunk)).unwrap();
            rest = after;
        }
        live.tap.close().unwrap();
        let to = live.scratch.path().join("clean");

        let report = redact(live.dir(), &to, &options(&[("API_KEY", &secret)])).unwrap();

        let expected = format!("{}${{REDACTED:API_KEY}}{}", around[0], around[1]);
        prop_assert_eq!(said(&to, &ChunkKind::Stdout), expected);
        prop_assert_eq!(report.count, 1);
    }
}
