//! Random homes, and a model of a binding that reads them with the standard library,
//! holds everything in memory and tells what is there after it.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};

use fork_state::{BindError, Outcome};
use proptest::collection::btree_map;
use proptest::prelude::*;
use serde_json::Value;

use crate::rollout::{Rollout, compressed};
use crate::scratch::Scratch;
use crate::tree::{Node, Tree, files};

/// What a random file holds.
#[derive(Debug, Clone)]
struct Sketch {
    id: usize,
    /// From which record on it is another one; of equal ones the longer begins with the
    /// shorter.
    turn: usize,
    records: usize,
    /// What it goes on from: which session, how many records of it, and by how much
    /// the ordinal and the offset are off.
    base: Option<(usize, usize, u64, u64)>,
    cut: usize,
    behind: usize,
}

/// What a random entry is.
#[derive(Debug, Clone)]
enum Entry {
    File(Sketch),
    Garbage,
    Link,
    Pipe,
    Directory,
    SecondName(Sketch),
}

type Home = BTreeMap<usize, Entry>;

const IDS: [&str; 3] = ["t0", "t1", "t2"];
const PLACES: [&str; 10] = [
    "archived_sessions/x-t2.jsonl",
    "sessions/2026/a-t2.jsonl",
    "sessions/2026/a-t2.jsonl.zst",
    "sessions/b-t0-t1-t2.jsonl",
    "sessions/c-t1.jsonl",
    "sessions/c-t1.jsonl.zst",
    "sessions/2026/d-t0.jsonl",
    "sessions/2026/a-t1.jsonl",
    "auth.json",
    "sessions/2026",
];
const BEHIND: [&[u8]; 6] = [b"", b"\n \n", b"{\"torn\":", b"[]\n", b"\0\0", b"{}{}\n"];

