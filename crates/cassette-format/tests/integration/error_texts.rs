//! What a person reads when a cassette is refused: every error, provoked from
//! real files, with its chain of sources.

use std::fs;

use cassette_format::schema::{ConnectionId, FramesDigest};
use cassette_format::store::{CassetteDir, ReadOptions, replace_manifest};
use insta::assert_snapshot;

use crate::tape_files::{Draft, OnDisk, chain};
use crate::violations::{Broken, IN_ORDER, Violation, plant};

fn text_of(violation: Violation) -> String {
    let Broken { disk, options, .. } = plant(Draft::conversation(), &[violation]);
    let error = disk.open_with(&options).unwrap_err();
    format!("{violation:?}: {}", chain(&error, disk.dir()))
}

#[test]
fn each_violation_says_where_it_is_and_both_values() {
    let texts: Vec<String> = IN_ORDER.into_iter().map(text_of).collect();
    assert_snapshot!(texts.join("\n"));
}

#[test]
fn no_error_ends_its_sentence_or_begins_in_upper_case() {
    for violation in IN_ORDER {
        let text = text_of(violation);
        let (_, text) = text.split_once(": ").unwrap();
        assert!(
            !text
                .lines()
                .any(|line| line.trim_start().starts_with(char::is_uppercase)),
            "{text}"
        );
        assert!(!text.lines().any(|line| line.ends_with('.')), "{text}");
    }
}

#[test]
fn what_stands_in_place_of_a_file_is_named() {
    let disk = Draft::conversation().on_disk();
    fs::remove_file(disk.manifest()).unwrap();
    fs::create_dir(disk.manifest()).unwrap();
    let directory = chain(&disk.refusal(), disk.dir());
    let inside_a_file = OnDisk::of("", "");
    let nested = inside_a_file.manifest();
    let error = cassette_format::store::Tape::open(&nested, &ReadOptions::default()).unwrap_err();
    let file = chain(&error, inside_a_file.dir());
    assert_snapshot!(format!("{directory}\n{file}"));
}

#[test]
fn texts_of_a_cassette_can_neither_break_lines_nor_fill_the_screen() {
    let mut draft = Draft::conversation();
    let nasty = format!("\u{1b}[2J\n`\u{202e}{}", "x".repeat(1000));
    draft.lines[8].rewrite(|chunk| chunk.connection_id = ConnectionId::from_recorded(&*nasty));
    draft.seal();
    let disk = draft.on_disk();
    let unlisted = chain(&disk.refusal(), disk.dir());
    draft.manifest.frames_sha256 = FramesDigest::from_recorded(nasty);
    let disk = draft.on_disk();
    let digest = chain(&disk.refusal(), disk.dir());
    assert_snapshot!(format!("{unlisted}\n{digest}"));
}

#[test]
fn no_error_of_a_line_shows_what_the_line_says() {
    let secret = "c2VjcmV0";
    for broken in [
        format!("{{\"data\":\"{secret}\" \"kind\":1}}"),
        format!("{{\"data\":\"{secret}\",\"kind\":[\"{secret}\"]}}"),
        format!("{{\"data\":\"{secret}\",\"data\":\"{secret}\"}}"),
        format!("{{\"data\":\"{secret}\",\"Message\":\"{secret}\"}}"),
        format!("{{\"globalSeq\":\"{secret}\"}}"),
        format!("{{\"data\":{{\"{secret}\":\"{secret}\"}}}}"),
        format!("{{}} {secret}"),
        format!("{{\"data\":\"{secret}"),
        secret.to_owned(),
    ] {
        let mut draft = Draft::conversation();
        draft.lines[3].text = broken.into();
        draft.seal();
        let error = draft.on_disk().refusal();
        assert!(
            !format!("{error:?} {}", chain(&error, "/nowhere".as_ref())).contains(secret),
            "{error:?}"
        );
    }
}

#[test]
fn failures_of_writing_name_what_was_tried_and_where() {
    let gone = OnDisk::empty();
    let missing = CassetteDir::new(gone.dir().join("not/there"));
    let manifest = Draft::conversation().manifest;
    let replace = replace_manifest(&missing, &manifest).unwrap_err();
    let replace = chain(&replace, gone.dir());
    // The name of a temporary file has the numbers of process and replacement.
    let (before, after) = replace.split_once(".manifest.json.").unwrap();
    let (_, after) = after.split_once(".tmp").unwrap();
    let replace = format!("{before}.manifest.json.<numbers>.tmp{after}");
    let occupied = Draft::conversation().on_disk();
    let create = CassetteDir::new(occupied.dir())
        .create_frames()
        .unwrap_err();
    let create = chain(&create, occupied.dir());
    let below_a_file = CassetteDir::new(occupied.manifest().join("below")).create_frames();
    let below_a_file = chain(&below_a_file.unwrap_err(), occupied.dir());
    let blank = CassetteDir::new(" \t").create_frames().unwrap_err();
    assert_snapshot!(format!("{replace}\n{create}\n{below_a_file}\n{blank}"));
}
