//! `cassette verify`.

use crate::cassettes::{cassette, change, named, told};

#[test]
fn a_sound_cassette_is_ok() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let output = told(&cassette(scratch.path(), &["verify", "a"], b""));
    assert_eq!(output, (Some(0), "a: ok\n".to_owned(), String::new()));
}

#[test]
fn each_cassette_has_its_verdict_and_the_worst_is_the_exit_code() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let frames = named(scratch.path(), "b").join("frames.jsonl");
    change(&frames, "\"globalSeq\":3", "\"globalSeq\":7");
    let manifest = named(scratch.path(), "c").join("manifest.json");
    change(&manifest, "complete", "incomplete");
    let arguments = ["verify", "c", "a", "b"];
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, stderr), (Some(1), String::new()));
    let lines: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "c: failed",
            "  c/manifest.json has status `incomplete`, only `complete` is played",
            "  its first 4 chunks (479 bytes) can be read",
            "  hint: `cassette recover FROM TO` makes a complete cassette of what is there",
            "a: ok",
        ]
    );
    assert_eq!(lines[5], "b: failed");
    assert!(
        lines[6].starts_with("  b/frames.jsonl has digest "),
        "{stdout}"
    );
    assert_eq!(lines[7], "  its first 2 chunks (252 bytes) can be read");
    let changed = "  hint: the frames were changed after they were recorded";
    assert!(lines[8].starts_with(changed), "{stdout}");
    let arguments = ["verify", "nowhere", "b", "a"];
    let (code, stdout, _) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(code, Some(2));
    let missing = "nowhere: unreadable\n  nowhere/manifest.json does not exist\n  \
        hint: a cassette is a directory that holds manifest.json and frames.jsonl; \
        `cassette record -o DIR -- CMD` makes one\nb: failed\n";
    assert!(stdout.starts_with(missing), "{stdout}");
}

#[test]
fn the_json_form_is_one_versioned_object() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let manifest = named(scratch.path(), "b").join("manifest.json");
    change(&manifest, "complete", "incomplete");
    let arguments = ["verify", "--json", "a", "b"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let expected = concat!(
        r#"{"schema":1,"command":"verify","cassettes":["#,
        r#"{"cassette":"a","verdict":"ok","problems":[]},"#,
        r#"{"cassette":"b","verdict":"failed","problems":["#,
        r#""b/manifest.json has status `incomplete`, only `complete` is played"],"#,
        r#""note":"its first 4 chunks (479 bytes) can be read","#,
        r#""hint":"`cassette recover FROM TO` makes a complete cassette of what is there"}]}"#,
        "\n"
    );
    assert_eq!(output, (Some(1), expected.to_owned(), String::new()));
}

#[test]
fn what_loads_and_would_fail_when_played_is_found() {
    let scratch = tempfile::tempdir().unwrap();
    let manifest = named(scratch.path(), "a").join("manifest.json");
    change(&manifest, "\"storedBytes\": 100", "\"storedBytes\": 99");
    let output = told(&cassette(scratch.path(), &["verify", "a"], b""));
    let found = "a: failed\n  storedBytes of \"exit\" is 99, the lines add up to 100\n";
    assert_eq!(output, (Some(1), found.to_owned(), String::new()));
}

#[test]
fn without_a_directory_the_usage_is_told() {
    let scratch = tempfile::tempdir().unwrap();
    let (code, stdout, stderr) = told(&cassette(scratch.path(), &["verify"], b""));
    assert_eq!((code, stdout), (Some(2), String::new()));
    assert!(stderr.contains("Usage: cassette verify"), "{stderr}");
}

#[test]
fn what_was_edited_by_hand_is_taken_as_it_is_where_the_hint_says() {
    let scratch = tempfile::tempdir().unwrap();
    let frames = named(scratch.path(), "a").join("frames.jsonl");
    change(&frames, "\"stderr\"", "\"stdout\"");
    let (code, stdout, _) = told(&cassette(scratch.path(), &["verify", "a"], b""));
    assert_eq!(code, Some(1));
    let hint = "or take them as they are now: `cassette recover FROM TO --mode tail`\n";
    assert!(stdout.ends_with(hint), "{stdout}");
    let arguments = ["recover", "a", "b", "--mode", "tail"];
    assert_eq!(
        cassette(scratch.path(), &arguments, b"").status.code(),
        Some(0)
    );
    let output = told(&cassette(scratch.path(), &["verify", "b"], b""));
    assert_eq!(output, (Some(0), "b: ok\n".to_owned(), String::new()));
}

#[test]
fn of_a_directory_of_cassettes_those_are_hinted_at() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    for command in ["verify", "audit"] {
        let (code, stdout, _) = told(&cassette(scratch.path(), &[command, "."], b""));
        assert_eq!(code, Some(2));
        let hint = "  hint: the directories in it are cassettes: give DIR/*\n";
        assert!(stdout.ends_with(hint), "{stdout}");
    }
}
