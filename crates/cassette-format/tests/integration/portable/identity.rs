//! What was made portable is put back, byte for byte. Where that cannot be, the
//! exception has a test of its own.

use cassette_format::descriptor::Spelling;
use cassette_format::json::{TokenKind, decode_string};
use cassette_format::portable::{FreeText, HomeTokens};
use proptest::prelude::*;

use super::messages::{Spelled, choices, directories, message, tokens};
use super::side::{Side, TOKEN};

fn side(cwd: &str, homes: &[String]) -> Side {
    let homes: Vec<&str> = homes.iter().map(String::as_str).collect();
    Side::new(cwd, &homes)
}

fn all(cwd: &str, homes: &[String]) -> Vec<String> {
    let cwd = std::iter::once(cwd.to_owned());
    // `/` is no home.
    let homes = homes.iter().filter(|home| *home != "/").cloned();
    cwd.chain(homes).collect()
}

/// A path as it is compared: `.` and `..` resolved.
fn normal(path: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            ".." => _ = segments.pop(),
            segment => segments.push(segment),
        }
    }
    segments
}

proptest! {
    #[test]
    fn any_message_with_any_directories_comes_back_byte_for_byte((cwd, homes) in directories(), choices in choices()) {
        let message = message(&choices, &all(&cwd, &homes), Spelled::Plainly);
        let side = side(&cwd, &homes);
        let projected = side.project(&message).unwrap();
        prop_assert_eq!(side.resolve(&projected).escape_ascii().to_string(), message.escape_ascii().to_string());
    }

    #[test]
    fn any_message_comes_back_with_further_spellings_too((cwd, homes) in directories(), choices in choices()) {
        let message = message(&choices, &all(&cwd, &homes), Spelled::Plainly);
        let side = side(&cwd, &homes).spelling(&[Spelling::ObjectKeys, Spelling::FileUris, Spelling::CwdSlug]);
        let projected = side.project(&message).unwrap();
        prop_assert_eq!(side.resolve(&projected).escape_ascii().to_string(), message.escape_ascii().to_string());
    }

    #[test]
    fn free_text_comes_back_byte_for_byte((cwd, homes) in directories(), choices in choices()) {
        let message = message(&choices, &all(&cwd, &homes), Spelled::Plainly);
        let side = side(&cwd, &homes).ruled(|rules| rules.free_text = FreeText::Mapped);
        let projected = side.project(&message).unwrap();
        prop_assert_eq!(side.resolve(&projected).escape_ascii().to_string(), message.escape_ascii().to_string());
    }

    #[test]
    fn odd_spellings_of_a_directory_come_back_as_the_same_path((cwd, homes) in directories(), choices in choices()) {
        let message = message(&choices, &all(&cwd, &homes), Spelled::Oddly);
        let side = side(&cwd, &homes);
        let back = side.resolve(&side.project(&message).unwrap());
        let (old, new) = (tokens(&message), tokens(&back));
        prop_assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(&new) {
            if old.kind == TokenKind::String {
                let (old, new) = (decode_string(&message, old.span), decode_string(&back, new.span));
                prop_assert!(old == new || normal(&old) == normal(&new), "{} became {}", old, new);
            } else {
                prop_assert_eq!(old.span.text(&message), new.span.text(&back));
            }
        }
    }

    #[test]
    fn the_message_of_any_side_arrives_as_if_it_was_written_on_another(choices in choices()) {
        let here = ["/work/app".to_owned(), "/home/ada".to_owned()];
        let there = ["/srv/b c/é".to_owned(), r"C:\Users\o".to_owned()];
        // The same choices make the same message about other directories.
        let (sent, wanted) = (message(&choices, &here, Spelled::Plainly), message(&choices, &there, Spelled::Plainly));
        let recorded = side(&here[0], &here[1..]).project(&sent).unwrap();
        let arrived = side(&there[0], &there[1..]).resolve(&recorded);
        prop_assert_eq!(arrived.escape_ascii().to_string(), wanted.escape_ascii().to_string());
    }
}

