//! Two homes of Codex in a scratch directory: a fork of a session and its parent in one,
//! and what the other one has of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Where the parent, `t1`, and the fork, `t2`, have their rollouts.
pub(crate) const PARENT: &str = "sessions/2026/11/30/rollout-t1.jsonl";
pub(crate) const FORK: &str = "sessions/2026/11/30/rollout-t2.jsonl";

/// Arguments of `cassette` that bind the fork, in the scratch directory.
pub(crate) const BIND: [&str; 10] = [
    "fork",
    "bind",
    "--thread",
    "t2",
    "--source-thread",
    "t1",
    "--source-home",
    "one",
    "--target-home",
    "two",
];

/// A rollout of `t1`, and the fork of it.
pub(crate) fn rollouts() -> [(&'static str, Vec<u8>); 2] {
    let parent = "{\"ordinal\":0,\"type\":\"session_meta\",\"payload\":{\"id\":\"t1\"}}\n\
        {\"ordinal\":1,\"type\":\"event_msg\",\"payload\":{}}\n";
    let fork = format!(
        "{{\"ordinal\":2,\"type\":\"session_meta\",\"payload\":{{\"id\":\"t2\",\"history_base\":\
         {{\"thread_id\":\"t1\",\"end_ordinal_exclusive\":2,\"end_byte_offset\":{}}}}}}}\n\
         {{\"ordinal\":3,\"type\":\"event_msg\",\"payload\":{{}}}}\n",
        parent.len()
    );
    [(PARENT, parent.into()), (FORK, fork.into())]
}

/// A scratch directory with the source's home, `one`.
pub(crate) fn source() -> TempDir {
    let scratch = tempfile::tempdir().unwrap();
    for (path, bytes) in rollouts() {
        put(&scratch.path().join("one").join(path), &bytes);
    }
    put(&scratch.path().join("one/auth.json"), b"{}");
    scratch
}

/// The same, and a target's home, `two`, that has beginnings of both.
pub(crate) fn source_and_beginnings() -> TempDir {
    let scratch = source();
    for (path, bytes) in rollouts() {
        let beginning = &bytes[..bytes.len() - 9];
        put(&scratch.path().join("two").join(path), beginning);
    }
    scratch
}

/// A compressed rollout of `t2` in one home, and a beginning of it in the other; gives
/// the bytes of the first one.
pub(crate) fn compressed() -> (TempDir, Vec<u8>) {
    let scratch = tempfile::tempdir().unwrap();
    let rollout = b"{\"type\":\"session_meta\",\"payload\":{\"id\":\"t2\"}}\n{}\n";
    let whole = frame(rollout);
    let path = format!("{FORK}.zst");
    put(&scratch.path().join("one").join(&path), &whole);
    let beginning = frame(&rollout[..rollout.len() - 3]);
    put(&scratch.path().join("two").join(&path), &beginning);
    (scratch, whole)
}

/// A zstd frame of one block that is not compressed, of less than 256 bytes.
fn frame(content: &[u8]) -> Vec<u8> {
    let size = u8::try_from(content.len()).unwrap();
    let is_last = 1;
    let block = (u32::from(size) << 3 | is_last).to_le_bytes();
    let head = [
        0x28, 0xb5, 0x2f, 0xfd, 0x20, size, block[0], block[1], block[2],
    ];
    [&head[..], content].concat()
}

/// Every file below a directory.
pub(crate) fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            files.insert(path, bytes);
        }
    }
    files
}

fn put(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
