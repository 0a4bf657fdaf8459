//! Fork vectors: a directory tree before, a binding, and the tree after.

use std::fs::{self, FileType};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cassette_format::schema::{AgentSessionId, ProviderId};
use fork_state::{BindError, BindOptions, Binder, DirectoryStore, ForkRequest, ProviderSessionId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::class;
use crate::outcome::same;
use crate::vector::{Outcome, Vector};

pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    // Where the scratch directory is itself below a link, links of the vector are told apart.
    let root = scratch.path().canonicalize().unwrap();
    for entry in vector.input["entries"].as_array().into_iter().flatten() {
        make(&root, entry);
    }
    let results: Vec<Value> = (0..vector.input["repeat"].as_u64().unwrap_or(1))
        .map(|_| bind(&root, &vector.input))
        .collect();
    let mut tree = Vec::new();
    list(&root, &root, &mut tree);
    tree.sort_by_key(|entry| entry["path"].as_str().unwrap().to_owned());
    let actual = json!({"results": results, "tree": tree});
    same("outcome", expect, &actual).map_or_else(Outcome::Failed, |()| Outcome::Passed)
}

fn make(root: &Path, entry: &Value) {
    let text = |name: &str| entry[name].as_str().unwrap();
    let path = root.join(text("path"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match text("type") {
        "dir" => fs::create_dir_all(&path).unwrap(),
        "symlink" => symlink(
            text("target").replace("{ROOT}", root.to_str().unwrap()),
            &path,
        )
        .unwrap(),
        "hardlink" => fs::hard_link(root.join(text("target")), &path).unwrap(),
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.unwrap().success(), "mkfifo");
        }
        "file" => {
            let bytes = match entry["text"].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => STANDARD.decode(text("base64")).unwrap(),
            };
            fs::write(&path, bytes).unwrap();
        }
        other => panic!("no entry of type {other}"),
    }
    if let Some(mode) = entry["mode"].as_str() {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

fn bind(root: &Path, input: &Value) -> Value {
    match try_bind(root, input) {
        Ok(()) => json!({"ok": true}),
        Err(error) => json!({"error": class::of_bind(&error)}),
    }
}

fn try_bind(root: &Path, input: &Value) -> Result<(), BindError> {
    let providers = provider_adapters::builtin();
    let state = input["stateDir"].as_str();
    let state = state.map_or_else(|| root.join("state"), PathBuf::from);
    let mut options = BindOptions::default();
    options.cancelled = Arc::new(AtomicBool::new(input["canceled"] == true));
    let store = DirectoryStore::new(state)?;
    let binder = Binder::new(&store, &providers).with_options(options);
    binder.bind(&request(&input["binding"])).map(drop)
}

fn request(binding: &Value) -> ForkRequest {
    let text = |name: &str| binding[name].as_str().unwrap_or_default().to_owned();
    ForkRequest {
        provider: ProviderId::from_recorded(text("provider")),
        workspace: text("workspaceId"),
        source_session: AgentSessionId::from_recorded(text("sourceAgentSessionId")),
        target_session: AgentSessionId::from_recorded(text("targetAgentSessionId")),
        source_provider_session: ProviderSessionId::from_recorded(text("sourceProviderSessionId")),
        target_provider_session: ProviderSessionId::from_recorded(text("targetProviderSessionId")),
        target_cwd: None,
    }
}

/// Everything below the directory, as the vectors list it.
fn list(root: &Path, directory: &Path, tree: &mut Vec<Value>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap();
        let mode = format!("{:04o}", metadata.permissions().mode() & 0o7777);
        let kind: FileType = metadata.file_type();
        if kind.is_dir() {
            tree.push(json!({"path": name, "type": "dir", "mode": mode}));
            list(root, &path, tree);
        } else if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            let target = target
                .to_str()
                .unwrap()
                .replace(root.to_str().unwrap(), "{ROOT}");
            tree.push(json!({"path": name, "type": "symlink", "target": target}));
        } else if kind.is_fifo() {
            tree.push(json!({"path": name, "type": "special"}));
        } else {
            let bytes = fs::read(&path).unwrap();
            let digest: String = Sha256::digest(&bytes)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            tree.push(json!({
                "path": name, "type": "file", "mode": mode, "size": bytes.len(), "sha256": digest,
            }));
        }
    }
}
