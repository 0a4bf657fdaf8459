//! `cassette fork`.

use std::fs;
use std::process::{Command, Stdio};

use crate::cassettes::{cassette, told};
use crate::homes::{BIND, FORK, PARENT, files, rollouts, source, source_and_beginnings};

#[test]
fn a_plan_tells_what_a_binding_does_and_writes_nothing() {
    let scratch = source();
    let mut plan = BIND;
    plan[1] = "plan";
    let output = told(&cassette(scratch.path(), &plan, b""));
    let [(_, parent), (_, fork)] = rollouts();
    let (parent, fork) = (parent.len(), fork.len());
    let planned = format!(
        "the transcript would be brought\n  would copy {PARENT} ({parent} bytes)\n  \
         would copy {FORK} ({fork} bytes)\n  would leave out: auth.json\n"
    );
    assert_eq!(output, (Some(0), planned, String::new()));
    assert!(!scratch.path().join("two").exists());

    let said = format!(
        "copied: the transcript is brought\n  copied {PARENT} ({parent} bytes)\n  \
         copied {FORK} ({fork} bytes)\n  left out: auth.json\n"
    );
    let output = told(&cassette(scratch.path(), &BIND, b""));
    assert_eq!(output, (Some(0), said, String::new()));
    for (path, bytes) in rollouts() {
        assert_eq!(
            fs::read(scratch.path().join("two").join(path)).unwrap(),
            bytes
        );
    }
    let (code, said, _) = told(&cassette(scratch.path(), &BIND, b""));
    assert_eq!(code, Some(0));
    assert!(said.starts_with("already-bound: the target has exactly this transcript\n"));
}

#[test]
fn a_binding_is_one_object_in_json() {
    let scratch = source_and_beginnings();
    let arguments = [&BIND[..], &["--json"]].concat();
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let [(_, parent), (_, fork)] = rollouts();
    let file = |session: &str, path: &str, bytes: &[u8], sha256: &str| {
        format!(
            r#"{{"session":"{session}","action":"replaced","source":"{path}","target":"{path}","bytes":{},"sha256":"{sha256}"}}"#,
            bytes.len()
        )
    };
    let said = format!(
        "{{\"schema\":1,\"command\":\"fork bind\",\"outcome\":\"repaired\",\"files\":[{},{}],\
         \"leftOut\":[\"auth.json\"]}}\n",
        file("t1", PARENT, &parent, "PARENT"),
        file("t2", FORK, &fork, "FORK"),
    );
    let digests: Vec<&str> = output
        .1
        .split("\"sha256\":\"")
        .skip(1)
        .map(|it| &it[..64])
        .collect();
    let [parent, fork] = digests[..] else {
        panic!("{output:?}");
    };
    assert_ne!(parent, fork);
    let said = said.replace("\"PARENT\"", &format!("\"{parent}\""));
    let said = said.replace("\"FORK\"", &format!("\"{fork}\""));
    assert_eq!(output, (Some(0), said, String::new()));
}

#[test]
fn a_refused_binding_ends_with_2_and_says_why() {
    let scratch = source();
    let missing = ["fork", "bind", "--thread", "t9", "--source-thread", "t1"];
    let arguments = [&missing[..], &BIND[6..]].concat();
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let home = "no transcript of session `t9` below one";
    assert_eq!(
        output,
        (Some(2), String::new(), format!("cassette: {home}\n"))
    );
}

#[test]
fn a_refusal_that_can_be_mended_comes_with_a_hint() {
    let scratch = source();
    let file = scratch.path().join("one").join(FORK);
    let torn = [&fs::read(&file).unwrap()[..], b"{\"torn"].concat();
    fs::write(&file, torn).unwrap();
    let (code, _, error) = told(&cassette(scratch.path(), &BIND, b""));
    let damage = format!("record 3, byte {}: the file ends inside its last record", {
        rollouts()[1].1.len()
    });
    let expected = format!(
        "cassette: one/{FORK} is damaged: {damage}\n\
         hint: `cassette fork inspect FILE` tells all of the damage\n"
    );
    let error = error.replace(&format!("{}/", scratch.path().display()), "");
    assert_eq!((code, error), (Some(2), expected));
    let arguments = [&BIND[..], &["--provider", "claude-code"]].concat();
    let (code, _, error) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(code, Some(2));
    let hint = "hint: --cwd DIR names the directory that the fork works in\n";
    assert!(error.ends_with(hint), "{error}");
}

