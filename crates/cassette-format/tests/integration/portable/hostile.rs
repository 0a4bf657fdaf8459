//! Messages made to be slow: the work stays linear in their length.

use std::time::Duration;

use cassette_format::descriptor::{Dialect, EnvironmentOfStart, GeneratedField, Spelling};
use cassette_format::portable::{Direction, FreeText};
use rustix::time::{ClockId, clock_gettime};

use super::side::Side;

const SMALL: usize = 8 << 10;
const TIMES: usize = 16;

fn side() -> Side {
    let all = [
        Spelling::ObjectKeys,
        Spelling::FileUris,
        Spelling::CwdSlug,
        Spelling::PrivatePrefix,
        Spelling::WindowsForms,
    ];
    Side::new("/work", &["/home/ada"]).spelling(&all)
}

/// `piece` again and again behind `start`; a string that `start` opens is closed.
fn repeated(start: &str, piece: &str, len: usize) -> Vec<u8> {
    let open = !start.matches('"').count().is_multiple_of(2);
    let end = if open { "\"}" } else { "" };
    [start, &piece.repeat(len / piece.len()), end]
        .concat()
        .into_bytes()
}

/// The least time of the processor that `run` takes of three times.
fn shortest(run: impl Fn()) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    };
    let time = |()| {
        let start = now();
        run();
        now() - start
    };
    [(); 3].map(time).into_iter().min().unwrap()
}

/// Sixteen times the length may take at most seventy times as long; what is
/// quadratic takes 256 times as long.
fn assert_linear(what: &str, start: &str, piece: &str, run: &dyn Fn(&[u8])) {
    let [small, large] = [SMALL, SMALL * TIMES].map(|len| repeated(start, piece, len));
    let least = Duration::from_micros(200);
    let (brief, long) = (
        shortest(|| run(&small)).max(least),
        shortest(|| run(&large)),
    );
    assert!(long < brief * 70, "{what}: {brief:?}, then {long:?}");
}

/// Starts and pieces of messages.
const PATTERNS: [(&str, &str); 41] = [
    ("[", r#"{"a":0},"#),
    ("[", r#"{"method":"x","id":1},"#),
    ("", r#"{"method":"x"}"#),
    ("", "["),
    ("", r#"{"a":"#),
    ("", "x{"),
    ("", r#"{"a" {"#),
    ("", "[\"\u{0}"),
    ("\"\u{0}", "[1,"),
    ("", r#"{"method":"#),
    ("{", r#""method":"","#),
    ("{", r#""cwd":"/work","#),
    (r#"{"cwd":["#, r#""/work","#),
    (r#"{"cwd":""#, "/a"),
    (r#"{"cwd":"/.."#, "/a"),
    (r#"{"cwd":"/work/.."#, "/work/.."),
    (r#"{"cwd":"/work"#, r"\/-work"),
    (r#"{"cwd":"/work"#, "/-work"),
    (r#"{"cwd":"file:///work"#, "/%FF"),
    (r#"{"cwd":"file:///.."#, "/%2e%2e/work"),
    (r#"{"x":""#, "=/work"),
    (r#"{"x":""#, "=/work/.."),
    (r#"{"x":""#, "="),
    (r#"{"x":""#, "/work "),
    ("[", r#""/work","#),
    (r#"{"type":"start","payload":{"#, r#""env":0,"#),
    (r#"{"type":"start","payload":{"#, r#""env":0 "a":x "#),
    (r#"x "\"#, r#"[\""#),
    (r#"x "\"#, r#"\" "#),
    (r#"{"a "#, r#"":"#),
    ("", "\" "),
    ("", "\"\\"),
    ("x", "\"                                "),
    ("", r#"{"a":x {"#),
    ("", r#"[x {"method":"a" "#),
    ("{", "]"),
    ("", "{]"),
    ("", r#""a":"#),
    ("[", r#""a":1 "#),
    ("", "\"\u{1}\":\"\u{1}\","),
    (r#"{"a":"#, "x\u{e9}"),
];

#[test]
fn projection_is_linear_in_any_message() {
    let excluding = side().described(|descriptor| {
        descriptor.dialect = Dialect::TypedEnvelope;
        descriptor.environment_of_start = EnvironmentOfStart::Excluded;
    });
    let free = side().ruled(|rules| rules.free_text = FreeText::Mapped);
    for side in [side(), excluding, free] {
        for (start, piece) in PATTERNS {
            let project = |bytes: &[u8]| drop(side.project(bytes));
            assert_linear(&format!("{start}{piece}"), start, piece, &project);
        }
    }
}

#[test]
fn resolution_and_audit_are_linear_in_any_message() {
    let side = side().ruled(|rules| rules.free_text = FreeText::Mapped);
    let tokens = [
        (r#"{"cwd":""#, "${REPLAY_HOME}/"),
        (r#"{"cwd":["#, r#""${REPLAY_HOME}/","#),
        (r#"{"x":""#, "${REPLAY_HOME}"),
        (r#"{"cwd":""#, "${SESSION_CWD_SLUG:session-1:1}/"),
    ];
    for (start, piece) in PATTERNS.into_iter().chain(tokens) {
        let resolve = |bytes: &[u8]| drop(side.resolve(bytes));
        assert_linear(&format!("{start}{piece}"), start, piece, &resolve);
        let audit = |bytes: &[u8]| drop(side.audit(bytes));
        assert_linear(&format!("{start}{piece}"), start, piece, &audit);
    }
}

#[test]
fn listing_what_is_left_in_free_text_is_linear() {
    let projection = side().projection();
    for (start, piece) in PATTERNS {
        let list = |bytes: &[u8]| drop(projection.roots_left(bytes));
        assert_linear(&format!("{start}{piece}"), start, piece, &list);
    }
}

#[test]
fn messages_with_many_planned_edits_are_linear() {
    let side = side().described(|descriptor| {
        descriptor.generated_fields = vec![GeneratedField {
            method: "m".into(),
            parameter: "g".into(),
            prefix: "p".into(),
            portable: "made".into(),
        }];
    });
    let generated = |bytes: &[u8]| drop(side.project(bytes));
    for (start, piece) in [
        ("", r#"{"method":"m","params":{"g":"p"}}"#),
        (r#"{"method":"m","params":{"#, r#""g":"p","#),
        (r#"{"method":"m","#, r#""params":{"g":"p"},"#),
    ] {
        assert_linear(piece, start, piece, &generated);
    }
    let account = |bytes: &[u8]| {
        let mut projection = side.projection();
        let request = br#"{"id":1,"method":"account/read"}"#;
        projection.message(Direction::Outbound, request).unwrap();
        drop(projection.message(Direction::Inbound, bytes));
    };
    let start = r#"{"id":1,"result":{"account":{"#;
    assert_linear("e-mails", start, r#""email":"me@x","#, &account);
}
