//! Bytes that are no JSON hide nothing of what stands behind them.

use super::side::{Side, TOKEN, credential_method, non_portable, sensitive};

fn side() -> Side {
    Side::new("/work", &["/home/ada"])
}

/// What each break is put between.
const BEFORE: [&[u8]; 8] = [
    b"{\"t\":\"\xff\",",
    b"{\"t\":\"a\xe2\x82b\",",
    b"{\"t\":\"\n\x01\",",
    b"{\"t\":\"C:\\Users\\\xff\",",
    b"{\"t\":\"\\u12\",",
    b"{\"\xff\":1,",
    b"{\"id\":1 ",
    b"{\"t\":tru,",
];

#[test]
fn what_stands_behind_a_break_is_refused() {
    for before in BEFORE {
        for (member, refused) in [
            (r#""email":"a@b.c""#, sensitive("$.email")),
            (r#""apiKey":"k""#, sensitive("$.apiKey")),
            (r#""a":{"accountId":7}"#, sensitive("$.a.accountId")),
            (r#""cwd":["/etc"]"#, non_portable("$.cwd[0]")),
            (
                r#""method":"account/login/start""#,
                credential_method("$.method"),
            ),
        ] {
            let message = [before, member.as_bytes(), b"}"].concat();
            let shown = String::from_utf8_lossy(&message);
            assert_eq!(side().project(&message), Err(refused.clone()), "{shown}");
            assert_eq!(side().audit(&message), Err(refused), "{shown}");
        }
    }
}

#[test]
fn what_stands_behind_a_break_is_rewritten_and_comes_back() {
    let side = side();
    for before in BEFORE {
        let with = |path: &str| {
            let member = format!(r#""cwd":"{path}/a","paths":[["{path}"]]}}"#);
            [before, member.as_bytes()].concat()
        };
        let projected = side.project(&with("/work")).unwrap();
        let shown = String::from_utf8_lossy(&projected);
        assert_eq!(projected, with(TOKEN), "{shown}");
        assert_eq!(side.resolve(&projected), with("/work"), "{shown}");
    }
}

#[test]
fn odd_bytes_of_a_path_stay_where_they_are() {
    let side = side();
    for path in [
        b"/work/\xff/x\xe2\x82".as_slice(),
        b"/work\n/\\x",
        b"/work\\/\\u12\xff",
        b"/work/\xf0\x9f\x98",
    ] {
        let with = |cwd: &[u8]| [b"{\"cwd\":\"", cwd, b"\",\"path\":\"rel\"}"].concat();
        let (message, rest) = (with(path), &path[b"/work".len()..]);
        // A control character is part of the name.
        if path.starts_with(b"/work\n") {
            assert_eq!(side.project(&message), Err(non_portable("$.cwd")));
            continue;
        }
        let projected = side.project(&message).unwrap();
        assert_eq!(projected, with(&[TOKEN.as_bytes(), rest].concat()));
        assert_eq!(side.resolve(&projected), message);
    }
}

#[test]
fn a_member_is_recognised_wherever_a_string_stands_before_a_colon() {
    for message in [
        r#"{"t":"no end, "email":"a@b.c"}"#,
        r#"{"t":"said "hi" to","email":"a@b.c"}"#,
        r#"["email":"a@b.c"]"#,
        r#""email" : "a@b.c""#,
        r#"{"cwd":"email":"a@b.c"}"#,
        r#"{"a":[1,2,"email":"a@b.c"}"#,
        r#"it's "so" {"email":"a@b.c"}"#,
        r#"{"a":1]]}} "email":"a@b.c""#,
        "\u{1b}[1m\"email\":\"a@b.c\"\u{1b}[0m",
    ] {
        let refused = side().project_text(message).unwrap_err();
        assert!(
            refused.to_string().contains(".email"),
            "{message}: {refused}"
        );
        assert_eq!(side().audit(message.as_bytes()), Err(refused));
    }
}

#[test]
fn a_list_of_paths_is_one_behind_a_missing_comma_too() {
    let message = r#"{"paths":["/work/a" ["/work/b"] "/work/c"]}"#;
    let projected = message.replace("/work", TOKEN);
    assert_eq!(side().project_text(message), Ok(projected));
    let message = r#"{"paths":["a" ["/etc"]]}"#;
    assert_eq!(
        side().project_text(message),
        Err(non_portable("$.paths[1][0]"))
    );
}

#[test]
fn a_word_that_is_no_value_is_the_identity_of_an_account_all_the_same() {
    for value in ["0123", "12ab", "NaN", "-", "acct_7"] {
        let message = format!(r#"{{"accountId":{value}}}"#);
        assert_eq!(side().project_text(&message), Err(sensitive("$.accountId")));
    }
}

#[test]
fn a_path_that_is_cut_off_is_made_portable_or_left() {
    for (path, left) in [
        ("/work/a", format!("{TOKEN}/a")),
        ("/home/ada", "${REPLAY_HOME}".into()),
        ("/wo", "/wo".into()),
        ("/", "/".into()),
        ("/etc/x", "/etc/x".into()),
    ] {
        let message = format!(r#"{{"cwd":"{path}"#);
        let projected = side().project_text(&message).unwrap();
        assert_eq!(projected, format!(r#"{{"cwd":"{left}"#));
        assert_eq!(side().audit(projected.as_bytes()), Ok(()));
        assert_eq!(side().resolve_text(&projected), message);
    }
}

/// Members that are refused, and what stands around them.
const AROUND: [(&str, &str); 3] = [
    (
        r#"{"id":1,"t":"x","params":{"a":[true,{"b":null}],"#,
        r#","l":["a b",{}],"cwd":"rel"}}"#,
    ),
    (r#"[{"a":"b\"c"},{"k":{"x":1.5e3,"#, r#"}},[],"\u0041"]"#),
    (r#"INFO {"a": "b"} "c" {"#, r#" } done"#),
];

#[test]
fn no_damaged_byte_hides_a_member_that_stands_whole() {
    let side = side();
    for (before, after) in AROUND {
        for member in [r#""email":"a@b.c""#, r#""apiKey" : ["k"]"#] {
            let message = [before, member, after].concat().into_bytes();
            let whole = before.len()..before.len() + member.len();
            for at in (0..=message.len()).filter(|at| !whole.contains(at)) {
                for piece in [
                    "\"", "\\", "{", "}", "[", "]", ",", ":", "x", "\u{1}", " ", "\"\"", "{\"",
                ] {
                    let mut inserted = message.clone();
                    inserted.splice(at..at, piece.bytes());
                    let mut replaced = message.clone();
                    replaced.splice(at..message.len().min(at + 1), piece.bytes());
                    let mut removed = message.clone();
                    removed.splice(at..message.len().min(at + 1), []);
                    let mut odd = message.clone();
                    odd.splice(at..message.len().min(at + 1), [0xff]);
                    for damaged in [inserted, replaced, removed, odd] {
                        let shown = String::from_utf8_lossy(&damaged);
                        assert!(side.project(&damaged).is_err(), "{shown}");
                        assert!(side.audit(&damaged).is_err(), "{shown}");
                    }
                }
            }
        }
    }
}
