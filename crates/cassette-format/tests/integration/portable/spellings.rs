//! Further spellings of a directory: made portable, put back, also elsewhere
//! than where they were recorded.

use cassette_format::descriptor::Spelling::{
    self, CwdSlug, FileUris, ObjectKeys, PrivatePrefix, WindowsForms,
};
use cassette_format::portable::FreeText;

use super::side::{Side, TOKEN, non_portable};

const SLUG: &str = "${SESSION_CWD_SLUG:session-1:1}";

/// What is recorded of a path field, and what comes back of it here and there.
fn travels(here: &Side, there: &Side, path: &str) -> [String; 3] {
    let message = format!(r#"{{"path":"{path}"}}"#);
    let recorded = here.project_text(&message).unwrap();
    assert_eq!(here.audit(recorded.as_bytes()), Ok(()));
    let (back, arrived) = (here.resolve_text(&recorded), there.resolve_text(&recorded));
    [recorded, back, arrived].map(|text| {
        let text = text.strip_prefix(r#"{"path":""#).unwrap();
        text.strip_suffix(r#""}"#).unwrap().to_owned()
    })
}

fn side(cwd: &str, home: &str, spelling: &[Spelling]) -> Side {
    Side::new(cwd, &[home]).spelling(spelling)
}

#[test]
fn without_a_declaration_nothing_is_spelled_otherwise() {
    let side = Side::new("/tmp/w", &["/home/ada"]);
    let message = r#"{"/tmp/w/a":{"path":"x/-tmp-w"}}"#;
    assert_eq!(side.project_text(message).as_deref(), Ok(message));
    for path in ["file:///tmp/w/a", "/private/tmp/w"] {
        let message = format!(r#"{{"path":"{path}"}}"#);
        assert_eq!(side.project_text(&message), Err(non_portable("$.path")));
    }
    let resolved = format!(r#"{{"{TOKEN}/a":1,"path":"file://{TOKEN}"}}"#);
    assert_eq!(side.resolve_text(&resolved), resolved);
}

#[test]
fn keys_that_are_paths_are_rewritten_and_put_back() {
    let side = side("/work", "/home/ada", &[ObjectKeys]);
    let message =
        r#"{"/work/a.rs":1,"\/work\/\u0062":{"/home/ada":[]},"work":2,"/workshop":3,"":4}"#;
    let projected = side.project_text(message).unwrap();
    assert_eq!(
        projected,
        format!(
            r#"{{"{TOKEN}/a.rs":1,"{TOKEN}\/\u0062":{{"${{REPLAY_HOME}}":[]}},"work":2,"/workshop":3,"":4}}"#
        )
    );
    assert_eq!(
        side.resolve_text(&projected),
        message.replace(r"\/work\/", r"/work\/")
    );
}

/// Where something is no JSON, a string is met as a value before a colon shows that it is a key.
#[test]
fn a_string_that_is_met_as_a_value_and_as_a_key_is_rewritten_as_both() {
    let side = side("/work/app", "/home/ada", &[ObjectKeys, CwdSlug])
        .ruled(|rules| rules.free_text = FreeText::Mapped);
    for behind in [":", " \n:"] {
        let message = format!(r#""-work-app/ /work/app"{behind}"#);

        let recorded = side.project_text(&message).unwrap();

        assert_eq!(recorded, format!(r#""{SLUG}/ {TOKEN}"{behind}"#));
        assert_eq!(side.project_text(&recorded).unwrap(), recorded);
        assert_eq!(side.resolve_text(&recorded), message);
    }
    let value = side.project_text(r#""-work-app/ /work/app""#).unwrap();
    assert_eq!(value, format!(r#""-work-app/ {TOKEN}""#));
}

#[test]
fn a_key_that_is_rewritten_says_the_same_of_its_value() {
    let side = side("/work", "/home/ada", &[ObjectKeys])
        .ruled(|rules| rules.sensitive_fields = vec!["/work/pin".into()]);
    assert!(side.project_text(r#"{"/work/pin":"s"}"#).is_err());
}

#[test]
fn keys_that_are_uris_are_rewritten_where_both_are_declared() {
    let here = side("/work/a b", "/home/ada", &[ObjectKeys, FileUris]);
    let message = r#"{"changes":{"file:///work/a%20b/x":[],"file:///etc/y":[]}}"#;
    let projected = here.project_text(message).unwrap();
    assert_eq!(
        projected,
        format!(r#"{{"changes":{{"file://{TOKEN}/x":[],"file:///etc/y":[]}}}}"#)
    );
    assert_eq!(here.resolve_text(&projected), message);
}

#[test]
fn file_uris_are_known_however_they_are_encoded() {
    let here = side("/work/a b/é", "/home/ada", &[FileUris]);
    let there = side("/srv/100% ü", "/h", &[FileUris]);
    let portable = format!("file://{TOKEN}/x%20y");
    let canonical = "file:///work/a%20b/%C3%A9/x%20y";
    for uri in [
        canonical,
        "file:///work/a%20b/%c3%a9/x%20y",
        "file:///work/a b/é/x%20y",
        "file:///%77ork/%61%20b/%C3%A9/x%20y",
        r"file:\/\/\/work\/a%20b\/\u00e9/x%20y",
    ] {
        assert_eq!(
            travels(&here, &there, uri),
            [&portable, canonical, "file:///srv/100%25%20%C3%BC/x%20y"],
            "{uri}"
        );
    }
    let whole = travels(&here, &there, "file:///work/a%20b/%C3%A9");
    assert_eq!(whole[0], format!("file://{TOKEN}"));
}

#[test]
fn what_follows_the_directory_in_a_uri_need_not_be_well_encoded() {
    let here = side("/work", "/home/ada", &[FileUris]);
    for rest in [
        "/100%",
        "/100%.txt",
        "/%FF%fe",
        "/%zz",
        "/%+5",
        "/%2",
        "/%2Fx",
        "?q=1",
    ] {
        let uri = format!("file:///work{rest}");
        let message = format!(r#"{{"path":"{uri}"}}"#);
        let projected = here.project_text(&message);
        if rest == "?q=1" {
            assert_eq!(projected, Err(non_portable("$.path")));
            continue;
        }
        assert_eq!(
            projected,
            Ok(format!(r#"{{"path":"file://{TOKEN}{rest}"}}"#))
        );
        assert_eq!(here.resolve_text(&projected.unwrap()), message);
    }
    let sibling = r#"{"path":"file:///work%FF/x"}"#;
    assert_eq!(here.project_text(sibling), Err(non_portable("$.path")));
}

#[test]
fn a_separator_behind_the_directory_may_be_encoded() {
    let here = side("/work", "/home/ada", &[FileUris, ObjectKeys]);
    let there = side("C:\\w x", "/h", &[FileUris, ObjectKeys]);
    for rest in ["%2Fa", "%2fa", "%5Ca", "%5ca%2F", "%2F"] {
        assert_eq!(
            travels(&here, &there, &format!("file:///work{rest}")),
            [
                format!("file://{TOKEN}{rest}"),
                format!("file:///work{rest}"),
                format!("file:///C:/w%20x{rest}")
            ]
        );
        let message = format!(r#"{{"file:///work{rest}":1}}"#);
        let projected = here.project_text(&message).unwrap();
        assert_eq!(here.resolve_text(&projected), message);
    }
    for kept in ["%2E", "%", "%2", "x"] {
        let message = format!(r#"{{"path":"file://{TOKEN}{kept}"}}"#);
        assert_eq!(here.resolve_text(&message), message);
    }
}

#[test]
fn a_uri_of_the_root_of_the_file_system_is_its_path() {
    let top = side("/", "/home/ada", &[FileUris]);
    let there = side("/srv", "/h", &[FileUris]);
    for (uri, arrived) in [
        ("file:///work/x", "file:///srv/work/x"),
        ("file:///", "file:///srv"),
        ("file:////x", "file:///srv//x"),
    ] {
        let [_, back, there] = travels(&top, &there, uri);
        assert_eq!([back, there], [uri, arrived]);
    }
    assert_eq!(
        travels(&there, &top, "file:///srv/a")[2],
        "file:///a".to_owned()
    );
}

#[test]
fn a_uri_that_leaves_its_directory_is_refused() {
    let here = side("/work", "/home/ada", &[FileUris]);
    for uri in [
        "file:///work/../etc",
        "file:///work/%2e%2E/etc",
        "file:///work%2F..%2Fetc",
        "file:////work/a",
        "file:///WORK",
    ] {
        let message = format!(r#"{{"path":"{uri}"}}"#);
        assert_eq!(
            here.project_text(&message),
            Err(non_portable("$.path")),
            "{uri}"
        );
    }
}

#[test]
fn uris_of_windows_drives_go_both_ways() {
    let here = side(r"C:\w x", r"D:\h", &[FileUris, WindowsForms]);
    let there = side("/srv/w", "/h", &[FileUris]);
    let canonical = "file:///C:/w%20x/a";
    for uri in [canonical, "file:///c:/w%20x/a", "file:///c%3A/w%20x/a"] {
        assert_eq!(
            travels(&here, &there, uri),
            [&format!("file://{TOKEN}/a"), canonical, "file:///srv/w/a"]
        );
    }
    assert_eq!(travels(&there, &here, "file:///srv/w/a")[2], canonical);
}

#[test]
fn the_slug_of_the_working_directory_is_replaced_as_a_whole_segment() {
    let here = side("/work/my.app", "/home/ada", &[CwdSlug]);
    let there = side("/srv/b_c", "/opt/h", &[CwdSlug]);
    let home = "${REPLAY_HOME}/.claude/projects";
    assert_eq!(
        travels(&here, &there, "/home/ada/.claude/projects/-work-my-app/m/"),
        [
            format!("{home}/{SLUG}/m/"),
            "/home/ada/.claude/projects/-work-my-app/m/".into(),
            "/opt/h/.claude/projects/-srv-b-c/m/".into(),
        ]
    );
    for kept in ["-work-my-app2", "x-work-my-app", "-work-my", "-WORK-my-app"] {
        let path = format!("/home/ada/{kept}");
        assert_eq!(
            travels(&here, &there, &path)[0],
            format!("${{REPLAY_HOME}}/{kept}")
        );
    }
    assert_eq!(
        travels(&here, &there, "-work-my-app"),
        [SLUG, "-work-my-app", "-srv-b-c"].map(str::to_owned)
    );
}

#[test]
fn a_character_of_two_units_makes_two_dashes_of_a_slug() {
    let here = side("/work/\u{1f600}", "/home/ada", &[CwdSlug]);
    let there = side("/srv", "/opt/h", &[CwdSlug]);
    assert_eq!(
        travels(&here, &there, "/home/ada/-work---/m")[0],
        format!("${{REPLAY_HOME}}/{SLUG}/m")
    );
}

#[test]
fn a_slug_stands_for_every_directory_that_makes_it() {
    // Two projects whose slugs are equal cannot be told apart: what is of the
    // other one comes back here as it was, and elsewhere as this one's.
    let here = side("/work/my-app", "/home/ada", &[CwdSlug]);
    let there = side("/srv/b", "/opt/h", &[CwdSlug]);
    let of_other = "/home/ada/.claude/projects/-work-my-app/memory";
    assert_eq!(
        travels(&here, &there, of_other)[1..],
        [of_other, "/opt/h/.claude/projects/-srv-b/memory"]
    );
}

#[test]
fn slugs_come_back_where_the_token_holds_separators() {
    let here = side("/work", "/home/ada", &[CwdSlug]);
    let sources = cassette_format::portable::RootSources {
        cwd: Some("/work"),
        ..Default::default()
    };
    let token = "${SESSION_CWD:team/session:1}";
    let roots = cassette_format::portable::Roots::new(
        &here.descriptor,
        &sources,
        token,
        Default::default(),
    );
    let mut projection = cassette_format::portable::Projection::new(
        &here.descriptor,
        roots.clone(),
        Default::default(),
    );
    let message = br#"{"path":"/work/p/-work/-work"}"#;
    let projected = projection
        .message(cassette_format::portable::Direction::Inbound, message)
        .unwrap()
        .into_owned();
    let resolution = cassette_format::portable::Resolution::new(
        &here.descriptor,
        &roots,
        (token, ""),
        &Default::default(),
    );
    assert_eq!(
        String::from_utf8(projected.clone()).unwrap(),
        r#"{"path":"${SESSION_CWD:team/session:1}/p/${SESSION_CWD_SLUG:team/session:1}/${SESSION_CWD_SLUG:team/session:1}"}"#
    );
    assert_eq!(*resolution.message(&projected).bytes, *message);
}

#[test]
fn links_of_macos_are_known_whichever_way_a_path_is_said() {
    let there = side("/srv/w", "/h", &[PrivatePrefix]);
    for (cwd, other) in [
        ("/tmp/w", "/private/tmp/w"),
        ("/private/var/w", "/var/w"),
        ("/etc", "/private/etc"),
    ] {
        let here = side(cwd, "/Users/ada", &[PrivatePrefix]);
        for path in [cwd, other] {
            assert_eq!(
                travels(&here, &there, &format!("{path}/a")),
                [
                    format!("{TOKEN}/a"),
                    format!("{cwd}/a"),
                    "/srv/w/a".to_owned()
                ]
            );
        }
    }
    let here = side("/tmp/w", "/Users/ada", &[PrivatePrefix]);
    for path in [
        "/private/Users/ada",
        "/private/tmp",
        "/private/private/tmp/w",
        "/tmpw",
    ] {
        let message = format!(r#"{{"path":"{path}"}}"#);
        assert_eq!(
            here.project_text(&message),
            Err(non_portable("$.path")),
            "{path}"
        );
    }
}

#[test]
fn windows_forms_are_one_directory_where_they_are_declared() {
    let here = side(r"C:\Users\d", r"D:\h", &[WindowsForms]);
    let there = side("/srv/w", "/h", &[]);
    for path in [
        r"C:\\Users\\d\\x",
        r"c:\\Users\\d\\x",
        r"C:/Users/d\\x",
        r"\\\\?\\C:\\Users\\d\\x",
        r"C:\\Users\\.\\d\\x",
        r"c:\\Users\\e\\..\\d\\x",
    ] {
        assert_eq!(
            travels(&here, &there, path),
            [&format!(r"{TOKEN}\\x"), r"C:\\Users\\d\\x", r"/srv/w\\x"],
            "{path}"
        );
    }
    for path in [
        r"C:\\users\\d",
        r"E:\\Users\\d",
        r"C:\\Users\\d2",
        r"C:\\Users\\d\\..\\e",
        r"\\\\server\\C:\\Users\\d",
    ] {
        let message = format!(r#"{{"path":"{path}"}}"#);
        assert_eq!(
            here.project_text(&message),
            Err(non_portable("$.path")),
            "{path}"
        );
    }
    let exact = side(r"C:\Users\d", r"D:\h", &[]);
    assert_eq!(
        travels(&exact, &there, r"C:\\Users\\d\\x")[1],
        r"C:\\Users\\d\\x"
    );
    assert_eq!(
        exact.project_text(r#"{"path":"c:\\Users\\d"}"#),
        Err(non_portable("$.path"))
    );
}

#[test]
fn a_share_is_a_directory_like_any_other() {
    let here = side(r"\\server\share\me", "/h", &[]);
    let there = side("/srv/w", "/h", &[]);
    let path = r"\\\\server\\share\\me\\x";
    assert_eq!(
        travels(&here, &there, path),
        [&format!(r"{TOKEN}\\x"), path, r"/srv/w\\x"]
    );
}

#[test]
fn directories_of_another_side_are_put_in_as_json() {
    let here = side("/work", "/home/ada", &[]);
    let there = side("C:\\w\"\u{1}é", "/h", &[]);
    assert_eq!(
        travels(&here, &there, "/work/a"),
        [&format!("{TOKEN}/a"), "/work/a", r#"C:\\w\"\u0001é/a"#]
    );
    let top = side("/", "/h", &[]);
    assert_eq!(travels(&here, &top, "/work/a")[2], "/a");
    assert_eq!(travels(&here, &top, "/work")[2], "/");
}

#[test]
fn a_side_without_the_directory_keeps_the_token() {
    let here = Side::new("/work", &["/home/ada", "/home/bob"]);
    let there = Side::new("", &[]);
    let recorded = here
        .project_text(r#"{"paths":["/work","/home/ada","/home/bob"]}"#)
        .unwrap();
    assert_eq!(
        there.resolve_text(&recorded),
        format!(r#"{{"paths":["{TOKEN}","/fallback","${{REPLAY_HOME:2}}"]}}"#)
    );
}

#[test]
fn a_relative_directory_that_goes_up_is_only_what_it_says() {
    let here = side("../app", "/home/ada", &[]);
    let there = side("/srv/w", "/h", &[]);
    assert_eq!(
        travels(&here, &there, "../app/x"),
        [&format!("{TOKEN}/x"), "../app/x", "/srv/w/x"]
    );
    for kept in ["app/x", "../../app/x", "../app/../x", "x/../app"] {
        assert_eq!(travels(&here, &there, kept)[0], kept);
    }
}
