//! Inspection as a whole; what belongs to one file is tested there.

mod agreement;
mod compressed;
mod cuts;
mod damages;
mod files;
mod homes;
mod identities;

use std::iter;

use super::damage::{Damage, DamageKind, Note, NoteKind};
use super::inspector::{InspectOptions, Inspection, Inspector};
use super::judge::RecordLayout;
use crate::ProviderSessionId;

/// A session with this name.
fn session(name: &str) -> ProviderSessionId {
    name.parse().unwrap()
}

/// Inspects `bytes` in one buffer as the rollout of the session `t`.
fn rollout(bytes: impl AsRef<[u8]>) -> Inspection {
    in_parts(RecordLayout::Rollout, None, iter::once(bytes.as_ref()))
}

/// Inspects a project file of the session `t`.
fn project_file(bytes: impl AsRef<[u8]>) -> Inspection {
    in_parts(RecordLayout::ProjectFile, None, iter::once(bytes.as_ref()))
}

fn in_parts<'a>(
    layout: RecordLayout,
    end: Option<u64>,
    parts: impl Iterator<Item = &'a [u8]>,
) -> Inspection {
    let asked = session("t");
    let options = InspectOptions {
        beginnings: end.into_iter().collect(),
        boundary: end,
    };
    let mut inspector = Inspector::new(layout, Some(&asked), options);
    parts.for_each(|part| inspector.push(part));
    inspector.finish()
}

/// Kind, offset and record of every damage.
fn damages(inspection: &Inspection) -> Vec<(DamageKind, u64, u64)> {
    let told = inspection.report.damages.iter();
    told.map(
        |Damage {
             kind,
             offset,
             record,
         }| (*kind, *offset, *record),
    )
    .collect()
}

/// Kind, offset and record of every note.
fn notes(inspection: &Inspection) -> Vec<(NoteKind, u64, u64)> {
    let told = inspection.report.notes.iter();
    told.map(
        |Note {
             kind,
             offset,
             record,
         }| (*kind, *offset, *record),
    )
    .collect()
}

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }
}