#[test]
fn deep_messages_come_back() {
    let side = Side::new("/work", &["/home/ada"]);
    let depth = 100_000;
    let message = format!(
        r#"{}{{"cwd":"/work/a"}}{}"#,
        r#"{"cwd":["/home/ada",1e999],"x":"#.repeat(depth),
        "}".repeat(depth)
    );
    let projected = side.project_text(&message).unwrap();
    assert_eq!(projected.matches("${REPLAY_HOME}").count(), depth);
    assert!(projected.contains(&format!(r#"{{"cwd":"{TOKEN}/a"}}"#)));
    assert_eq!(side.resolve_text(&projected), message);
}

#[test]
fn each_home_comes_back_as_itself_where_each_has_its_token() {
    let side = Side::new("/work", &["/home/ada", "/srv/agent", "/home/ada/.agent"]);
    let message = r#"{"paths":["/srv/agent/x","/home/ada","/home/ada/.agent/y","/work"]}"#;
    let projected = side.project_text(message).unwrap();
    assert_eq!(
        projected,
        format!(
            r#"{{"paths":["${{REPLAY_HOME:2}}/x","${{REPLAY_HOME}}","${{REPLAY_HOME}}/.agent/y","{TOKEN}"]}}"#
        )
    );
    assert_eq!(side.resolve_text(&projected), message);
}

// The exceptions. Each is a message of which the tape keeps less than was said.

#[test]
fn exception_homes_that_share_a_token_come_back_as_the_first() {
    let side = Side::new("/work", &["/home/ada", "/srv/agent"])
        .ruled(|rules| rules.home_tokens = HomeTokens::Shared);
    let projected = side.project_text(r#"{"path":"/srv/agent/x"}"#).unwrap();
    assert_eq!(projected, r#"{"path":"${REPLAY_HOME}/x"}"#);
    assert_eq!(side.resolve_text(&projected), r#"{"path":"/home/ada/x"}"#);
}

#[test]
fn exception_a_token_that_was_in_the_message_is_taken_for_one() {
    let side = Side::new("/work", &["/home/ada"]);
    let message = r#"{"path":"${REPLAY_HOME}/x","x":"${REPLAY_HOME}/x"}"#;
    assert_eq!(side.project_text(message).unwrap(), message);
    assert_eq!(
        side.resolve_text(message),
        r#"{"path":"/home/ada/x","x":"${REPLAY_HOME}/x"}"#
    );
}

#[test]
fn exception_escapes_and_dots_in_the_directory_itself_are_not_kept() {
    let side = Side::new("/work", &[]);
    for (message, back) in [
        (r#"{"cwd":"\/work\/a"}"#, r#"{"cwd":"/work\/a"}"#),
        (r#"{"cwd":"\u002fw\u006frk"}"#, r#"{"cwd":"/work"}"#),
        (r#"{"cwd":"/x/../work/./a"}"#, r#"{"cwd":"/work/./a"}"#),
    ] {
        let projected = side.project_text(message).unwrap();
        assert_eq!(side.resolve_text(&projected), back);
    }
}

#[test]
fn a_directory_given_with_a_separator_at_its_end_comes_back_as_it_is_said() {
    for cwd in ["/work/", "/work//", "/work/."] {
        let side = Side::new(cwd, &[]).ruled(|rules| rules.free_text = FreeText::Mapped);
        for path in ["/work", "/work/", "/work/a", "/work//a", "/work/."] {
            for message in [
                format!(r#"{{"cwd":"{path}"}}"#),
                format!(r#"{{"t":"in {path} and"}}"#),
            ] {
                let projected = side.project_text(&message).unwrap();
                assert!(projected.contains(TOKEN), "{projected}");
                assert_eq!(side.resolve_text(&projected), message, "{cwd}");
            }
        }
    }
}

#[test]
fn the_root_of_a_file_system_or_drive_comes_back_as_it_is_said() {
    for (cwd, paths) in [
        (
            "/",
            vec!["/", "/a", "//", "file:///", "file:///a", "file:///a%2Fb"],
        ),
        (
            r"C:\\",
            vec![
                r"C:\\",
                r"C:\\a",
                "C:/a",
                "file:///C:/a",
                "file:///C:/",
                "C:",
                "C:a",
            ],
        ),
    ] {
        let spellings = [Spelling::FileUris, Spelling::ObjectKeys];
        let side = Side::new(&cwd.replace(r"\\", r"\"), &[]).spelling(&spellings);
        for path in paths {
            let message = format!(r#"{{"cwd":"{path}","{path}":1}}"#);
            let projected = side.project_text(&message).unwrap();
            assert_eq!(side.resolve_text(&projected), message, "{projected}");
        }
    }
}
