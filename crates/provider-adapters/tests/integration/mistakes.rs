//! What is said of a file that is wrong.

use std::path::Path;

use provider_adapters::{MAX_MISTAKES, parse_json, parse_toml, read_descriptor};

const LEAST: &str = "id = 'a'\ntarget = 'local:a'\nframing = 'lines'\ndialect = 'json-rpc'\n";

/// All mistakes of a text behind the least descriptor, one a line.
fn told(rest: &str) -> String {
    parse_toml(&format!("{LEAST}{rest}"))
        .unwrap_err()
        .to_string()
}

#[test]
fn six_mistakes_in_one_file_are_all_told_with_their_places() {
    let file = Path::new("tests/integration/files/six_mistakes.toml");
    insta::assert_snapshot!(read_descriptor(file).unwrap_err().to_string());
}

#[test]
fn the_same_mistakes_in_json_are_told_alike() {
    let file = Path::new("tests/integration/files/six_mistakes.json");
    insta::assert_snapshot!(read_descriptor(file).unwrap_err().to_string());
}

#[test]
fn each_mistake_is_told_in_its_own_words() {
    let texts = [
        "colour = 'red'",
        "path-field = ['a']",
        "path-fields = 'a'",
        "path-fields = ['a', 1, true, 1979-05-27, ['b'], '\\t', \"\"]",
        "account-read = 'account/read'",
        "account-read = { method = 'a' }",
        "account-read = { method = 'a', pointer = '/~2' }",
        "account-read = { method = 'a', pointer = '', pionter = '/a' }",
        "environment-of-start = true",
        "spellings = ['file-uri', 'file-uris']",
        "optional-probes = [{ method = 'a', result = '{}{}' }, { method = 'b', result = {} }]",
        "schema-version = 3",
        "projection-version = '1'",
        "session-home = '../.claude'",
        "transcripts = { kind = 'rollout', directories = ['/sessions'] }",
        "transcripts = { kind = 'rollouts', directories = ['a/b', 'a/../..', 'C:\\x', ''] }",
        "transcripts = { kind = 'project-files', directories = [], subdirectory = 'a' }",
        "transcripts = { directory = 'a' }",
        "generated-fields = [{}]",
        "optional-probes = [{ method = 'a', result = \"{\\n}\" }, { method = ' A ', result = '1' }]",
        "startup-metadata = [{ method = 'a', result = \"\\r1\" }, { method = 'b', result = '1' }]",
        "environment-of-start = 'excluded'",
        "identity-fields = { generated = ['turnId', 'b'], match-only = ['c', 'TurnID'] }",
        "transcripts = { kind = 'rollouts', directories = [] }",
        "id = 'b'\ncolour = 1\n[transcripts]\nkind = 'rollouts'\nkind = 'rollouts'",
        "path-fields = [",
        "spellings = file-uris\nsession-home = 'a\npipelining = ordered",
    ];
    let told: Vec<String> = texts
        .iter()
        .map(|text| format!("{text}\n{}\n", told(text)))
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_file_without_anything_is_told_what_it_needs() {
    insta::assert_snapshot!(parse_toml("# empty\n").unwrap_err().to_string(), @r"
    1:1: `id`: missing; expected a text
    1:1: `target`: missing; expected a text
    1:1: `framing`: missing; expected `lines`, `content-length` or `raw`
    1:1: `dialect`: missing; expected `json-rpc`, `typed-envelope`, `stream-json` or `opaque`
    ");
}

#[test]
fn a_blank_id_is_told() {
    let text = LEAST.replace("'a'", "\"\\t \"");
    assert_eq!(
        parse_toml(&text).unwrap_err().to_string(),
        "1:6: `id`: blank; expected a text"
    );
}

#[test]
fn names_with_control_characters_are_told() {
    for (field, name) in [
        ("id", "a\\u001b[2J"),
        ("target", "local:\\na"),
        ("id", "\\u009b"),
    ] {
        let text = LEAST
            .lines()
            .filter(|line| !line.starts_with(field))
            .collect::<Vec<_>>()
            .join("\n");
        let told = parse_toml(&format!("{text}\n{field} = \"{name}\"\n"));
        let told = told.unwrap_err().to_string();
        assert!(
            told.ends_with(&format!("`{field}`: holds a control character")),
            "{told}"
        );
    }
}

#[test]
fn a_result_of_several_lines_is_one_where_lines_are_no_messages() {
    for framing in ["content-length", "raw"] {
        let text = LEAST.replace("'lines'", &format!("'{framing}'"));
        let probes = "optional-probes = [{ method = 'a', result = \"{\\n}\" }]";
        assert!(parse_toml(&format!("{text}{probes}")).is_ok(), "{framing}");
    }
}

#[test]
fn of_many_mistakes_the_first_are_told_and_how_many_there_are() {
    let more: String = (0..250).map(|at| format!("key{at} = 1\n")).collect();
    let told = told(&more);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), MAX_MISTAKES + 1);
    assert_eq!(lines[0], "5:1: `key0`: no such field");
    assert_eq!(lines[99], "104:1: `key99`: no such field");
    assert_eq!(lines[100], "and 150 more");
}

#[test]
fn a_misspelt_field_is_not_also_missing() {
    let text = LEAST.replace("framing", "framming");
    assert_eq!(
        parse_toml(&text).unwrap_err().to_string(),
        "3:1: `framming`: no such field; did you mean `framing`?"
    );
}

#[test]
fn json_that_is_none_is_told_where_it_ceases_to_be() {
    let told = |text: &str| parse_json(text).unwrap_err().to_string();
    insta::assert_snapshot!(
        [
            told(""),
            told("{\"id\": 'a'}"),
            told("{}\n{}"),
            told("[]"),
            told("{\"id\":\"a\",\n \"id\":\"b\",\"target\":\"t\",\"framing\":\"raw\",\"dialect\":\"opaque\"}"),
            told("\u{feff}{}"),
        ]
        .join("\n"),
        @r"
    1:1: not json: expected a value, found the end
    1:8: not json: expected a value, found a symbol
    2:1: not json: expected the end, found another value
    1:1: expected a table, found a list
    2:2: `id`: given twice
    1:1: not json: expected a value, found a byte order mark
    "
    );
}

#[test]
fn long_and_odd_texts_are_shown_short_on_one_line() {
    let told = told(&format!(
        "framing2 = \"\"\n\"a\\nb{}\" = 1",
        "x".repeat(500)
    ));
    assert!(told.lines().all(|line| line.len() < 200), "{told}");
    assert_eq!(told.lines().count(), 2, "{told}");
}
