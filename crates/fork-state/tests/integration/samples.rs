//! Homes of real agents. Reads the folder that `CASSETTE_SAMPLES` names, else
//! `../shared/samples` beside the workspace; without it nothing is tested, and that is
//! said.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cassette_format::schema::AgentSessionId;
use fork_state::{Action, Binder, Binding, ForkRequest, GivenHomes, Outcome};
use serde_json::Value;

use crate::scratch::providers;
use crate::tree::{files, tree};

fn homes() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    let samples = std::env::var_os("CASSETTE_SAMPLES").map_or(beside, PathBuf::from);
    let homes = samples.join("homes");
    if homes.is_dir() {
        return Some(homes);
    }
    eprintln!("skipped: no homes below {}", samples.display());
    None
}

/// Every home of a sample, with the provider it is one of and its transcripts.
fn samples() -> Vec<(&'static str, PathBuf, Vec<PathBuf>)> {
    let mut samples = Vec::new();
    for entry in homes()
        .iter()
        .flat_map(|homes| fs::read_dir(homes).unwrap())
    {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let (provider, home) = match name.split('-').next().unwrap() {
            "codex" => ("codex", path),
            "claude" => ("claude-code", path.join(".claude")),
            "qwen" => ("chats", path),
            other => panic!("no provider `{other}`"),
        };
        let is_transcript = |path: &&PathBuf| path.extension().is_some_and(|it| it == "jsonl");
        let found = files(&home);
        let transcripts = found.keys().filter(is_transcript).cloned().collect();
        samples.push((provider, home, transcripts));
    }
    samples
}

/// The session that a transcript is named after.
fn session(path: &Path) -> &str {
    let name = path.file_stem().unwrap().to_str().unwrap();
    &name[name.len() - 36..]
}

fn bind((provider, home): (&str, &Path), session: &str, target: &Path) -> Binding {
    let id = AgentSessionId::from_recorded;
    let homes = [(id("one"), home.to_owned()), (id("two"), target.to_owned())];
    let (store, providers) = (GivenHomes::new(homes), providers());
    let request = ForkRequest {
        provider: provider.parse().unwrap(),
        workspace: "app".into(),
        source_session: id("one"),
        target_session: id("two"),
        source_provider_session: "another".parse().unwrap(),
        target_provider_session: session.parse().unwrap(),
        target_cwd: Some("/srv/agents/work/fresh".into()),
    };
    Binder::new(&store, &providers).bind(&request).unwrap()
}

#[test]
fn every_session_of_every_home_binds_into_a_fresh_one() {
    for (provider, home, transcripts) in samples() {
        let before = tree(&home);
        for path in &transcripts {
            let scratch = tempfile::tempdir().unwrap();
            let session = session(path);
            let binding = bind((provider, &home), session, scratch.path());
            assert_eq!(binding.outcome, Outcome::Copied, "{}", path.display());
            let expected = lineage(&home, path, &transcripts);
            let brought: Vec<_> = binding
                .files
                .iter()
                .filter_map(|it| it.source.clone())
                .collect();
            assert_eq!(brought, expected);
            for file in &binding.files {
                assert_eq!(file.action, Action::Copied);
                let source = fs::read(home.join(file.source.as_ref().unwrap())).unwrap();
                assert_eq!(fs::read(scratch.path().join(&file.target)).unwrap(), source);
            }
            assert_eq!(files(scratch.path()).len(), expected.len());
            check_chain(scratch.path(), &binding);
            let again = bind((provider, &home), session, scratch.path());
            assert_eq!(again.outcome, Outcome::AlreadyBound);
        }
        assert_eq!(tree(&home), before);
    }
}

/// The transcripts that this one goes on from, the eldest first, and itself; found by
/// reading them.
fn lineage(home: &Path, path: &Path, all: &[PathBuf]) -> Vec<PathBuf> {
    let mut lineage = vec![path.to_owned()];
    let mut base = head(&home.join(path))["payload"]["history_base"].clone();
    while let Some(parent) = base["thread_id"].as_str() {
        let parent = all.iter().find(|path| session(path) == parent).unwrap();
        lineage.push(parent.clone());
        base = head(&home.join(parent))["payload"]["history_base"].clone();
    }
    lineage.reverse();
    lineage
}

fn head(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

/// Each reference holds in the new home: so many bytes of the parent end with the record
/// before the one that is named.
fn check_chain(home: &Path, binding: &Binding) {
    let places: BTreeMap<&str, &Path> = binding
        .files
        .iter()
        .map(|file| (file.session.as_str(), file.target.as_path()))
        .collect();
    for place in places.values() {
        let base = &head(&home.join(place))["payload"]["history_base"];
        let Some(parent) = base["thread_id"].as_str() else {
            continue;
        };
        let parent = fs::read_to_string(home.join(places[parent])).unwrap();
        let offset = usize::try_from(base["end_byte_offset"].as_u64().unwrap()).unwrap();
        let (history, _) = parent.split_at(offset);
        assert!(history.ends_with('\n'));
        let last: Value = serde_json::from_str(history.lines().last().unwrap()).unwrap();
        let next = base["end_ordinal_exclusive"].as_u64().unwrap();
        assert_eq!(last["ordinal"].as_u64().unwrap() + 1, next);
    }
}

#[test]
fn a_paginated_fork_has_a_parent_and_a_legacy_one_has_not() {
    let mut counts = BTreeMap::new();
    for (provider, home, transcripts) in samples() {
        for path in &transcripts {
            let length = lineage(&home, path, &transcripts).len();
            *counts.entry((provider, length)).or_insert(0) += 1;
        }
    }
    if !counts.is_empty() {
        let expected = [
            (("chats", 1), 1),
            (("claude-code", 1), 3),
            (("codex", 1), 7),
            (("codex", 2), 2),
        ];
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected);
    }
}
