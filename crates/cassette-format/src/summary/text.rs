//! A summary as a text: tables of plain numbers, one for the kinds of chunk and one
//! for the methods, of the tape and of each connection.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

use super::{
    ConnectionSummary, DirectionSummary, MAX_NAME_BYTES, MessageSummary, MethodSummary, Summary,
};
use crate::schema::{ChunkKind, KindStats};

impl Display for Summary {
    /// Several lines, the last one without line feed. Whatever a tape has for names is
    /// shown on one line and cannot steer a terminal.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "tape: {}, {}", stats(self.total), self.duration)?;
        remarks(
            f,
            &[
                (self.unlisted.frame_count, "frames of unlisted connections"),
                (self.unreadable_lines, "unreadable lines"),
            ],
        )?;
        kinds(f, &self.frames_by_kind)?;
        // Of a sole connection the messages are those of the tape.
        let read = self.connections.iter().filter(|it| it.messages.is_some());
        if read.count() > 1 {
            messages(f, &self.messages)?;
        }
        for connection in &self.connections {
            write!(f, "\n\n{connection}")?;
        }
        Ok(())
    }
}

impl Display for ConnectionSummary {
    /// Its part of the text of a [`Summary`].
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}, session {} (root {}), launch {}, {}\n  {}",
            shown(self.connection_id.as_str()),
            shown(self.provider.as_str()),
            shown(self.agent_session.as_str()),
            shown(self.root_agent_session.as_str()),
            self.launch_ordinal,
            shown(self.capture_origin.as_str()),
            stats(self.total)
        )?;
        if let (Some(first), Some(last)) = (self.first_elapsed, self.last_elapsed) {
            write!(f, ", from {first} to {last}")?;
        }
        match self.exit {
            Some(exit) => match exit.code {
                Some(code) => write!(f, ", exit {code}")?,
                None => write!(f, ", exit without code")?,
            },
            None => write!(f, ", no exit")?,
        }
        remarks(f, &[(self.undecodable_chunks, "undecodable chunks")])?;
        kinds(f, &self.frames_by_kind)?;
        match (&self.messages, self.dialect) {
            (Some(read), _) => messages(f, read),
            (None, Some(_)) => write!(f, "\n  messages not read: the provider has none"),
            (None, None) => write!(f, "\n  messages not read: unknown provider"),
        }
    }
}

fn stats(stats: KindStats) -> String {
    format!(
        "{} frames, {} payload bytes, {} stored bytes",
        stats.frame_count, stats.payload_bytes, stats.stored_bytes
    )
}

/// What is worth a word only where there is some of it.
fn remarks(f: &mut Formatter<'_>, counts: &[(u64, &str)]) -> fmt::Result {
    let mut counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.try_for_each(|(count, what)| write!(f, ", {count} {what}"))
}

fn kinds(f: &mut Formatter<'_>, kinds: &BTreeMap<ChunkKind, KindStats>) -> fmt::Result {
    let heading = ["kind", "frames", "payload bytes", "stored bytes"].map(str::to_owned);
    let rows = kinds.iter().map(|(kind, stats)| {
        let counts = [stats.frame_count, stats.payload_bytes, stats.stored_bytes];
        let [frames, payload, stored] = counts.map(|count| count.to_string());
        [shown(kind.as_str()), frames, payload, stored]
    });
    table(f, heading, 1, rows)
}

fn messages(f: &mut Formatter<'_>, messages: &MessageSummary) -> fmt::Result {
    direction(f, "outbound", &messages.outbound)?;
    direction(f, "inbound", &messages.inbound)
}

fn direction(f: &mut Formatter<'_>, name: &str, of: &DirectionSummary) -> fmt::Result {
    write!(f, "\n  {name}: {} messages", of.messages)?;
    remarks(
        f,
        &[
            (of.not_json, "not JSON"),
            (of.unnamed, "unnamed"),
            (of.unfinished_bytes, "bytes unfinished"),
            (of.lost_framings, "framings lost"),
            (of.unfollowed_requests, "requests not followed"),
            (of.other_methods.count, "of other methods"),
        ],
    )?;
    let heading = [
        "kind",
        "method",
        "count",
        "bytes",
        "answered",
        "min ms",
        "median ms",
        "max ms",
        "total ms",
    ]
    .map(str::to_owned);
    table(f, heading, 2, of.methods.iter().map(method))
}

fn method(method: &MethodSummary) -> [String; 9] {
    let number = |number: Option<u64>| number.map_or(String::new(), |it| it.to_string());
    let answers = method.answers;
    [
        method.kind.as_str().to_owned(),
        method.name.as_deref().map_or("?".to_owned(), shown),
        method.count.to_string(),
        method.bytes.to_string(),
        number(answers.map(|answers| answers.count)),
        number(answers.and_then(|answers| answers.min_ms)),
        number(answers.and_then(|answers| answers.median_ms)),
        number(answers.and_then(|answers| answers.max_ms)),
        number(answers.filter(|it| it.count > 0).map(|it| it.total_ms)),
    ]
}

/// Writes rows below a heading, if there are any; the first `left` columns begin
/// alike, the others end alike.
fn table<const N: usize>(
    f: &mut Formatter<'_>,
    heading: [String; N],
    left: usize,
    rows: impl Iterator<Item = [String; N]>,
) -> fmt::Result {
    let rows: Vec<_> = [heading].into_iter().chain(rows).collect();
    if rows.len() == 1 {
        return Ok(());
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            if column < left {
                write!(line, "  {cell:<width$}")?;
            } else {
                write!(line, "  {cell:>width$}")?;
            }
        }
        write!(f, "\n  {}", line.trim_end())?;
    }
    Ok(())
}

/// A text from a tape, on one line, not too long, and seen even if it is empty.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "\"\"".to_owned();
    }
    let mut shown = String::new();
    let kept = &text[..text.floor_char_boundary(MAX_NAME_BYTES)];
    for character in kept.chars() {
        if matches!(character, '"' | '\'' | '\\') {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    if kept.len() < text.len() {
        shown.push('…');
    }
    shown
}
