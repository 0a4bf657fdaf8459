//! Paths, as they are here and as they were recorded.

use std::sync::Arc;

use cassette_format::descriptor::Spelling;
use cassette_format::portable::{FreeText, HomeTokens, Literal, Redactor};

use super::side::{Side, TOKEN};

fn path(path: &str) -> String {
    format!(r#"{{"method":"x","params":{{"path":"{path}"}}}}"#)
}

fn paths(side: &Side, recorded: &str, sent: &str) -> bool {
    side.matches(&path(&recorded.replace("CWD", TOKEN)), &path(sent))
}

#[test]
fn a_token_stands_for_the_directory_here() {
    let side = Side::new();
    assert!(paths(&side, "CWD", "/new"));
    assert!(paths(&side, "CWD/a", "/new/a"));
    assert!(paths(&side, r"CWD\\a", r"/new\\a"));
    assert!(paths(&side, "${REPLAY_HOME}/a", "/home/n/a"));
    for (recorded, sent) in [
        ("CWD", "/old"),
        ("CWD/a", "/new/b"),
        ("CWDx", "/newx"),
        (r"CWD\\a", "/new/a"),
        ("CWD/a", "/new/../new2/a"),
        ("${REPLAY_HOME}/a", "/home/m/a"),
    ] {
        assert!(!paths(&side, recorded, sent), "{recorded} {sent}");
    }
}

#[test]
fn a_token_stands_for_every_directory_of_its_kind() {
    let side = Side::new().changed(|side| {
        side.cwd_roots = vec!["/also".into()];
        side.homes.push("/var/agent".into());
    });
    assert!(paths(&side, "CWD/a", "/also/a"));
    assert!(paths(&side, "${REPLAY_HOME}/a", "/var/agent/a"));
    assert!(paths(&side, "${REPLAY_HOME:2}/a", "/var/agent/a"));
    assert!(!paths(&side, "${REPLAY_HOME:2}/a", "/home/n/a"));
}

#[test]
fn numbered_homes_are_told_apart_whatever_this_side_would_record() {
    let side = Side::new().changed(|side| {
        side.rules.home_tokens = HomeTokens::Numbered;
        side.homes.push("/var/agent".into());
    });
    assert!(paths(&side, "${REPLAY_HOME:2}/a", "/var/agent/a"));
    assert!(
        paths(&side, "${REPLAY_HOME}/a", "/var/agent/a"),
        "a tape with one token"
    );
}

#[test]
fn a_directory_may_be_given_with_a_separator_at_its_end() {
    let side = Side::new().changed(|side| side.cwd = Some("/new/"));
    assert!(paths(&side, "CWD", "/new"));
    assert!(paths(&side, "CWD", "/new/"));
    assert!(paths(&side, "CWD/a", "/new/a"));
    assert!(paths(&side, "CWD//a", "/new//a"));
    assert!(!paths(&side, "CWD/a", "/new//a"));
}

#[test]
fn a_home_is_found_though_the_working_directory_lies_in_it() {
    let side = Side::new().changed(|side| side.cwd = Some("/home/n/work"));
    assert!(paths(&side, "CWD/a", "/home/n/work/a"));
    assert!(paths(&side, "${REPLAY_HOME}/work/a", "/home/n/work/a"));
}

#[test]
fn tokens_are_looked_for_in_paths_only() {
    let side = Side::new();
    let text = |text: &str| format!(r#"{{"text":"{text}"}}"#);
    assert!(!side.matches(&text(TOKEN), &text("/new")));
    assert!(side.matches(&format!("{} ", text(TOKEN)), &text(TOKEN)));
    let signed = |path: &str| format!(r#"{{"signature":{{"path":"{path}"}}}}"#);
    assert!(!side.matches(&signed(TOKEN), &signed("/new")));
    let list = |path: &str| format!(r#"{{"paths":[["{path}"],{{"text":"{path}"}}]}}"#);
    assert!(!side.matches(&list(TOKEN), &list("/new")));
    let list = |path: &str| format!(r#"{{"paths":[["{path}"],{{"cwd":"{path}"}}]}}"#);
    assert!(side.matches(&list(TOKEN), &list("/new")));
}

#[test]
fn free_text_is_mapped_where_it_was_asked_for() {
    let side = Side::new().changed(|side| side.rules.free_text = FreeText::Mapped);
    let text = |text: &str| format!(r#"{{"text":"see {text}/a, please"}}"#);
    assert!(side.matches(&text(TOKEN), &text("/new")));
    assert!(!side.matches(&text(TOKEN), &text("/old")));
}

#[test]
fn other_spellings_match_where_the_provider_has_them() {
    let recorded = format!(r#"{{"path":"file://{TOKEN}/a%20b","edits":{{"{TOKEN}/a":1}}}}"#);
    let sent = r#"{"edits":{"/new/a":1},"path":"file:///new/a%20b"}"#;
    assert!(!Side::new().matches(&recorded, sent));
    let spelled = Side::new().spelling(&[Spelling::FileUris, Spelling::ObjectKeys]);
    assert!(spelled.matches(&recorded, sent));
    assert!(!spelled.matches(&recorded, &sent.replace("/new/a\"", "/old/a\"")));
}

#[test]
fn a_working_directory_may_be_given_below_the_home() {
    let side = Side::new().changed(|side| side.cwd = Some("${REPLAY_HOME}/w"));
    assert!(paths(&side, "CWD/a", "/home/n/w/a"));
    let said = side.said(&path(&format!("{TOKEN}/a")));
    assert_eq!(said, path("/home/n/w/a"));
}

struct Upper;

impl Redactor for Upper {
    fn redact(&self, field: &str, text: &str) -> Option<String> {
        (field == "name").then(|| text.to_uppercase())
    }
}

#[test]
fn the_rules_of_the_caller_are_applied_to_what_is_sent() {
    let side = Side::new().changed(|side| {
        side.rules.literals = vec![Literal {
            text: "ada".into(),
            replacement: "<user>".into(),
        }];
        side.rules.redactor = Some(Arc::new(Upper));
    });
    let message = |name: &str, path: &str| format!(r#"{{"name":"{name}","path":"{path}"}}"#);
    let recorded = message("<USER> B", &format!("{TOKEN}/<user>"));
    assert!(side.matches(&recorded, &message("ada b", "/new/ada")));
    assert!(!side.matches(&recorded, &message("eve b", "/new/ada")));
    let key = |name: &str| format!(r#"{{"{name}":1}}"#);
    assert!(
        !side.matches(&key("<user>"), &key("ada")),
        "names are recorded as they are"
    );
}