#[test]
fn homes_are_given_by_their_paths_or_by_a_state_directory() {
    let scratch = source();
    let runs = scratch.path().join("state/agent/runs");
    fs::create_dir_all(runs.join("s1")).unwrap();
    fs::rename(scratch.path().join("one"), runs.join("s1/codex-home")).unwrap();
    let arguments = [
        &BIND[..6],
        &["--state", "state", "--source", "s1", "--target", "s2"],
    ];
    let (code, _, error) = told(&cassette(scratch.path(), &arguments.concat(), b""));
    assert_eq!((code, error), (Some(0), String::new()));
    for (path, bytes) in rollouts() {
        assert_eq!(
            fs::read(runs.join("s2/codex-home").join(path)).unwrap(),
            bytes
        );
    }
    let (code, _, error) = told(&cassette(scratch.path(), &BIND[..6], b""));
    assert_eq!(code, Some(2));
    assert!(error.contains("--source-home"), "{error}");
}

#[test]
fn inspecting_tells_damage_by_its_place_and_ends_with_1() {
    let scratch = source_and_beginnings();
    let (good, bad) = (format!("one/{FORK}"), format!("two/{PARENT}"));
    let output = told(&cassette(scratch.path(), &["fork", "inspect", &good], b""));
    let [(_, parent), (_, fork)] = rollouts();
    let said = format!(
        "{good}: ok\n  2 records, {} bytes, session t2\n  goes on from byte {} of t1\n",
        fork.len(),
        parent.len()
    );
    assert_eq!(output, (Some(0), said.clone(), String::new()));
    let output = told(&cassette(
        scratch.path(),
        &["fork", "inspect", &good, &bad],
        b"",
    ));
    let at = parent.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let said = format!(
        "{said}{bad}: damaged\n  2 records, {} bytes, session t1\n  \
         damaged: record 2, byte {at}: the file ends inside its last record\n",
        parent.len() - 9
    );
    assert_eq!(output, (Some(1), said, String::new()));
    let output = told(&cassette(
        scratch.path(),
        &["fork", "inspect", "nowhere"],
        b"",
    ));
    assert_eq!(output.0, Some(2));
}

#[test]
fn of_many_processes_that_bind_the_same_one_copies() {
    let scratch = source();
    let children: Vec<_> = (0..16)
        .map(|_| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_cassette"));
            command.args(BIND).current_dir(scratch.path());
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let outputs = children
        .into_iter()
        .map(|child| told(&child.wait_with_output().unwrap()));
    let mut said: Vec<String> = outputs
        .map(|(code, said, error)| {
            assert_eq!((code, error), (Some(0), String::new()));
            said.split(':').next().unwrap().to_owned()
        })
        .collect();
    said.sort();
    let mut expected = vec!["already-bound"; 15];
    expected.push("copied");
    assert_eq!(said, expected);
    assert_eq!(files(&scratch.path().join("two")).len(), 2);
}

#[test]
fn the_session_that_was_forked_need_not_be_named() {
    let scratch = source();
    let arguments = [&BIND[..4], &BIND[6..]].concat();
    let (code, said, error) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!((code, error), (Some(0), String::new()));
    assert!(said.starts_with("copied: "), "{said}");
}

#[test]
fn a_provider_without_known_transcripts_is_refused_with_a_hint() {
    let scratch = source();
    let error = "cassette: nothing is known of the transcripts of `mcp`\n\
        hint: `cassette providers` lists the kinds of agent, and `cassette providers show ID` \
        has `transcripts` of those that are known\n";
    let bind = [&BIND[..], &["--provider", "mcp"]].concat();
    let inspect = ["fork", "inspect", "--provider", "mcp", "x"];
    for arguments in [&bind[..], &inspect[..]] {
        let output = told(&cassette(scratch.path(), arguments, b""));
        assert_eq!(output, (Some(2), String::new(), error.to_owned()));
    }
}

#[test]
fn a_directory_that_a_provider_needs_is_asked_for_by_its_option() {
    let scratch = source();
    let arguments = [&BIND[..], &["--provider", "claude-code"]].concat();
    let (code, _, error) = told(&cassette(scratch.path(), &arguments, b""));
    assert_eq!(code, Some(2));
    let hint = "hint: --cwd DIR names the directory that the fork works in\n";
    assert!(error.ends_with(hint), "{error}");
}

#[test]
fn a_file_that_names_no_session_is_none_to_bind() {
    let scratch = tempfile::tempdir().unwrap();
    fs::write(scratch.path().join("x.jsonl"), "{\"type\":\"summary\"}\n").unwrap();
    let arguments = ["fork", "inspect", "--provider", "claude-code", "x.jsonl"];
    let output = told(&cassette(scratch.path(), &arguments, b""));
    let said = "x.jsonl: no-session\n  1 records, 19 bytes, no session\n";
    assert_eq!(output, (Some(1), said.to_owned(), String::new()));
}
