//! Binding a transcript, beside hashing, copying and syncing the same file.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, ensure};
use cassette_format::schema::AgentSessionId;
use fork_state::{Binder, ForkRequest, GivenHomes, Outcome};
use sha2::{Digest as _, Sha256};

use crate::arguments::Effort;
use crate::cost::{Cost, pairs};
use crate::peak;
use crate::row::{Amount, Goal, Row, Unit};

const PLACE: &str = "sessions/2026/11/30/rollout-t2.jsonl";

/// Measures transcripts of several sizes, a row at a time.
pub(crate) fn measure(
    (effort, count): (Effort, usize),
    mut print: impl FnMut(Row) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let sizes: &[usize] = match effort {
        Effort::Full => &[10_000_000, 50_000_000, 200_000_000],
        Effort::Quick => &[1_000_000],
    };
    for bytes in sizes {
        let folder = tempfile::tempdir()?;
        let source = folder.path().join("source").join(PLACE);
        fs::create_dir_all(source.parent().context("a folder")?)?;
        let written = write_transcript(&source, *bytes)?;
        let pairs = pairs(
            count,
            || bind(folder.path()),
            || hash_copy_sync(folder.path(), &source),
        )?;
        print(Row {
            what: "bind a transcript".to_owned(),
            case: format!("{} MB", bytes / 1_000_000),
            limit: "sha256, copy and sync of the same file",
            goal: Goal::Wall(1.3),
            amount: Amount {
                count: written as u64,
                unit: Unit::Bytes,
            },
            peak: peak::in_child(&["bind"], folder.path()),
            pairs,
        })?;
    }
    Ok(())
}

/// Binds the transcript in this folder, and takes the binding away again.
pub(crate) fn bind(folder: &Path) -> anyhow::Result<Cost> {
    let target = folder.join("target");
    let id = AgentSessionId::from_recorded;
    let homes = [
        (id("one"), folder.join("source")),
        (id("two"), target.clone()),
    ];
    let (store, providers) = (GivenHomes::new(homes), provider_adapters::builtin());
    let request = ForkRequest {
        provider: "codex".parse()?,
        workspace: "app".into(),
        source_session: id("one"),
        target_session: id("two"),
        source_provider_session: "t1".parse()?,
        target_provider_session: "t2".parse()?,
        target_cwd: None,
    };
    let (took, binding) = Cost::of(|| Ok(Binder::new(&store, &providers).bind(&request)?))?;
    ensure!(
        binding.outcome == Outcome::Copied,
        "the transcript was not copied"
    );
    fs::remove_dir_all(target)?;
    Ok(took)
}

fn hash_copy_sync(folder: &Path, source: &Path) -> anyhow::Result<Cost> {
    let copy = folder.join("copy");
    let (took, digest) = Cost::of(|| {
        let mut hash = Sha256::new();
        each_block(source, |block| {
            hash.update(block);
            Ok(())
        })?;
        let mut to = File::create(&copy)?;
        each_block(source, |block| Ok(to.write_all(block)?))?;
        to.sync_all()?;
        File::open(folder)?.sync_all()?;
        Ok(hash.finalize())
    })?;
    black_box(digest);
    fs::remove_file(copy)?;
    Ok(took)
}

fn each_block(
    path: &Path,
    mut work: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut buffer = vec![0; 256 * 1024];
    let mut file = File::open(path)?;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            read => work(&buffer[..read])?,
        }
    }
}

/// Records of 600 B to 20 kB, with an escape every hundred bytes, as real ones have them. Gives
/// the bytes.
fn write_transcript(path: &Path, bytes: usize) -> anyhow::Result<usize> {
    let mut file = BufWriter::new(File::create(path)?);
    let head = "{\"ordinal\":0,\"type\":\"session_meta\",\"payload\":{\"id\":\"t2\"}}\n";
    file.write_all(head.as_bytes())?;
    let text = "the quick brown fox jumps over the lazy dog, and goes on about it at some \
                length, as agents do that were asked for nothing but a word, until it has \
                said \\\"everything\\\" that there is to be said of foxes and dogs, and then some \
                more of both of them, and of their lines.\\n";
    let mut written = head.len();
    for ordinal in 1.. {
        let text = text.repeat(2 + ordinal * 37 % 70);
        let record = format!(
            "{{\"timestamp\":\"2026-11-30T07:18:15.000Z\",\"ordinal\":{ordinal},\
             \"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\
             \"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\
             \"text\":\"{text}\"}}]}}}}\n"
        );
        file.write_all(record.as_bytes())?;
        written += record.len();
        if written >= bytes {
            break;
        }
    }
    file.into_inner()?.sync_all()?;
    Ok(written)
}
