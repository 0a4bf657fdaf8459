//! What an audit finds, and in which line, however the messages lie on the tape.

use cassette_format::portable::{ContentError, Rules};
use cassette_format::schema::ChunkKind::{self, Exit, Outbound, Stderr, Stdout};
use cassette_format::schema::{ConnectionId, GlobalSeq};
use cassette_record::{AuditError, Finding, FindingKind};

use super::unverified_tape::UnverifiedTape;

const SECRET: &str = r#"{"apiKey":"s"}"#;

fn found(line: u64, connection: u64, kind: FindingKind) -> Finding {
    Finding {
        line: GlobalSeq::new(line),
        connection_id: ConnectionId::numbered(connection),
        kind,
    }
}

fn sensitive(path: &str) -> FindingKind {
    let path = path.to_owned();
    FindingKind::Content(ContentError::SensitiveField { path })
}

fn non_portable(path: &str) -> FindingKind {
    let path = path.to_owned();
    FindingKind::Content(ContentError::NonPortablePath { path })
}

fn credential_method(path: &str) -> FindingKind {
    let path = path.to_owned();
    FindingKind::Content(ContentError::CredentialMethod { path })
}

#[test]
fn a_tape_of_portable_messages_has_no_findings() {
    let tape = UnverifiedTape::of(&["lines"])
        .line(1, Outbound, "{\"cwd\":\"${SESSION_CWD:s:1}/a\"}\n")
        .line(
            1,
            Stdout,
            "{\"email\":\"replay-user@example.invalid\"}\nplain text /etc\n",
        )
        .line(1, Stderr, "warning: /etc/hosts\n")
        .line(1, Exit, "");
    assert_eq!(tape.audit().unwrap(), []);
    assert_eq!(UnverifiedTape::of(&[]).audit().unwrap(), []);
}

#[test]
fn every_message_of_every_stream_is_judged() {
    let tape = UnverifiedTape::of(&["lines", "lines"])
        .line(
            1,
            Outbound,
            "{\"method\":\"LOGIN\"}\n{}\n[{\"apiKey\":{}}]\n",
        )
        .line(2, Stdout, "{\"cwd\":\"/etc\"}\n")
        .line(1, Stdout, "{\"method\":\"login\"}\n")
        .line(2, Stderr, "INFO {\"a\":{\"accountId\":1}}\n");
    assert_eq!(
        tape.audit().unwrap(),
        [
            found(1, 1, credential_method("$.method")),
            found(1, 1, sensitive("$[0].apiKey")),
            found(2, 2, non_portable("$.cwd")),
            found(3, 1, credential_method("$.method")),
            found(4, 2, sensitive("$.a.accountId")),
        ]
    );
}

#[test]
fn a_message_cut_anywhere_is_found_in_the_line_where_it_ends() {
    let message = format!("{SECRET}\r\n");
    for cut in 0..=message.len() {
        let tape = UnverifiedTape::of(&["lines", "lines"])
            .line(1, Stdout, &message[..cut])
            .line(1, Outbound, "{}\n")
            .line(2, Stdout, "{}\n")
            .line(1, Stderr, "x\n")
            .line(1, Stdout, &message[cut..]);
        let line = if cut == message.len() { 1 } else { 5 };
        assert_eq!(
            tape.audit().unwrap(),
            [found(line, 1, sensitive("$.apiKey"))]
        );
    }
}

#[test]
fn a_message_in_chunks_of_one_byte_is_one_message() {
    let mut tape = UnverifiedTape::of(&["lines"]);
    for byte in format!("{SECRET}\n").bytes() {
        tape = tape.line(1, Stderr, [byte]);
    }
    let lines = SECRET.len() as u64 + 1;
    assert_eq!(
        tape.audit().unwrap(),
        [found(lines, 1, sensitive("$.apiKey"))]
    );
}

