//! Whose transcript it is, and what it goes on from.

use super::*;
use crate::inspect::content::{Content, Encoding};
use crate::inspect::judge::Identity;
use crate::inspect::limits::Limits;
use crate::inspect::report::HistoryBase;
use crate::inspect::transcript::identify;

/// Whose rollout or project file this is, from its head and from all of it.
fn identity(layout: RecordLayout, text: &str) -> Identity {
    let content = Content::new(text.as_bytes(), Encoding::Plain, &Limits::default());
    let head = identify(content, layout, &session("t")).unwrap();
    let whole = in_parts(layout, None, iter::once(text.as_bytes()));
    assert_eq!(head, whole.identity, "{text}");
    head
}

fn of_meta(payload: &str) -> (Identity, Vec<String>) {
    let text = format!("{{\"type\":\"session_meta\",\"payload\":{payload}}}\n");
    let sessions = rollout(&text).report.sessions;
    let names = sessions.iter().map(ToString::to_string).collect();
    (identity(RecordLayout::Rollout, &text), names)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[test]
fn the_first_record_of_a_rollout_names_its_session() {
    use Identity::{Other, This, Unknown};
    for (payload, expected, sessions) in [
        (r#"{"id":"t"}"#, This, &["t"][..]),
        (r#"{"session_id":"t"}"#, This, &["t"]),
        (r#"{"id":"t","session_id":"t"}"#, This, &["t"]),
        (r#"{"id":"u","session_id":"t"}"#, This, &["u", "t"]),
        (r#"{"id":null,"session_id":"t"}"#, This, &["t"]),
        (r#"{"id":"  t\t"}"#, This, &["t"]),
        (r#"{"\u0069d":"\u0074"}"#, This, &["t"]),
        (r#"{"id":"u","id":"t"}"#, This, &["t"]),
        (r#"{"id":"t","id":"u"}"#, Other, &["u"]),
        (r#"{"id":"t","id":5}"#, Unknown, &[]),
        (r#"{"ID":"t","Session_id":"t"}"#, Other, &[]),
        (r#"{"id":5}"#, Unknown, &[]),
        (r#"{"id":" "}"#, Other, &[]),
        (r#"{"id":{"id":"t"}}"#, Unknown, &[]),
        (r#"{"x":{"id":"t"},"y":[{"id":"t"}]}"#, Other, &[]),
        (r#"{"id":"t\ud800"}"#, Unknown, &[]),
        (r#"[{"id":"t"}]"#, Other, &[]),
        (r#"null,"id":"t""#, Other, &[]),
        (r#"{"id":"t"},"payload":{"x":1}"#, Other, &[]),
        (r#"{"id":"t"},"payload":null"#, Other, &[]),
        (r#"{"x":1},"payload":{"id":"t"}"#, This, &["t"]),
        (r#"{"id":"t"},"type":"event_msg""#, Other, &[]),
        (r#"{"id":"t"},"Type":"event_msg""#, This, &["t"]),
    ] {
        assert_eq!(of_meta(payload), (expected, names(sessions)), "{payload}");
    }
    let overlong = format!("{{\"id\":\"{}\"}}", "t".repeat(513));
    assert_eq!(of_meta(&overlong), (Unknown, names(&[])));
    let longest = "u".repeat(512);
    let spelled = format!("{{\"id\":\"{}\"}}", "\\u0075".repeat(512));
    assert_eq!(of_meta(&spelled), (Other, names(&[&longest])));
    let overlong = format!("{{\"{}id\":1,\"id\":\"t\"}}", "x".repeat(5000));
    assert_eq!(of_meta(&overlong), (This, names(&["t"])));
}

#[test]
fn only_the_first_record_names_the_session_of_a_rollout() {
    let meta =
        |id: &str| format!("{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"{id}\"}}}}\n");
    let of = |text: &str| identity(RecordLayout::Rollout, text);
    assert_eq!(
        of(&format!("\n \r\n{}{}", meta("t"), meta("u"))),
        Identity::This
    );
    assert_eq!(of(&format!("{}{}", meta("u"), meta("t"))), Identity::Other);
    assert_eq!(of(&format!("{{}}\n{}", meta("t"))), Identity::Other);
    assert_eq!(of(meta("t").trim()), Identity::This);
    assert_eq!(of(&format!("{}junk\n", meta("t"))), Identity::This);
}

#[test]
fn a_first_record_that_is_damaged_names_nobody() {
    let meta = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}";
    for text in [
        format!("x\n{meta}\n"),
        format!("{meta},\n{meta}\n"),
        format!("{meta}{meta}\n{meta}\n"),
        format!("{{\"a\":\"x{meta}\n{meta}\n"),
        format!("\u{feff}{meta}\n{meta}\n"),
        meta[..meta.len() - 1].to_owned(),
        format!("\0{meta}\n"),
        "\n\n".to_owned(),
        String::new(),
    ] {
        assert_eq!(
            identity(RecordLayout::Rollout, &text),
            Identity::Unknown,
            "{text}"
        );
        assert_eq!(rollout(&text).report.sessions, []);
    }
}

#[test]
fn later_records_of_a_rollout_may_be_any_objects() {
    let text = "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}\n{\"payload\":{\"id\":7}}\n\
                {\"type\":1,\"payload\":[1]}\n{\"payload\":{\"history_base\":1}}\n";
    assert_eq!(damages(&rollout(text)), []);
}

#[test]
fn the_base_of_a_rollout_is_read_from_its_first_record() {
    let base = |value: &str| {
        let text = format!(
            "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"t\",\"history_base\":{value}}}}}\n"
        );
        let inspection = rollout(text);
        (inspection.report.base.clone(), damages(&inspection))
    };
    let sound = r#"{"thread_id":"p","end_ordinal_exclusive":12,"end_byte_offset":50332}"#;
    let expected = HistoryBase {
        session: session("p"),
        end_ordinal_exclusive: 12,
        end_byte_offset: 50332,
    };
    assert_eq!(base(sound), (Some(expected.clone()), vec![]));
    let last = format!("null,\"history_base\":{sound}");
    assert_eq!(base(&last), (Some(expected), vec![]));
    assert_eq!(base("null"), (None, vec![]));
    let unreadable = vec![(DamageKind::UnreadableBase, 0, 1)];
    for value in [
        "{}",
        "[]",
        "1",
        "\"p\"",
        r#"{"thread_id":"p","end_ordinal_exclusive":12,"end_byte_offset":-1}"#,
        r#"{"thread_id":"p","end_ordinal_exclusive":1.0,"end_byte_offset":5}"#,
        r#"{"thread_id":" ","end_ordinal_exclusive":12,"end_byte_offset":5}"#,
        &format!("{sound},\"history_base\":{{\"thread_id\":\"q\"}}"),
    ] {
        assert_eq!(base(value), (None, unreadable.clone()), "{value}");
    }
}

#[test]
fn records_of_a_project_file_name_its_session() {
    let of = |text: &str| {
        (
            identity(RecordLayout::ProjectFile, text),
            damages(&project_file(text)),
        )
    };
    let other = |offset, record| (DamageKind::OtherSession, offset, record);
    let own = "{\"sessionId\":\"t\"}\n";
    assert_eq!(of(own), (Identity::This, vec![]));
    assert_eq!(
        of(&format!("{{\"type\":\"summary\"}}\n{own}")),
        (Identity::This, vec![])
    );
    assert_eq!(
        of(&format!("{own}{{\"a\":1}}\n{{\"sessionId\":null}}\n")),
        (Identity::This, vec![])
    );
    let foreign = format!("{own} {{\"sessionId\":\"u\"}}\n{{\"a\":{{\"sessionId\":\"u\"}}}}\n");
    assert_eq!(of(&foreign), (Identity::This, vec![other(19, 2)]));
    let number = format!("{own}{{\"sessionId\":5}}\n");
    assert_eq!(of(&number), (Identity::This, vec![other(18, 2)]));
    assert_eq!(
        of("{\"sessionId\":\"u\"}\n"),
        (Identity::Other, vec![other(0, 1)])
    );
    assert_eq!(of("{\"a\":1}\n"), (Identity::Unknown, vec![]));
    assert_eq!(of(&format!("x\n{own}")).0, Identity::Unknown);
}

#[test]
fn without_a_session_that_is_asked_for_the_first_one_counts() {
    let text = b"{\"sessionId\":\"u\"}\n{\"sessionId\":\" u\"}\n{\"sessionId\":\"t\"}\n";
    let mut inspector = Inspector::new(RecordLayout::ProjectFile, None, InspectOptions::default());
    inspector.push(text);
    let inspection = inspector.finish();
    assert_eq!(inspection.identity, Identity::Unknown);
    assert_eq!(inspection.report.sessions, [session("u")]);
    assert_eq!(damages(&inspection), [(DamageKind::OtherSession, 37, 3)]);
}

#[test]
fn the_head_is_read_no_further_than_it_must_be() {
    struct Endless(&'static [u8]);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let (part, rest) = self.0.split_at(self.0.len().min(buffer.len()).min(10));
            assert!(!part.is_empty(), "read too far");
            buffer[..part.len()].copy_from_slice(part);
            self.0 = rest;
            Ok(part.len())
        }
    }
    let bytes = b"{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\"}}\n1234567890";
    let content = Content::new(Endless(bytes), Encoding::Plain, &Limits::default());
    let head = identify(content, RecordLayout::Rollout, &session("t"));
    assert_eq!(head.unwrap(), Identity::This);
}
