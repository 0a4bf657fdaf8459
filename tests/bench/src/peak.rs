//! The most memory that something takes: in a process of its own, where nothing else was done.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::case::{Case, Ids};
use crate::operation::Operation;
use crate::{bind, pass_through, sys};

/// The most memory in bytes that `operation` takes, beside what is made ready for it.
pub(crate) fn of(operation: &Operation, case: &Case) -> Option<u64> {
    let ids = match case.ids {
        Ids::Kept => "kept",
        Ids::Other => "other",
    };
    in_child(&["operation", operation.name, ids], case.dir())
}

/// The most memory in bytes that something takes in a process of its own.
pub(crate) fn in_child(what: &[&str], with: &Path) -> Option<u64> {
    let mut child = Command::new(std::env::current_exe().ok()?);
    child.arg("peak").args(what).arg(with).stdin(Stdio::null());
    // The C library of Linux gives back what is freed, so that what was made ready before leaves
    // no room that the work would fill unseen.
    child.env("MALLOC_MMAP_THRESHOLD_", "65536");
    child.env("MALLOC_TRIM_THRESHOLD_", "0");
    let output = child.stderr(Stdio::inherit()).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Does what it is told, and prints how much memory that took; nothing where it is not known.
pub(crate) fn run_child(what: &[&str]) -> anyhow::Result<()> {
    let taken = match what {
        ["operation", name, ids, dir] => {
            let operation = Operation::named(name).context("no such operation")?;
            let ids = match *ids {
                "kept" => Ids::Kept,
                _ => Ids::Other,
            };
            let case = Case::open(Path::new(dir), ids)?;
            if operation.needs_materials {
                case.materials()?;
            }
            taken(|| (operation.ours)(&case).map(drop))?
        }
        ["bind", dir] => taken(|| bind::bind(Path::new(dir)).map(drop))?,
        ["pass-through", bytes] => {
            let bytes = bytes.parse()?;
            taken(|| pass_through::receive(bytes).map(drop))?
        }
        _ => bail!("no such measurement"),
    };
    if let Some(taken) = taken {
        writeln!(io::stdout(), "{taken}")?;
    }
    Ok(())
}

fn taken(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<Option<u64>> {
    let before = sys::forget_peak().and_then(|()| sys::memory());
    work()?;
    let taken = before.zip(sys::memory());
    Ok(taken.map(|(before, after)| after.peak.saturating_sub(before.now)))
}
