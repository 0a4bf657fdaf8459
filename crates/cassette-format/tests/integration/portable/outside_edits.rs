//! Nothing changes outside the edited strings, and equal input gives equal
//! output, whatever the bytes.

use cassette_format::descriptor::{Dialect, EnvironmentOfStart, Spelling};
use cassette_format::portable::FreeText;
use proptest::prelude::*;

use super::messages::{Spelled, choices, message};
use super::side::Side;

const ROOTS: [&str; 3] = ["/work/app", "/home/ada", "/srv/é x"];

fn side() -> Side {
    Side::new(ROOTS[0], &ROOTS[1..])
}

/// Sides that differ in all that changes how a message is rewritten.
fn sides() -> Vec<Side> {
    let spelled = [
        Spelling::ObjectKeys,
        Spelling::FileUris,
        Spelling::CwdSlug,
        Spelling::PrivatePrefix,
        Spelling::WindowsForms,
    ];
    let typed = side().described(|descriptor| {
        descriptor.dialect = Dialect::TypedEnvelope;
        descriptor.environment_of_start = EnvironmentOfStart::Excluded;
    });
    let stream = side().described(|descriptor| descriptor.dialect = Dialect::StreamJson);
    let free = side().ruled(|rules| rules.free_text = FreeText::Mapped);
    vec![side(), side().spelling(&spelled), typed, stream, free]
}

/// Messages, most of them broken.
fn damaged(spelled: Spelled) -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 0..6);
    (choices(), damage).prop_map(move |(choices, damage)| {
        let mut bytes = message(&choices, &ROOTS.map(str::to_owned), spelled);
        for (place, operation, choice) in damage {
            let at = place.index(bytes.len() + 1);
            let piece = PIECES[usize::from(choice) % PIECES.len()];
            // An escape is another spelling of what it stands before.
            if spelled == Spelled::Plainly && (choice == b'\\' || piece.contains(&b'\\')) {
                continue;
            }
            match operation {
                0 if at < bytes.len() => bytes[at] = choice,
                1 if at < bytes.len() => _ = bytes.remove(at),
                2 => bytes.truncate(at),
                _ => drop(bytes.splice(at..at, piece.iter().copied())),
            }
        }
        bytes
    })
}

const PIECES: [&[u8]; 20] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\xff",
    b"\x01",
    b"\\x",
    b":",
    b"\"cwd\" \"/work/app",
    b"\\ud800",
    b"\"cwd\":\"/work/app\"",
    b"\"apiKey\":\"s\"",
    b"{\"type\":\"start\",\"payload\":{\"env\":{",
    b"\"env\":1,",
    b"text ",
    b"\n",
    b"/etc/x",
];

/// What is checked of any bytes on any side.
fn check(side: &Side, bytes: &[u8]) -> Result<(), TestCaseError> {
    let projected = side.project(bytes);
    prop_assert_eq!(
        &projected,
        &side.project(bytes),
        "equal input, equal output"
    );
    let Ok(projected) = projected else {
        return Ok(());
    };
    prop_assert_eq!(
        side.audit(&projected),
        Ok(()),
        "what is recorded passes the audit"
    );
    prop_assert_eq!(
        side.project(&projected),
        Ok(projected.clone()),
        "nothing is left to do"
    );
    if side.descriptor.environment_of_start == EnvironmentOfStart::Excluded {
        return Ok(());
    }
    prop_assert!(
        differs_in_directories_only(bytes, &projected),
        "{:?} became {:?}",
        String::from_utf8_lossy(bytes),
        String::from_utf8_lossy(&projected)
    );
    Ok(())
}

/// Whether the pieces between the tokens of `projected` stand in `bytes`, in this
/// order, with something between them and nothing around them.
fn differs_in_directories_only(bytes: &[u8], projected: &[u8]) -> bool {
    let mut rest = bytes;
    let mut pieces = between_tokens(projected).into_iter();
    let first = pieces.next().unwrap();
    if pieces.len() == 0 {
        return first == rest;
    }
    let Some(behind) = rest.strip_prefix(first) else {
        return false;
    };
    rest = behind;
    let last = pieces.next_back().unwrap();
    for piece in pieces {
        let mut starts = 1..=rest.len().saturating_sub(piece.len());
        let Some(at) = starts.find(|at| rest[*at..].starts_with(piece)) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.len() > last.len() && rest.ends_with(last)
}

fn between_tokens(text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let names = ["${SESSION_CWD:", "${SESSION_CWD_SLUG:", "${REPLAY_HOME"];
        let starts = |name: &&str| text[at..].starts_with(name.as_bytes());
        if names.iter().any(starts) {
            pieces.push(&text[from..at]);
            at += text[at..].iter().position(|byte| *byte == b'}').unwrap();
            from = at + 1;
        }
        at += 1;
    }
    pieces.push(&text[from..]);
    pieces
}

proptest! {
    #[test]
    fn nothing_but_directories_change(bytes in damaged(Spelled::Oddly), at in 0..5_usize) {
        check(&sides()[at], &bytes)?;
    }

    #[test]
    fn arbitrary_bytes_are_no_trouble(bytes in prop::collection::vec(any::<u8>(), 0..120), at in 0..5_usize) {
        check(&sides()[at], &bytes)?;
    }

    #[test]
    fn a_damaged_message_comes_back_byte_for_byte(bytes in damaged(Spelled::Plainly), at in 0..5_usize) {
        let side = &sides()[at];
        if side.descriptor.environment_of_start == EnvironmentOfStart::Kept
            && let Ok(projected) = side.project(&bytes)
        {
            prop_assert_eq!(side.resolve(&projected).escape_ascii().to_string(), bytes.escape_ascii().to_string());
        }
    }

    #[test]
    fn resolving_arbitrary_bytes_is_no_trouble(bytes in damaged(Spelled::Oddly), at in 0..5_usize) {
        let side = &sides()[at];
        prop_assert_eq!(side.resolve(&bytes), side.resolve(&bytes));
    }
}

#[test]
fn a_message_that_needs_no_change_is_not_copied() {
    let side = side();
    let message = br#"{"cwd":"rel","email":"replay-user\u0040example.invalid","n":1e999} x"#;
    let mut projection = side.projection();
    let direction = cassette_format::portable::Direction::Inbound;
    let projected = projection.message(direction, message).unwrap();
    assert!(matches!(projected, std::borrow::Cow::Borrowed(same) if same == message));
    let resolution = side.resolution();
    let resolved = resolution.message(message);
    assert!(matches!(resolved.bytes, std::borrow::Cow::Borrowed(same) if same == message));
    assert_eq!(resolved.landings, []);
}

#[test]
fn what_surrounds_a_directory_stays_as_it_is_spelled() {
    let side = side().spelling(&[Spelling::CwdSlug]);
    let message = r#" {"cwd" :"/home/ada\/.a\ud800\/-work-app\/x\u002f-work-app","cwd":1.50E+2}	x"#;
    let projected = side.project_text(message).unwrap();
    let slug = "${SESSION_CWD_SLUG:session-1:1}";
    assert_eq!(
        projected,
        format!(
            r#" {{"cwd" :"${{REPLAY_HOME}}\/.a\ud800\/{slug}\/x\u002f{slug}","cwd":1.50E+2}}	x"#
        )
    );
    assert_eq!(side.resolve_text(&projected), message);
}
