//! `cassette fork inspect`: what transcripts hold, and whether they are sound.

use std::fmt::{self, Display, Formatter};
use std::path::Path;
use std::process::ExitCode;

use fork_state::{Damage, InspectError, Limits, Note, TranscriptReport, inspect};
use serde::Serialize;

use super::arguments::FilesArguments;
use crate::checks::{FOUND, in_full};
use crate::failure::UNUSABLE;
use crate::results::{self, SCHEMA};

/// Looks into each file. Ends with 1 if one is damaged or names no session, with 2 if one cannot be read.
pub(super) fn run(arguments: &FilesArguments) -> anyhow::Result<ExitCode> {
    let providers = provider_adapters::builtin();
    let provider = &arguments.provider;
    let layout = providers
        .by_provider(provider)
        .and_then(|descriptor| descriptor.transcripts.as_ref())
        .ok_or_else(|| super::unknown_transcripts(provider))?;
    let files = arguments.files.iter().map(|file| {
        let report = inspect(file, layout, &Limits::default());
        Inspected::of(file, report)
    });
    let inspected = AllInspected {
        schema: SCHEMA,
        command: "fork inspect",
        files: files.collect(),
    };
    results::print(arguments.output.form(), &inspected)?;
    let has = |verdict| inspected.files.iter().any(|file| file.verdict == verdict);
    Ok(if has("unreadable") {
        ExitCode::from(UNUSABLE)
    } else if has("damaged") || has("no-session") {
        ExitCode::from(FOUND)
    } else {
        ExitCode::SUCCESS
    })
}

#[derive(Debug, Serialize)]
struct AllInspected {
    schema: u32,
    command: &'static str,
    files: Vec<Inspected>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspected {
    file: String,
    verdict: &'static str,
    error: Option<String>,
    /// Of what the file holds, decompressed.
    bytes: u64,
    sha256: Option<String>,
    records: u64,
    is_compressed: bool,
    sessions: Vec<String>,
    base: Option<Base>,
    damages: Vec<Place>,
    more_damages: u64,
    notes: Vec<Place>,
    more_notes: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Base {
    session: String,
    end_ordinal_exclusive: u64,
    end_byte_offset: u64,
}

#[derive(Debug, Serialize)]
struct Place {
    record: u64,
    offset: u64,
    text: String,
}

impl Inspected {
    fn of(file: &Path, report: Result<TranscriptReport, InspectError>) -> Self {
        let mut inspected = Self {
            file: file.display().to_string(),
            verdict: "unreadable",
            error: None,
            bytes: 0,
            sha256: None,
            records: 0,
            is_compressed: false,
            sessions: Vec::new(),
            base: None,
            damages: Vec::new(),
            more_damages: 0,
            notes: Vec::new(),
            more_notes: 0,
        };
        match report {
            Ok(report) => inspected.fill(&report),
            Err(error) => inspected.error = Some(in_full(error)),
        }
        inspected
    }

    fn fill(&mut self, report: &TranscriptReport) {
        self.verdict = match (report.is_sound(), report.sessions.is_empty()) {
            (false, _) => "damaged",
            (true, true) => "no-session",
            (true, false) => "ok",
        };
        self.bytes = report.size;
        self.sha256 = Some(report.sha256.to_string());
        self.records = report.records;
        self.is_compressed = report.is_compressed;
        self.sessions = report.sessions.iter().map(ToString::to_string).collect();
        self.base = report.base.as_ref().map(|base| Base {
            session: base.session.to_string(),
            end_ordinal_exclusive: base.end_ordinal_exclusive,
            end_byte_offset: base.end_byte_offset,
        });
        self.damages = report.damages.iter().map(Place::of_damage).collect();
        self.more_damages = report.more_damages;
        self.notes = report.notes.iter().map(Place::of_note).collect();
        self.more_notes = report.more_notes;
    }
}

impl Place {
    fn of_damage(damage: &Damage) -> Self {
        Self {
            record: damage.record,
            offset: damage.offset,
            text: damage.kind.to_string(),
        }
    }

    fn of_note(note: &Note) -> Self {
        Self {
            record: note.record,
            offset: note.offset,
            text: note.kind.to_string(),
        }
    }
}

impl Display for AllInspected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, file) in self.files.iter().enumerate() {
            let line_feed = if at == 0 { "" } else { "\n" };
            write!(f, "{line_feed}{file}")?;
        }
        Ok(())
    }
}

impl Display for Inspected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.verdict)?;
        if let Some(error) = &self.error {
            return write!(f, "\n  {error}");
        }
        let compressed = if self.is_compressed {
            " (compressed)"
        } else {
            ""
        };
        let (records, bytes) = (self.records, self.bytes);
        let sessions = match &self.sessions[..] {
            [] => "no session".to_owned(),
            named => format!("session {}", named.join(", ")),
        };
        write!(
            f,
            "\n  {records} records, {bytes} bytes{compressed}, {sessions}"
        )?;
        if let Some(base) = &self.base {
            let (session, offset) = (&base.session, base.end_byte_offset);
            write!(f, "\n  goes on from byte {offset} of {session}")?;
        }
        places(f, "damaged", (&self.damages, self.more_damages))?;
        places(f, "odd", (&self.notes, self.more_notes))
    }
}

fn places(f: &mut Formatter<'_>, what: &str, (places, more): (&[Place], u64)) -> fmt::Result {
    for place in places {
        let Place {
            record,
            offset,
            text,
        } = place;
        write!(f, "\n  {what}: record {record}, byte {offset}: {text}")?;
    }
    if more > 0 {
        write!(f, "\n  {what}: {more} more places")?;
    }
    Ok(())
}