impl Sketch {
    fn bytes(&self) -> Vec<u8> {
        let id = IDS[self.id];
        let mut rollout = match self.base {
            None => Rollout::of(id),
            Some((parent, records, ordinal, offset)) => {
                let parent = IDS[parent];
                let begun = Rollout::of(parent).records(records);
                let place = (begun.ordinal + ordinal, begun.len() + offset);
                Rollout::referring(id, (parent, place.0, place.1))
            }
        };
        for at in 0..self.records {
            let text = if at < self.turn {
                "the same"
            } else {
                "a \"word\" or two"
            };
            rollout = rollout.saying(text);
        }
        let kept = rollout.cut(self.cut.min(rollout.bytes().len()));
        [kept, BEHIND[self.behind]].concat()
    }
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let base = (0..3_usize, 0..3_usize, 0..12_u64, 0..12_u64);
    let base = base.prop_map(|(parent, records, ordinal, offset)| {
        // Mostly as it should be.
        (
            parent,
            records,
            u64::from(ordinal == 0),
            u64::from(offset == 0),
        )
    });
    let cut = prop_oneof![6 => Just(0), 1 => Just(1), 1 => 2..40_usize, 1 => Just(10_000)];
    let behind = prop_oneof![8 => Just(0), 2 => 0..BEHIND.len()];
    let id = prop_oneof![1 => Just(0), 2 => Just(1), 3 => Just(2)];
    let turn = prop_oneof![4 => Just(0), 1 => Just(2)];
    let base = proptest::option::weighted(0.3, base);
    (id, turn, 0..5_usize, base, cut, behind).prop_map(|(id, turn, records, base, cut, behind)| {
        Sketch {
            id,
            turn,
            records,
            base,
            cut,
            behind,
        }
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    prop_oneof![
        30 => sketch().prop_map(Entry::File),
        1 => Just(Entry::Garbage),
        1 => Just(Entry::Link),
        1 => Just(Entry::Pipe),
        1 => Just(Entry::Directory),
        1 => sketch().prop_map(Entry::SecondName),
    ]
}

fn home() -> impl Strategy<Value = Option<Home>> {
    // Mostly few files, so that they meet.
    let place = prop_oneof![8 => 0..7_usize, 1 => 0..PLACES.len()];
    proptest::option::weighted(0.95, btree_map(place, entry(), 0..5))
}

/// Two homes that have files in common, one of them often further on.
fn homes() -> impl Strategy<Value = (Option<Home>, Option<Home>)> {
    let shared = btree_map(0..7_usize, (sketch(), 0..3_usize, 0..3_usize), 0..4);
    (home(), home(), shared).prop_map(|(mut source, mut target, shared)| {
        for (place, (sketch, one, other)) in shared {
            for (home, less) in [(&mut source, one), (&mut target, other)] {
                let mut sketch = sketch.clone();
                sketch.records = sketch.records.saturating_sub(less);
                if let Some(home) = home {
                    home.insert(place, Entry::File(sketch));
                }
            }
        }
        (source, target)
    })
}

fn make(root: &Path, home: &Home) {
    fs::create_dir_all(root).unwrap();
    for (place, entry) in home {
        let path = root.join(PLACES[*place]);
        // Two places may be one below the other.
        if path.symlink_metadata().is_ok() || fs::create_dir_all(path.parent().unwrap()).is_err() {
            continue;
        }
        let bytes = |sketch: &Sketch| match path.extension() {
            Some(end) if end == "zst" => compressed(&sketch.bytes()),
            _ => sketch.bytes(),
        };
        match entry {
            Entry::File(sketch) => fs::write(&path, bytes(sketch)).unwrap(),
            Entry::Garbage => fs::write(&path, "no record").unwrap(),
            Entry::Link => symlink("/nowhere", &path).unwrap(),
            Entry::Pipe => pipe(&path),
            Entry::Directory => fs::create_dir(&path).unwrap(),
            Entry::SecondName(sketch) => {
                fs::write(&path, bytes(sketch)).unwrap();
                let second = path.with_file_name(format!("second-{place}"));
                fs::hard_link(&path, second).unwrap();
            }
        }
    }
}

fn pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let path = CString::new(path.to_str().unwrap()).unwrap();
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// A file as the model sees it.
#[derive(Debug, Clone)]
struct Seen {
    path: PathBuf,
    raw: Vec<u8>,
    /// Decompressed; none where that cannot be done.
    bytes: Option<Vec<u8>>,
}

/// What the model says: the outcome and the files that are new or other, or the name of
/// the error.
type Said = Result<(Outcome, BTreeMap<PathBuf, Vec<u8>>), &'static str>;

/// What the first record says.
#[derive(Debug, Clone, PartialEq)]
enum Whose {
    This,
    Other,
    Unknown,
}

fn records(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter_map(move |line| {
            at += line.len();
            (!line.trim_ascii().is_empty()).then_some((at, line))
        })
}

fn object(line: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(line).ok()?;
    value.is_object().then_some(value)
}

fn head(bytes: &[u8]) -> Option<Value> {
    object(records(bytes).next()?.1)
}

fn whose(seen: &Seen, id: &str) -> Whose {
    let Some(head) = seen.bytes.as_deref().and_then(head) else {
        return Whose::Unknown;
    };
    if head["payload"]["id"] == id {
        Whose::This
    } else {
        Whose::Other
    }
}

fn is_sound(bytes: &[u8]) -> bool {
    head(bytes).is_some() && records(bytes).all(|(_, line)| object(line).is_some())
}

/// The next ordinal at the end of a record, if one ends there.
fn boundary(bytes: &[u8], offset: u64) -> Option<u64> {
    let mut next = None;
    for (end, line) in records(bytes) {
        let record = object(line);
        next = record
            .as_ref()
            .and_then(|it| it["ordinal"].as_u64())
            .map(|it| it + 1)
            .or(next);
        if end as u64 == offset {
            return record.filter(|_| line.ends_with(b"\n")).and(next);
        }
    }
    None
}

struct Model<'a> {
    source: &'a Path,
    target: &'a Path,
    outcome: Vec<Outcome>,
    written: BTreeMap<PathBuf, Vec<u8>>,
}

/// From where a session goes on: the ordinal and the byte.
type From = Option<(u64, u64)>;

impl Model<'_> {
    fn bind(mut self) -> Said {
        let (mut id, mut from) = ("t2".to_owned(), None);
        let mut seen: Vec<String> = Vec::new();
        loop {
            let holds = self.member(&id, from)?;
            seen.push(id);
            let base = &head(&holds).unwrap()["payload"]["history_base"];
            let Some(parent) = base["thread_id"].as_str() else {
                break;
            };
            if seen.iter().any(|it| it == parent) {
                return Err("Cycle");
            }
            let number = |name: &str| base[name].as_u64().unwrap();
            from = Some((number("end_ordinal_exclusive"), number("end_byte_offset")));
            id = parent.to_owned();
        }
        let has = |outcome| self.outcome.contains(&outcome);
        let outcome = match self.outcome[0] {
            _ if has(Outcome::Repaired) => Outcome::Repaired,
            _ if has(Outcome::Copied) => Outcome::Copied,
            // The fork itself is looked at last: its parents come first.
            _ => self.outcome[0],
        };
        Ok((outcome, self.written))
    }

