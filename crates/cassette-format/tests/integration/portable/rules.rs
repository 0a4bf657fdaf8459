//! The caller's rules, and what goes before what.

use std::sync::Arc;

use cassette_format::descriptor::Spelling;
use cassette_format::portable::{
    FieldClass, FieldClasses, FreeText, Literal, MAX_ROOTS_LEFT, PORTABLE_EMAIL, Redactor, Rules,
};

use super::side::{Side, TOKEN, non_portable, sensitive};

fn side(change: impl FnOnce(&mut Rules)) -> Side {
    Side::new("/work", &["/home/ada"]).ruled(change)
}

fn literals(literals: &[(&str, &str)]) -> Side {
    let literal = |(text, replacement): &(&str, &str)| Literal {
        text: (*text).into(),
        replacement: (*replacement).into(),
    };
    side(|rules| rules.literals = literals.iter().map(literal).collect())
}

/// Says what it was asked, as `field=text`.
struct Says;

impl Redactor for Says {
    fn redact(&self, field: &str, text: &str) -> Option<String> {
        (text != "leave").then(|| format!("{field}={text}"))
    }
}

/// Gives every e-mail and token the form that may be recorded.
struct Cleans;

impl Redactor for Cleans {
    fn redact(&self, field: &str, _: &str) -> Option<String> {
        match field {
            "email" => Some(PORTABLE_EMAIL.into()),
            "apiKey" => Some(String::new()),
            "path" => Some("somewhere".into()),
            _ => None,
        }
    }
}

