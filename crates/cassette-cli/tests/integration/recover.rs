//! `cassette recover`.

use std::fs;

use crate::cassettes::{cassette, change, conversation, named, told};

#[test]
fn recover_makes_a_complete_cassette_of_an_incomplete_one() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = named(scratch.path(), "a");
    change(&dir.join("manifest.json"), "complete", "incomplete");
    let output = told(&cassette(scratch.path(), &["recover", "a", "b"], b""));
    let said = "recovered to b: 4 frames\n";
    assert_eq!(output, (Some(0), said.to_owned(), String::new()));
    assert_eq!(conversation(&scratch.path().join("b")).len(), 4);
}

#[test]
fn a_torn_tape_is_refused_with_a_hint_and_its_beginning_is_taken_on_request() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = named(scratch.path(), "a");
    change(&dir.join("manifest.json"), "complete", "incomplete");
    let frames = fs::read(dir.join("frames.jsonl")).unwrap();
    fs::write(dir.join("frames.jsonl"), &frames[..frames.len() - 9]).unwrap();
    let output = told(&cassette(scratch.path(), &["recover", "a", "b"], b""));
    let error = "cassette: 91 bytes from byte 379 on are not sound: the last line is torn\n\
        hint: --mode tail takes what is before them, --mode salvage all that can be read\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    assert!(!scratch.path().join("b").exists());
    let arguments = ["recover", "--mode", "tail", "--json", "a", "b"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let expected = concat!(
        r#"{"schema":1,"command":"recover","from":"a","to":"b","mode":"tail","keptFrames":3,"#,
        r#""dropped":[{"offset":379,"bytes":91,"reason":"the last line is torn"}]}"#,
        "\n"
    );
    assert_eq!(output, (Some(0), expected.to_owned(), String::new()));
    assert_eq!(conversation(&scratch.path().join("b")).len(), 3);
}

#[test]
fn recover_leaves_a_cassette_that_is_there_untouched() {
    let scratch = tempfile::tempdir().unwrap();
    named(scratch.path(), "a");
    let before = conversation(&named(scratch.path(), "b"));
    let output = told(&cassette(scratch.path(), &["recover", "a", "b"], b""));
    let error = "cassette: cannot write the recovered cassette: cannot begin a cassette: \
        b already holds a cassette\nhint: give another directory for the new cassette\n";
    assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    assert_eq!(conversation(&scratch.path().join("b")), before);
}