    /// What the target then has of this session.
    fn member(&mut self, id: &str, from: From) -> Result<Vec<u8>, &'static str> {
        let (target, unknown) = find(self.target, id, false)?;
        if let Some(unknown) = unknown {
            return Err(if unknown.bytes.is_some() {
                "DamagedUnverifiable"
            } else {
                "Read"
            });
        }
        let (source, unknown) = find(self.source, id, true)?;
        let bytes = |seen: &Option<Seen>| seen.as_ref().map(|it| it.bytes.clone().unwrap());
        let (ours, theirs) = (bytes(&target), bytes(&source));
        let outcome = match decide(ours.as_deref(), theirs.as_deref(), from) {
            Err("Neither") => return Err(self.nothing(from, unknown)),
            Err("DamagedTarget") if !self.source.exists() => return Err("SourceMissing"),
            decided => decided?,
        };
        let is_written = matches!(outcome, Outcome::Copied | Outcome::Repaired);
        let holds = if is_written { theirs } else { ours }.unwrap();
        if let Some((ordinal, offset)) = from {
            if offset > holds.len() as u64 {
                return Err("OutsideParent");
            }
            match boundary(&holds, offset) {
                None => return Err("InsideRecord"),
                Some(next) if next != ordinal => return Err("Gap"),
                Some(_) => {}
            }
        }
        if is_written {
            self.write(target, source.unwrap(), &holds)?;
        }
        self.outcome.push(outcome);
        Ok(holds)
    }

    fn nothing(&self, from: From, unknown: Option<Seen>) -> &'static str {
        match unknown {
            Some(unknown) if unknown.bytes.is_some() => "DamagedSource",
            Some(_) => "Read",
            None if !self.source.exists() => "SourceMissing",
            None if from.is_some() => "MissingParent",
            None => "NotFound",
        }
    }

    fn write(
        &mut self,
        target: Option<Seen>,
        source: Seen,
        holds: &[u8],
    ) -> Result<(), &'static str> {
        let is_zst = |path: &Path| path.extension().is_some_and(|end| end == "zst");
        let (path, is_new, bytes) = match target {
            None => (source.path, true, source.raw),
            Some(target) => match (is_zst(&target.path), is_zst(&source.path)) {
                (true, false) => (target.path.with_extension(""), true, source.raw),
                (false, true) => (target.path, false, holds.to_vec()),
                _ => (target.path, false, source.raw),
            },
        };
        let mut above = self.target.to_owned();
        for segment in path.parent().unwrap() {
            above.push(segment);
            if above.symlink_metadata().is_ok_and(|it| !it.is_dir()) {
                return Err("Unsafe");
            }
        }
        if is_new && self.target.join(&path).symlink_metadata().is_ok() {
            return Err("AlreadyExists");
        }
        self.written.insert(path, bytes);
        Ok(())
    }
}

fn decide(
    target: Option<&[u8]>,
    source: Option<&[u8]>,
    from: From,
) -> Result<Outcome, &'static str> {
    let (target, source) = match (target, source) {
        (None, None) => return Err("Neither"),
        (None, Some(source)) if is_sound(source) => return Ok(Outcome::Copied),
        (None, Some(_)) => return Err("DamagedSource"),
        (Some(target), None) if is_sound(target) => return Ok(Outcome::SourceGone),
        (Some(_), None) => return Err("DamagedTarget"),
        (Some(target), Some(source)) => (target, source),
    };
    let diverged = if is_sound(target) {
        "Diverged"
    } else {
        "DamagedDiverged"
    };
    let offset = from.map(|(_, offset)| usize::try_from(offset).unwrap());
    if let Some(offset) = offset.filter(|it| *it <= target.len().min(source.len())) {
        let agree = target[..offset] == source[..offset];
        return if agree {
            Ok(Outcome::TargetAhead)
        } else {
            Err(diverged)
        };
    }
    if !is_sound(source) {
        Err("DamagedSource")
    } else if target == source {
        Ok(Outcome::AlreadyBound)
    } else if is_sound(target) && target.starts_with(source) {
        Ok(Outcome::TargetAhead)
    } else if !target.is_empty() && source.starts_with(target) {
        Ok(Outcome::Repaired)
    } else {
        Err(diverged)
    }
}

