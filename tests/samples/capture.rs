//! A capture: who was run, where, and what passed.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) provider: &'static str,
    pub(crate) cwd: String,
    pub(crate) variables: Vec<(String, String)>,
    /// What was written and read, in order.
    pub(crate) pieces: Vec<(Stream, Vec<u8>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stream {
    Outbound,
    Stdout,
    Stderr,
}

/// All captures, sorted by name; `None`, and a line that says so, where there
/// are none.
pub(crate) fn all() -> Option<Vec<Capture>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/samples");
    let folder = std::env::var_os("CASSETTE_SAMPLES")
        .map_or(beside, PathBuf::from)
        .join("traffic");
    let Ok(files) = fs::read_dir(&folder) else {
        println!("SKIPPED: no samples at {}", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    files.sort();
    assert!(!files.is_empty(), "no captures in {}", folder.display());
    Some(files.iter().map(|file| read(file)).collect())
}

fn read(file: &Path) -> Capture {
    let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let meta = fs::read(file.with_extension("meta.json")).unwrap();
    let meta: Value = serde_json::from_slice(&meta).unwrap();
    let variables = meta["env"].as_object().unwrap().iter();
    let variables = variables.map(|(name, value)| (name.clone(), value.as_str().unwrap().into()));
    let text = fs::read_to_string(file).unwrap();
    let pieces = text.lines().filter_map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        let stream = match record["dir"].as_str().unwrap() {
            "outbound" => Stream::Outbound,
            "stdout" => Stream::Stdout,
            "stderr" => Stream::Stderr,
            _ => return None,
        };
        let data = record["data_b64"].as_str().unwrap();
        Some((
            stream,
            base64::engine::general_purpose::STANDARD
                .decode(data)
                .unwrap(),
        ))
    });
    Capture {
        provider: provider_of(&name),
        cwd: meta["cwd"].as_str().unwrap().to_owned(),
        variables: variables.collect(),
        pieces: pieces.collect(),
        name,
    }
}

fn provider_of(name: &str) -> &'static str {
    // One-way events, no app server.
    if name == "codex-exec-json" {
        return "raw";
    }
    match name.split('-').next().unwrap() {
        "acp" => "acp",
        "claude" => "claude-stream-json",
        "codex" => "codex",
        "lsp" => "lsp",
        "mcp" => "mcp",
        other => panic!("no provider for samples `{other}-…`"),
    }
}
