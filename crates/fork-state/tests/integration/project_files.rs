//! Layouts with one file a session in a directory of its project.

use fork_state::{Action, Outcome};

use crate::rollout::project_file;
use crate::scratch::Scratch;

/// A fork of Claude Code that works in `/srv/Ünï.dir_x`.
fn scratch() -> Scratch {
    let mut scratch = Scratch::of("claude-code", "claude-home");
    scratch.request.target_cwd = Some("/srv/Ünï.dir_x".into());
    scratch
}

const PLACE: &str = "projects/-srv--n--dir-x/t2.jsonl";

#[test]
fn a_session_is_brought_under_the_slug_of_the_targets_directory() {
    let scratch = scratch();
    let file = project_file("t2", 3);
    scratch.put_source("projects/-srv-other/t2.jsonl", &file);
    scratch.put_source("projects/-srv-other/t3.jsonl", project_file("t3", 1));
    scratch.put_source("settings.json", "{}");
    let binding = scratch.bound();
    assert_eq!(binding.outcome, Outcome::Copied);
    assert_eq!(binding.files[0].target, std::path::Path::new(PLACE));
    assert_eq!(binding.left_out, ["settings.json"]);
    assert_eq!(scratch.target_bytes(PLACE), file);
    assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
}

#[test]
fn a_session_that_the_target_has_under_another_slug_stays_there() {
    let scratch = scratch();
    let file = project_file("t2", 3);
    scratch.put_source(PLACE, &file);
    scratch.put_target("projects/-old/t2.jsonl", project_file("t2", 1));
    let binding = scratch.bound();
    assert_eq!(binding.files[0].action, Action::Replaced);
    assert_eq!(scratch.target_bytes("projects/-old/t2.jsonl"), file);
    assert!(!scratch.target().join(PLACE).exists());
}

#[test]
fn records_without_a_session_are_taken() {
    let scratch = scratch();
    let file = [
        b"{\"type\":\"queue-operation\"}\n".to_vec(),
        project_file("t2", 2),
    ]
    .concat();
    scratch.put_source(PLACE, &file);
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn a_record_of_another_session_is_damage() {
    let scratch = scratch();
    let own = project_file("t2", 2);
    scratch.put_source(PLACE, [own.clone(), project_file("t3", 1)].concat());
    let told = format!(
        "one/claude-home/{PLACE} is damaged: record 3, byte {}: a record of another session",
        own.len()
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_file_that_is_named_after_the_session_and_holds_another_one_is_refused() {
    let scratch = scratch();
    scratch.put_source(PLACE, project_file("t3", 1));
    let told = format!(
        "one/claude-home/{PLACE} is damaged: record 1, byte 0: a record of another session"
    );
    assert_eq!(scratch.refused(), told);
}

#[test]
fn a_session_in_two_projects_is_refused() {
    let scratch = scratch();
    scratch.put_source("projects/-a/t2.jsonl", project_file("t2", 1));
    scratch.put_source("projects/-b/t2.jsonl", project_file("t2", 1));
    let told = "session `t2` has two transcripts, one/claude-home/projects/-a/t2.jsonl and \
        one/claude-home/projects/-b/t2.jsonl";
    assert_eq!(scratch.refused(), told);
}

#[test]
fn names_that_are_no_names_of_files_are_refused() {
    for hostile in [
        "..",
        ".",
        "../t2",
        "/t2",
        "a\\t2",
        "a\0",
        &"x".repeat(201),
        &"x".repeat(4096),
    ] {
        let mut scratch = scratch();
        scratch.put_source(PLACE, project_file("t2", 1));
        scratch.request.target_provider_session = hostile.parse().unwrap();
        let told = "target provider session cannot name a file";
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn the_targets_directory_must_be_given_and_absolute() {
    for cwd in [None, Some(""), Some("srv")] {
        let mut scratch = scratch();
        scratch.put_source(PLACE, project_file("t2", 1));
        scratch.request.target_cwd = cwd.map(Into::into);
        let told = "the target's working directory must be given, as an absolute path";
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn a_hostile_directory_is_a_slug_like_any() {
    for (cwd, slug) in [("/../../etc", "-------etc"), ("/a\0b", "-a-b"), ("/", "-")] {
        let mut scratch = scratch();
        scratch.request.target_cwd = Some(cwd.into());
        scratch.put_source("projects/-srv/t2.jsonl", project_file("t2", 1));
        let binding = scratch.bound();
        let place = format!("projects/{slug}/t2.jsonl");
        assert_eq!(binding.files[0].target, std::path::Path::new(&place));
    }
}

#[test]
fn a_directory_whose_slug_is_too_long_is_refused() {
    let mut scratch = scratch();
    scratch.request.target_cwd = Some(format!("/{}", "x".repeat(300)).into());
    scratch.put_source("projects/-srv/t2.jsonl", project_file("t2", 1));
    let slug = format!("projects/-{}", "x".repeat(300));
    scratch.put_target("settings.json", "{}");
    let told = scratch.refused();
    assert!(told.starts_with(&format!("`{slug}` cannot name")), "{told}");
}

#[test]
fn files_in_a_directory_below_that_of_the_project_are_found_and_brought() {
    let mut scratch = Scratch::of("chats", ".qwen");
    scratch.request.target_cwd = Some("/srv/app".into());
    let file = project_file("t2", 3);
    scratch.put_source("projects/-old/chats/t2.jsonl", &file);
    // Neither is where the layout has its files.
    scratch.put_source("projects/-old/t2.jsonl", "");
    scratch.put_source("projects/-new/t2.jsonl", "");
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
    assert_eq!(
        scratch.target_bytes("projects/-srv-app/chats/t2.jsonl"),
        file
    );
}