/// The session's transcript, and a file of its name that cannot be told whose it is.
fn find(
    home: &Path,
    id: &str,
    is_source: bool,
) -> Result<(Option<Seen>, Option<Seen>), &'static str> {
    let mut all = Vec::new();
    for directory in ["sessions", "archived_sessions"] {
        let is_directory = |it: fs::Metadata| it.is_dir();
        if home
            .join(directory)
            .symlink_metadata()
            .is_ok_and(is_directory)
        {
            list(home, Path::new(directory), (id, is_source), &mut all)?;
        }
    }
    let mut own = Vec::new();
    let mut unknown = None;
    for seen in all {
        match whose(&seen, id) {
            Whose::This => own.push(seen),
            Whose::Unknown => drop(unknown.get_or_insert(seen)),
            Whose::Other => {}
        }
    }
    let zst = |seen: &Seen| seen.path.extension().is_some_and(|end| end == "zst");
    if own.len() == 2 && zst(&own[0]) != zst(&own[1]) {
        let compressed = own.remove(usize::from(zst(&own[1])));
        let plain = own.remove(0);
        if compressed.path.with_extension("") != plain.path {
            return Err("Ambiguous");
        }
        if !plain.raw.starts_with(compressed.bytes.as_deref().unwrap()) {
            return Err("Contradiction");
        }
        own = vec![plain];
    }
    if own.len() > 1 {
        return Err("Ambiguous");
    }
    Ok((own.pop(), unknown))
}

fn list(
    home: &Path,
    below: &Path,
    (id, is_source): (&str, bool),
    all: &mut Vec<Seen>,
) -> Result<(), &'static str> {
    let entries = fs::read_dir(home.join(below)).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for name in names {
        let path = below.join(&name);
        let metadata = home.join(&path).symlink_metadata().unwrap();
        if metadata.is_dir() {
            list(home, &path, (id, is_source), all)?;
        } else if !metadata.is_symlink() && name.to_str().unwrap().contains(id) {
            if !metadata.is_file() {
                return Err("NotRegular");
            }
            if is_source && metadata.nlink() != 1 {
                return Err("NotOwn");
            }
            all.push(see(home, path));
        }
    }
    Ok(())
}

fn see(home: &Path, path: PathBuf) -> Seen {
    use std::io::Read as _;

    let raw = fs::read(home.join(&path)).unwrap();
    let bytes = if path.extension().is_some_and(|end| end == "zst") {
        let decoder = ruzstd::decoding::StreamingDecoder::new(&raw[..]);
        decoder.ok().and_then(|mut decoder| {
            let mut bytes = Vec::new();
            decoder.read_to_end(&mut bytes).ok().map(|_| bytes)
        })
    } else {
        Some(raw.clone())
    };
    Seen { path, raw, bytes }
}

/// The name of an error, the innermost one of ours.
fn name(error: &BindError) -> String {
    let told = format!("{error:?}");
    let inner = told
        .strip_prefix("Chain(")
        .or(told.strip_prefix("Place("))
        .unwrap_or(&told);
    inner
        .split([' ', '(', ')'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn expected(before: &Tree, written: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut contents = contents(before);
    contents.extend(written.clone());
    contents
}

/// What stands at each path, whatever its mode.
fn contents(tree: &Tree) -> BTreeMap<PathBuf, Vec<u8>> {
    let content = |node: &Node| match node {
        Node::File { bytes, .. } => bytes.clone(),
        other => format!("{other:?}").into_bytes(),
    };
    let contents = tree
        .iter()
        .map(|(path, node)| (path.clone(), content(node)));
    contents.collect()
}

proptest! {
    /// `PROPTEST_CASES` says how many; 256 if it says nothing.
    #[test]
    fn bindings_do_what_the_model_says((source, target) in homes()) {
        let scratch = Scratch::new();
        for (home, path) in [(&source, scratch.source()), (&target, scratch.target())] {
            if let Some(home) = home {
                make(&path, home);
            }
        }
        let model = Model {
            source: &scratch.source(),
            target: &scratch.target(),
            outcome: Vec::new(),
            written: BTreeMap::new(),
        };
        let said = model.bind().map_err(str::to_owned);
        let before = (files(&scratch.source()), files(&scratch.target()));
        let planned = scratch.plan().map(|plan| plan.binding().outcome);
        prop_assert_eq!(&(files(&scratch.source()), files(&scratch.target())), &before);
        let bound = scratch.bind();
        let after = (files(&scratch.source()), files(&scratch.target()));
        prop_assert_eq!(&after.0, &before.0);
        let outcome = bound.map(|it| it.outcome).map_err(|it| name(&it));
        prop_assert_eq!(&planned.map_err(|it| name(&it)), &outcome);
        prop_assert_eq!(&said.clone().map(|it| it.0), &outcome);
        let written = said.map_or_else(|_| BTreeMap::new(), |it| it.1);
        prop_assert_eq!(contents(&after.1), expected(&before.1, &written));
        if outcome.is_ok() {
            let again = scratch.bind().map(|it| it.outcome).map_err(|it| name(&it));
            let settled = [Outcome::AlreadyBound, Outcome::TargetAhead, Outcome::SourceGone];
            prop_assert!(again.as_ref().is_ok_and(|it| settled.contains(it)), "{:?}", again);
        }
    }
}