#[test]
fn further_path_fields_hold_paths() {
    let side = side(|rules| rules.path_fields = vec![" Root_Dir ".into(), "ÉTAT".into()]);
    assert_eq!(
        side.project_text(
            r#"{"root_dir":"/work/a","ROOT_DIR":["/home/ada"],"\u00e9tat":"/work","root":"/work"}"#
        ),
        Ok(format!(
            r#"{{"root_dir":"{TOKEN}/a","ROOT_DIR":["${{REPLAY_HOME}}"],"\u00e9tat":"{TOKEN}","root":"/work"}}"#
        ))
    );
    assert_eq!(
        side.project_text(r#"{"root_dir":"/etc"}"#),
        Err(non_portable("$.root_dir"))
    );
}

#[test]
fn further_sensitive_fields_hold_secrets_whatever_else_they_would_be() {
    let names = [
        "pin",
        "cwd",
        "signature",
        "root",
        "a-name-that-is-much-longer-than-any-of-the-common-names-of-fields",
    ];
    let side = side(|rules| {
        rules.path_fields = vec!["root".into()];
        rules.sensitive_fields = names.map(str::to_owned).to_vec();
    });
    for name in names {
        for value in ["\"/work\"", "{}", "[]"] {
            let message = format!(r#"{{"{name}":{value}}}"#);
            let refused = side.project_text(&message).unwrap_err();
            assert_eq!(side.audit(message.as_bytes()), Err(refused.clone()));
            assert!(refused.to_string().contains("secret"), "{refused}");
        }
        let number = format!(r#"{{"{name}":1}}"#);
        assert_eq!(side.project_text(&number), Ok(number.clone()));
    }
}

#[test]
fn the_class_of_a_name_is_settled_in_a_fixed_order() {
    let all = ["email", "apikey", "accountid", "signature", "cwd", "other"];
    let classes = |sensitive: &[&str], paths: &[&str]| {
        let texts = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let rules = Rules {
            path_fields: texts(paths),
            sensitive_fields: texts(sensitive),
            ..Rules::default()
        };
        let classes = FieldClasses::new(&side(|_| {}).descriptor, &rules);
        all.map(|name| classes.of(name))
    };
    use FieldClass::{Account, Credential, Email, Path, Plain, Signature};
    assert_eq!(
        classes(&[], &[]),
        [Email, Credential, Account, Signature, Path, Plain]
    );
    assert_eq!(
        classes(&[], &all),
        [Email, Credential, Account, Signature, Path, Path]
    );
    assert_eq!(
        classes(&all, &all),
        [
            Email, Credential, Account, Credential, Credential, Credential
        ]
    );
}

#[test]
fn literals_are_replaced_in_their_order_wherever_they_stand_in_a_string() {
    let side = literals(&[("", "never"), ("ab", "b"), ("bb", "\"c\""), ("\"", "'")]);
    assert_eq!(
        side.project_text(r#"{"x":"xabab","ab":["a\u0062b",{"y":"\"ab"}],"n":1}"#)
            .as_deref(),
        Ok(r#"{"x":"x'c'","ab":["'c'",{"y":"'b"}],"n":1}"#)
    );
    let unchanged = r#"{"x":"a\u0020b","ab":1,"y":"\ud800"}"#;
    assert_eq!(side.project_text(unchanged).as_deref(), Ok(unchanged));
}

#[test]
fn literals_see_paths_as_they_are_recorded() {
    let side = literals(&[("/home/ada", "no"), ("REPLAY_HOME}/x", "REPLAY_HOME}/y")]);
    assert_eq!(
        side.project_text(r#"{"path":"/home/ada/x","x":"/home/ada/x"}"#)
            .as_deref(),
        Ok(r#"{"path":"${REPLAY_HOME}/y","x":"no/x"}"#)
    );
}

#[test]
fn a_rule_that_touches_a_value_does_not_make_it_harmless() {
    let side = literals(&[("s", "t"), ("corp", "x")]);
    for (message, refused) in [
        (r#"{"apiKey":"sk-123"}"#, sensitive("$.apiKey")),
        (r#"{"email":"me@corp"}"#, sensitive("$.email")),
        (r#"{"accountId":"acct-s"}"#, sensitive("$.accountId")),
        (r#"{"cwd":"/usr/share"}"#, non_portable("$.cwd")),
    ] {
        assert_eq!(side.project_text(message), Err(refused));
    }
    let makes_absolute = literals(&[("rel", "/etc")]);
    assert_eq!(
        makes_absolute.project_text(r#"{"cwd":"rel/x"}"#),
        Err(non_portable("$.cwd"))
    );
}

#[test]
fn a_redactor_may_make_a_value_portable() {
    let side = side(|rules| rules.redactor = Some(Arc::new(Cleans)));
    let message = r#"{"email":"me@corp","apiKey":"s","path":"/etc","x":"\ud800"}"#;
    let projected = side.project_text(message).unwrap();
    assert_eq!(
        projected,
        r#"{"email":"replay-user@example.invalid","apiKey":"","path":"somewhere","x":"\ud800"}"#
    );
    assert_eq!(side.audit(projected.as_bytes()), Ok(()));
}

#[test]
fn a_redactor_comes_last_and_is_told_the_field_as_it_is_meant() {
    let side = literals(&[("b", "c")]).ruled(|rules| rules.redactor = Some(Arc::new(Says)));
    assert_eq!(
        side.project_text(r#"{"\u0078":"b","l":["b",{"m":"leave"}],"path":"/work/b"}"#),
        Ok(
            format!(r#"{{"x":"x=c","l":["=c",{{"m":"leave"}}],"path":"path={TOKEN}/c"}}"#)
                .replace(r#"{"x""#, r#"{"\u0078""#)
        )
    );
    assert_eq!(side.project_text(r#""top""#).as_deref(), Ok(r#""=top""#));
}

#[test]
fn signatures_are_never_altered() {
    let side = literals(&[("a", "b")]).ruled(|rules| {
        rules.redactor = Some(Arc::new(Says));
        rules.free_text = FreeText::Mapped;
        rules.path_fields = vec!["signature".into(), "encrypted_content".into()];
    });
    let message = r#"{"signature":"a /work/x","Encrypted_Content":["/work","a",["a"]]}"#;
    assert_eq!(side.project_text(message).as_deref(), Ok(message));
    let tokens = r#"{"signature":"${REPLAY_HOME}"}"#;
    assert_eq!(side.resolve_text(tokens), tokens);
}

#[test]
fn nothing_below_a_signature_is_altered() {
    let side = literals(&[("work", "b")])
        .spelling(&[Spelling::ObjectKeys, Spelling::CwdSlug])
        .ruled(|rules| {
            rules.redactor = Some(Arc::new(Says));
            rules.free_text = FreeText::Mapped;
        });
    let message = r#"{"signature":{"t":"a /work/x","/work/k":[["a",{"cwd":"rel/-work"}]],"signature":[{"a":"a"}]},"encrypted_content":[{"t":"/work"}],"x":"leave"}"#;
    assert_eq!(side.project_text(message).as_deref(), Ok(message));
    let behind = r#"{"signature":{"signature":{}},"cwd":"/work"}"#;
    assert_eq!(
        Side::new("/work", &[]).project_text(behind),
        Ok(behind.replace("/work", TOKEN))
    );
    let tokens = r#"{"signature":{"cwd":["${REPLAY_HOME}"],"${REPLAY_HOME}":1}}"#;
    assert_eq!(side.resolve_text(tokens), tokens);
}

#[test]
fn what_stands_below_a_signature_is_judged() {
    for (inside, refused) in [
        (r#"{"apiKey":"s"}"#, sensitive("$.signature.apiKey")),
        (
            r#"[{"email":["me@x"]}]"#,
            sensitive("$.signature[0].email[0]"),
        ),
        (r#"{"cwd":"/work/a"}"#, non_portable("$.signature.cwd")),
        (
            r#"{"paths":[["/etc"]]}"#,
            non_portable("$.signature.paths[0][0]"),
        ),
    ] {
        let message = format!(r#"{{"signature":{inside}}}"#);
        assert_eq!(side(|_| {}).project_text(&message), Err(refused.clone()));
        assert_eq!(side(|_| {}).audit(message.as_bytes()), Err(refused));
    }
}

#[test]
fn free_text_is_kept_unless_it_is_asked_for() {
    let message = r#"{"text":"see /work/a, \"/home/ada\" and \/work\u002fb:3","cwd":"rel"}"#;
    assert_eq!(side(|_| {}).project_text(message).as_deref(), Ok(message));
    let side = side(|rules| rules.free_text = FreeText::Mapped);
    let projected = side.project_text(message).unwrap();
    assert_eq!(
        projected,
        format!(
            r#"{{"text":"see {TOKEN}/a, \"${{REPLAY_HOME}}\" and {TOKEN}\u002fb:3","cwd":"rel"}}"#
        )
    );
}

#[test]
fn in_free_text_only_whole_names_of_directories_are_found() {
    let side = side(|rules| rules.free_text = FreeText::Mapped);
    for (text, mapped) in [
        ("/work", TOKEN.to_owned()),
        ("(/work)", format!("({TOKEN})")),
        ("a=/work/x;/work", format!("a={TOKEN}/x;{TOKEN}")),
        ("file:///work/a", "file:///work/a".into()),
        (
            "/workshop /x/work ./work /work-2 a/work",
            "/workshop /x/work ./work /work-2 a/work".into(),
        ),
        ("/work/../etc", "/work/../etc".into()),
        ("/work/a/../b", format!("{TOKEN}/a/../b")),
        ("日/work é/work", "日/work é/work".into()),
        ("「/work」", "「/work」".into()),
        ("/work\\n/work", format!("{TOKEN}\\n{TOKEN}")),
        ("日 /work/é", format!("日 {TOKEN}/é")),
    ] {
        let message = format!(r#"{{"x":"{text}"}}"#);
        let expected = format!(r#"{{"x":"{mapped}"}}"#);
        assert_eq!(side.project_text(&message), Ok(expected));
    }
}

#[test]
fn what_follows_a_directory_in_free_text_is_no_other_directory() {
    let side = Side::new("/work", &["/a"]).ruled(|rules| rules.free_text = FreeText::Mapped);
    assert_eq!(
        side.project_text(r#"{"x":"/work/a /a/work"}"#),
        Ok(format!(r#"{{"x":"{TOKEN}/a ${{REPLAY_HOME}}/work"}}"#))
    );
}

#[test]
fn directories_left_in_free_text_are_listed_by_their_places() {
    let side = side(|_| {});
    let message = br#"{"a":["/work","x /home/ada/y","/workshop"],"/work/k":1,"signature":"/work"} log {"b":"/work"}"#;
    assert_eq!(
        side.projection().roots_left(message),
        ["$.a[0]", "$.a[1]", r#"$["…"]"#, "$.signature", "$#2.b"]
    );
    assert_eq!(side.projection().roots_left(b"/work"), Vec::<String>::new());
}

#[test]
fn of_directories_left_in_free_text_the_first_are_listed() {
    let message = format!("[{}0]", r#""/work","#.repeat(200_000));
    let left = side(|_| {}).projection().roots_left(message.as_bytes());
    assert_eq!(left.len(), MAX_ROOTS_LEFT);
    assert_eq!(left.last().map(String::as_str), Some("$[99]"));
}

#[test]
fn the_root_of_the_file_system_is_left_in_free_text() {
    let side = Side::new("/", &[]).ruled(|rules| rules.free_text = FreeText::Mapped);
    for text in ["see /work/.. now", "/", "/..", "a /./b /work"] {
        let message = format!(r#"{{"t":"{text}"}}"#);
        assert_eq!(side.project_text(&message), Ok(message));
    }
}

#[test]
fn rules_do_not_show_their_secrets() {
    let side = literals(&[("TOPSECRET", "x")]).ruled(|rules| rules.redactor = Some(Arc::new(Says)));
    let shown = format!("{:?}", side.rules);
    assert!(!shown.contains("TOPSECRET"), "{shown}");
}

#[test]
fn a_text_alone_becomes_what_it_becomes_in_a_message() {
    let sides = [
        side(|_| ()),
        side(|rules| rules.free_text = FreeText::Mapped),
        literals(&[("a", "b")]).ruled(|rules| rules.redactor = Some(Arc::new(Says))),
        literals(&[]).spelling(&[Spelling::FileUris, Spelling::ObjectKeys]),
    ];
    let classes = [
        ("text", FieldClass::Plain),
        ("path", FieldClass::Path),
        ("signature", FieldClass::Signature),
    ];
    for side in sides {
        for (field, class) in classes {
            for text in ["a", "/work/a", "see /work/a", "file:///work/a", "", "leave"] {
                let alone = side.projection().text(class, field, text);
                let message = |text: &str| format!(r#"{{"{field}":"{text}"}}"#);
                let whole = message(alone.as_deref().unwrap_or(text));
                // What is refused as a whole may still be compared.
                if let Ok(projected) = side.project_text(&message(text)) {
                    assert_eq!(projected, whole);
                }
                assert_ne!(alone.as_deref(), Some(text));
            }
        }
        let key = side.projection().key_text("/work/a");
        let whole = format!(r#"{{"{}":1}}"#, key.as_deref().unwrap_or("/work/a"));
        assert_eq!(side.project_text(r#"{"/work/a":1}"#), Ok(whole));
    }
}