#[test]
fn a_message_that_was_left_unfinished_is_found_where_it_stops() {
    let tape = UnverifiedTape::of(&["lines"])
        .line(1, Stdout, r#"{"apiKey":"s","#)
        .line(1, Stderr, r#"{"email":"me@x"}"#)
        .line(1, Outbound, "{\"cwd\":\"/etc\"}\n");
    assert_eq!(
        tape.audit().unwrap(),
        [
            found(1, 1, sensitive("$.apiKey")),
            found(2, 1, sensitive("$.email")),
            found(3, 1, non_portable("$.cwd")),
        ],
        "in the order of the lines, not of finding out"
    );
}

#[test]
fn findings_of_many_unfinished_streams_come_in_the_order_of_lines() {
    let providers = vec!["lines"; 40];
    let mut tape = UnverifiedTape::of(&providers);
    for connection in 1..=40 {
        tape = tape.line(connection, Outbound, SECRET);
        tape = tape.line(connection, Stdout, SECRET);
    }
    let lines: Vec<u64> = tape
        .audit()
        .unwrap()
        .iter()
        .map(|it| it.line.get())
        .collect();
    assert_eq!(lines, (1..=80).collect::<Vec<u64>>());
}

#[test]
fn messages_behind_headers_are_judged() {
    let body = r#"{"a":[{"apiKey":"s"}]}"#;
    let message = format!(
        "Content-Type: x/{{y}}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let tape = UnverifiedTape::of(&["headers"])
        .line(1, Stdout, &message[..30])
        .line(1, Stdout, format!("{}{message}", &message[30..]))
        .line(1, Stderr, format!("{SECRET}\n"))
        .line(1, Outbound, &message[..message.len() - 2]);
    assert_eq!(
        tape.audit().unwrap(),
        [
            found(2, 1, sensitive("$.a[0].apiKey")),
            found(2, 1, sensitive("$.a[0].apiKey")),
            found(3, 1, sensitive("$.apiKey")),
            // With half a header, which holds a value of its own.
            found(4, 1, sensitive("$#2.a[0].apiKey")),
        ]
    );
}

#[test]
fn what_is_not_framed_as_it_should_be_is_judged_line_by_line() {
    let tape = UnverifiedTape::of(&["headers"])
        .line(1, Stdout, format!("garbage\r\n\r\n{SECRET}"))
        .line(1, Stdout, "more\n")
        .line(1, Stdout, SECRET)
        .line(1, Outbound, format!("Content-Length: 5000\r\n\r\n{SECRET}"));
    assert_eq!(
        tape.audit().unwrap(),
        [
            found(2, 1, sensitive("$.apiKey")),
            found(3, 1, sensitive("$.apiKey")),
            found(4, 1, sensitive("$.apiKey")),
        ]
    );
}

#[test]
fn raw_pieces_are_judged_one_by_one_by_the_rules_of_the_caller_alone() {
    let tape = UnverifiedTape::of(&["raw"])
        .line(1, Stdout, format!("\x1b[2J {SECRET} $ "))
        .line(1, Outbound, r#"{"apiKey":"#)
        .line(1, Outbound, r#""s"}"#)
        .line(1, Outbound, r#"{"method":"login"}"#);
    assert_eq!(tape.audit().unwrap(), []);
    let rules = Rules {
        sensitive_fields: vec!["apiKey".into()],
        ..Rules::default()
    };
    assert_eq!(
        tape.audit_with(&rules).unwrap(),
        [found(1, 1, sensitive("$[1].apiKey"))]
    );
}

#[test]
fn chunks_of_unlisted_connections_are_findings_whatever_they_hold() {
    let tape = UnverifiedTape::of(&["lines"])
        .line(2, Stdout, "{}\n")
        .line(7, Exit, "")
        .line(1, Stdout, format!("{SECRET}\n"));
    assert_eq!(
        tape.audit().unwrap(),
        [
            found(1, 2, FindingKind::UnlistedConnection),
            found(2, 7, FindingKind::UnlistedConnection),
            found(3, 1, sensitive("$.apiKey")),
        ]
    );
}

#[test]
fn data_that_cannot_be_decoded_is_a_finding_and_the_rest_goes_on() {
    let bad = r#"{"connectionId":"connection-1","chunkSeq":2,"globalSeq":2,"elapsedMs":0,"kind":"stdout","data":"!"}"#;
    let tape = UnverifiedTape::of(&["lines"])
        .line(1, Stdout, &SECRET[..8])
        .raw_line(bad)
        .line(1, Stdout, format!("{}\n", &SECRET[8..]));
    assert_eq!(
        tape.audit().unwrap(),
        [
            found(2, 1, FindingKind::UndecodableData),
            found(3, 1, sensitive("$.apiKey")),
        ]
    );
}

#[test]
fn chunks_of_unknown_kind_are_no_messages() {
    let tape = UnverifiedTape::of(&["lines"])
        .line(1, ChunkKind::named("telemetry"), format!("{SECRET}\n"))
        .line(1, Exit, "");
    assert_eq!(tape.audit().unwrap(), []);
}

#[test]
fn the_rules_of_the_caller_hold_for_the_audit_too() {
    let tape =
        UnverifiedTape::of(&["lines"]).line(1, Stdout, "{\"pin\":\"1\"}\n{\"dir\":\"/etc\"}\n");
    assert_eq!(tape.audit().unwrap(), []);
    let rules = Rules {
        sensitive_fields: vec!["PIN".into()],
        path_fields: vec!["dir".into()],
        ..Rules::default()
    };
    assert_eq!(
        tape.audit_with(&rules).unwrap(),
        [
            found(1, 1, sensitive("$.pin")),
            found(1, 1, non_portable("$.dir"))
        ]
    );
}

#[test]
fn an_unregistered_provider_is_refused_by_name() {
    let tape = UnverifiedTape::of(&["lines", "strange"]);
    let error = tape.audit().unwrap_err();
    assert!(matches!(error, AuditError::UnknownProvider { .. }));
    assert_eq!(
        error.to_string(),
        "connection-2 has provider `strange`, which is not registered"
    );
}

#[test]
fn a_line_that_is_no_chunk_ends_the_audit_with_its_place() {
    let tape = UnverifiedTape::of(&["lines"])
        .line(1, Stdout, "{}\n")
        .raw_line("{");
    assert!(matches!(tape.audit(), Err(AuditError::Open(_))));
}
