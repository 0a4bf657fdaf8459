//! What may not be on a tape is refused: the first of it, by its place, without
//! a word of its value.

use cassette_format::descriptor::Spelling;
use cassette_format::portable::ContentError;

use super::side::{Side, credential_method, non_portable, sensitive};

fn side() -> Side {
    Side::new("/work", &["/home/ada"])
}

/// What both the recording side and the audit say.
fn said(message: &str) -> Result<(), ContentError> {
    let projected = side().project_text(message).map(drop);
    if projected.is_err() {
        assert_eq!(side().audit(message.as_bytes()), projected, "{message}");
    }
    projected
}

#[test]
fn every_credential_field_is_refused_whatever_its_case_and_white_space() {
    for key in [
        "accessToken",
        "REFRESHTOKEN",
        " apikey\\t",
        "api\\u004bey",
        "apiKey",
        "Authorization",
    ] {
        for value in ["\"s\"", "\" s \"", "{}", "[]", "[null]", "\"\\u0073\""] {
            let message = format!(r#"{{"a":[{{"{key}" : {value}}}]}}"#);
            assert!(
                matches!(said(&message), Err(ContentError::SensitiveField { .. })),
                "{message}"
            );
        }
        for value in ["\"\"", "\" \\t\"", "null", "1", "true"] {
            let message = format!(r#"{{"{key}":{value}}}"#);
            assert_eq!(said(&message), Ok(()), "{message}");
        }
    }
}

#[test]
fn every_account_field_is_refused_but_for_nothing_in_it() {
    for key in ["chatgptAccountId", "accountid", "CREATORACCOUNTUSERID"] {
        for value in ["\"s\"", "{}", "[]", "0", "false", "1e999"] {
            let message = format!(r#"{{"{key}":{value}}}"#);
            assert_eq!(
                said(&message),
                Err(sensitive(&format!("$.{key}"))),
                "{message}"
            );
        }
        for value in ["\"\"", "\" \"", "null"] {
            assert_eq!(said(&format!(r#"{{"{key}":{value}}}"#)), Ok(()));
        }
    }
}

#[test]
fn every_e_mail_but_the_portable_one_is_refused() {
    for (value, path) in [
        ("\"me@x\"", "$.email"),
        ("\" replay-user@example.invalid\"", "$.email"),
        ("\"Replay-user@example.invalid\"", "$.email"),
        (
            "[\"replay-user@example.invalid\",[\"me@x\"]]",
            "$.email[1][0]",
        ),
    ] {
        assert_eq!(
            said(&format!(r#"{{"email":{value}}}"#)),
            Err(sensitive(path))
        );
    }
    for nobodys in [r#""replay-user\u0040example.invalid""#, r#""""#, r#"" ""#] {
        assert_eq!(said(&format!(r#"{{"email":{nobodys}}}"#)), Ok(()));
    }
}

#[test]
fn every_form_of_absolute_path_is_refused() {
    for path in [
        "/etc",
        "/",
        "//work/a",
        " /work/a",
        "\\n/x",
        "/work/../etc",
        "/work/..",
        "/work/a/../../x",
        "/workshop",
        "\\\\\\\\server\\\\share",
        "\\\\x",
        "\\\\\\\\?\\\\C:\\\\x",
        "C:\\\\x",
        "c:/x",
        "file:///etc",
        "file://\\\\\\\\x",
        "file://C:/x",
        " file:///work ",
        "\\u002fetc",
        "/WORK/a",
        "/home/ada/../bob",
        "/home/adam",
    ] {
        for (message, place) in [
            (format!(r#"{{"cwd":"{path}"}}"#), "$.cwd"),
            (
                format!(r#"{{"x":{{"paths":["rel",["{path}"]]}}}}"#),
                "$.x.paths[1][0]",
            ),
        ] {
            assert_eq!(said(&message), Err(non_portable(place)), "{message}");
        }
    }
    for path in [
        "rel/x",
        "..",
        "~/x",
        "C:",
        "C:x",
        "",
        "file:",
        "http://x/y",
        "é:/x",
    ] {
        assert_eq!(said(&format!(r#"{{"cwd":"{path}"}}"#)), Ok(()), "{path}");
    }
}

#[test]
fn a_path_below_a_directory_that_stays_there_is_not_refused() {
    for path in [
        "/work/..a",
        "/work/a/..",
        "/work/a/../b",
        "/x/../work/a",
        "/work/../work",
        "/work/../../home/ada/x",
    ] {
        assert_eq!(said_projected(path), Ok(()), "{path}");
    }
}

fn said_projected(path: &str) -> Result<(), ContentError> {
    let projected = side().project_text(&format!(r#"{{"cwd":"{path}"}}"#))?;
    side().audit(projected.as_bytes())
}

#[test]
fn credential_methods_are_refused_by_each_duplicate() {
    for message in [
        r#"{"method":"account/login/start"}"#,
        r#"{"id":1,"method":" ACCOUNT/LOGIN/START\n"}"#,
        r#"{"method":"x","method":"account/login/start"}"#,
        r#"{"method":"account/login/start","method":"x"}"#,
        r#"{"m\u0065thod":"account\/login\/start"}"#,
        r#"{"params":{"deep":[1]},"method":"account/login/start","#,
    ] {
        let refused = side().project_text(message).unwrap_err();
        assert_eq!(refused, credential_method("$.method"), "{message}");
        assert_eq!(side().audit(message.as_bytes()), Err(refused));
    }
    assert_eq!(
        said(r#"{"params":{"method":"account/login/start"}}"#),
        Ok(())
    );
}

#[test]
fn the_first_violation_in_document_order_is_named() {
    let pieces = [
        (
            r#""method":"account/login/start""#,
            credential_method("$.method"),
        ),
        (r#""apiKey":"s""#, sensitive("$.apiKey")),
        (r#""cwd":"/etc""#, non_portable("$.cwd")),
        (r#""email":["me@x"]"#, sensitive("$.email[0]")),
    ];
    for (first, refused) in &pieces {
        for (second, _) in &pieces {
            let message = format!(r#"{{"a":1,{first},{second}}}"#);
            assert_eq!(said(&message).as_ref(), Err(refused), "{message}");
        }
    }
}

#[test]
fn duplicates_do_not_hide_one_another() {
    assert_eq!(
        said(r#"{"apiKey":"s","apiKey":null}"#),
        Err(sensitive("$.apiKey"))
    );
    assert_eq!(
        said(r#"{"cwd":"/work","cwd":"/etc"}"#),
        Err(non_portable("$.cwd"))
    );
    assert_eq!(
        said(r#"{"cwd":"/etc","cwd":"/work"}"#),
        Err(non_portable("$.cwd"))
    );
}

#[test]
fn what_can_be_read_of_broken_messages_is_judged() {
    for (message, refused) in [
        (r#"{"apiKey":"s""#, sensitive("$.apiKey")),
        (r#"{"a":{"cwd":"/etc","b":tru"#, non_portable("$.a.cwd")),
        (r#"{"a":x,"b":{"apiKey":"s"}}"#, sensitive("$.b.apiKey")),
        (r#"INFO [x] sent {"apiKey":"s"}"#, sensitive("$#2.apiKey")),
        (
            r#"{"a":1} and {"b":[{"email":"me@x"}]} more"#,
            sensitive("$#2.b[0].email"),
        ),
        ("\u{feff}{\"apiKey\":\"s\"}", sensitive("$.apiKey")),
        (
            r#"]}{"method":"account/login/start"}"#,
            credential_method("$.method"),
        ),
        (
            r#"{"a":"\x"} [{"path":"/etc"}]"#,
            non_portable("$#2[0].path"),
        ),
        (r#""apiKey":"s""#, sensitive("$.apiKey")),
        (r#"{"apiKey":"unfinished"#, sensitive("$.apiKey")),
        (r#"{"email":["me@x"#, sensitive("$.email[0]")),
    ] {
        assert_eq!(said(message), Err(refused), "{message}");
    }
    for message in ["apiKey: s", "cwd=/etc", r#"{"apiKey":""#, r#"{"apiK"#] {
        assert_eq!(said(message), Ok(()), "{message}");
    }
    let bytes = b"\xff\xfe {\"apiKey\":\"s\"}";
    assert_eq!(side().project(bytes), Err(sensitive("$.apiKey")));
}

#[test]
fn text_before_and_behind_a_message_does_not_keep_it_from_being_rewritten() {
    let message = r#"log: {"cwd":"/work/a"} done [{"path":"/home/ada"}"#;
    assert_eq!(
        side().project_text(message).as_deref(),
        Ok(r#"log: {"cwd":"${SESSION_CWD:session-1:1}/a"} done [{"path":"${REPLAY_HOME}"}"#)
    );
}

#[test]
fn no_error_says_a_word_of_the_value() {
    for message in [
        r#"{"apiKey":"TOPSECRET"}"#,
        r#"{"cwd":"/TOPSECRET"}"#,
        r#"{"email":"TOPSECRET"}"#,
        r#"{"accountid":{"TOPSECRET":1}}"#,
        r#"{"apiKey":["TOPSECRET"]}"#,
        r#"{"email":["TOPSECRET"]}"#,
    ] {
        let error = side().project_text(message).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("TOPSECRET"), "{shown}");
    }
}

#[test]
fn the_text_of_an_error_names_the_place() {
    let error = |message: &str| side().project_text(message).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"a-b":[{"apiKey":"s"}]}"#),
        r#"field at `$["a-b"][0].apiKey` holds personal or secret content"#
    );
    assert_eq!(
        error(r#"{"cwd":"/x"}"#),
        "field at `$.cwd` holds an absolute path"
    );
    assert_eq!(
        error(r#"{"method":"account/login/start"}"#),
        "method at `$.method` carries credentials"
    );
}

#[test]
fn keys_on_the_way_that_may_be_more_than_names_are_not_shown() {
    for key in [
        "/home/ada/secret",
        "ada@corp.example",
        "\\u001b[2J\\n\u{9b}31m\u{202e}\\u2028`",
        &"k".repeat(65),
    ] {
        let message = format!(r#"{{"{key}":{{"email":"me@x"}}}}"#);
        let error = side().project_text(&message).unwrap_err().to_string();
        assert_eq!(
            error,
            r#"field at `$["…"].email` holds personal or secret content"#
        );
    }
}

#[test]
fn of_several_values_in_a_message_the_one_is_named() {
    for (message, place) in [
        (r#"{"apiKey":"s"} {}"#, "$.apiKey"),
        (r#"{} {"apiKey":"s"}"#, "$#2.apiKey"),
        (r#"1 [2] [{"apiKey":"s"}]"#, "$#3[0].apiKey"),
    ] {
        assert_eq!(said(message), Err(sensitive(place)), "{message}");
    }
}

#[test]
fn the_path_of_a_place_thousands_of_levels_deep_is_cut() {
    let message = format!(r#"{}{{"apiKey":"s"}}"#, r#"{"k":"#.repeat(100_000));
    let error = side().project_text(&message).unwrap_err().to_string();
    let shown = format!(
        "field at `${}…` holds personal or secret content",
        ".k".repeat(64)
    );
    assert_eq!(error, shown);
}

#[test]
fn a_segment_made_of_the_working_directory_does_not_make_a_path_portable() {
    let side = side().spelling(&[Spelling::CwdSlug]);
    let message = r#"{"path":"/var/cache/-work/x"}"#;
    assert_eq!(side.project_text(message), Err(non_portable("$.path")));
    let top = Side::new("/", &[]).spelling(&[Spelling::CwdSlug]);
    assert_eq!(
        top.project_text(r#"{"path":"/etc"}"#).as_deref(),
        Ok(r#"{"path":"${SESSION_CWD:session-1:1}/etc"}"#)
    );
}
