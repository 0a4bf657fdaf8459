//! `cassette show`: the conversation of a cassette as lines that people read.

use std::fmt::Write;
use std::process::ExitCode;

use cassette_format::summary::MessageKind;
use serde::Serialize;

use crate::arguments::ShowArguments;
use crate::colour::{Colour, Paint};
use crate::escaped::escaped;
use crate::lines::Lines;
use crate::results::{self, Form, SCHEMA};
use crate::transcript::{Said, Speaker, transcript};

/// Characters that are shown of the beginning of what a message has to say, and of its
/// end, if it is longer than both.
const SHOWN: (usize, usize) = (80, 40);

/// Prints what was said, as far as it is asked for.
pub(crate) fn run(arguments: &ShowArguments) -> anyhow::Result<ExitCode> {
    let mut said = transcript(Lines::read(
        &arguments.cassette,
        &arguments.descriptors.registry()?,
    )?);
    check_connection(arguments, &said)?;
    said.retain(|said| is_wanted(arguments, said));
    if arguments.output.form() == Form::Json {
        let shown = Shown {
            schema: SCHEMA,
            command: "show",
            cassette: arguments.cassette.display().to_string(),
            messages: said.iter().map(message).collect(),
        };
        results::print_json(&shown)?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = Columns::of(arguments, &said);
    results::write(|output| {
        let mut said = said.iter();
        said.try_for_each(|said| writeln!(output, "{}", columns.line(said)))
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a connection of which nothing is there.
fn check_connection(arguments: &ShowArguments, said: &[Said]) -> anyhow::Result<()> {
    let Some(wanted) = &arguments.connection else {
        return Ok(());
    };
    if said.iter().any(|said| said.connection == wanted.as_str()) {
        return Ok(());
    }
    let cassette = arguments.cassette.display();
    anyhow::bail!("{cassette} has nothing of connection `{wanted}`")
}

fn is_wanted(arguments: &ShowArguments, said: &Said) -> bool {
    let ShowArguments {
        connection,
        method,
        grep,
        ..
    } = arguments;
    let of_connection = |wanted: &_| said.connection == ToString::to_string(wanted);
    connection.as_ref().is_none_or(of_connection)
        && (method.is_none() || *method == said.method)
        && grep.as_ref().is_none_or(|text| said.text.contains(text))
}

/// What a line has beside who speaks and what is said.
struct Columns {
    times: bool,
    connections: bool,
    whole: bool,
    colour: Colour,
}

impl Columns {
    fn of(arguments: &ShowArguments, said: &[Said]) -> Self {
        let connections = said.iter().map(|said| &said.connection);
        let mut connections = connections.filter(|connection| !connection.is_empty());
        let first = connections.next();
        Self {
            times: !arguments.no_times,
            connections: connections.any(|other| Some(other) != first),
            whole: arguments.raw,
            colour: Colour::wanted(),
        }
    }

    fn line(&self, said: &Said) -> String {
        let mut line = String::new();
        if self.times {
            let (seconds, rest) = (said.at.get() / 1000, said.at.get() % 1000);
            // Writing to a text does not fail.
            _ = write!(line, "{seconds:>5}.{rest:03} ");
        }
        if self.connections {
            _ = write!(line, "{:<13} ", escaped(&said.connection));
        }
        line.push_str(&self.colour.paint(paint(said), sign(said.by)));
        if let Some(kind) = said.kind {
            let kind = format!("{:<12}", kind.as_str());
            _ = write!(line, " {}", self.colour.paint(paint(said), &kind));
        }
        for word in [&said.method, &said.id].into_iter().flatten() {
            _ = write!(line, " {}", escaped(word));
        }
        let text = if self.whole {
            escaped(&said.text)
        } else {
            shortened(&said.gist)
        };
        if !text.is_empty() {
            _ = write!(line, " {text}");
        }
        line
    }
}

const fn sign(by: Speaker) -> &'static str {
    match by {
        Speaker::Host => "->",
        Speaker::Agent => "<-",
        Speaker::Complaint => "2>",
        Speaker::System => "--",
        Speaker::Nobody => "??",
    }
}

const fn paint(said: &Said) -> Paint {
    match (said.by, said.kind) {
        (Speaker::Nobody, _) | (_, Some(MessageKind::Error)) => Paint::Red,
        (Speaker::Host, _) => Paint::Green,
        (Speaker::Agent, _) => Paint::Blue,
        (Speaker::Complaint | Speaker::System, _) => Paint::Yellow,
    }
}

fn shortened(text: &str) -> String {
    let (first, last) = SHOWN;
    let begin = text.char_indices().nth(first).map(|(at, _)| at);
    let end = text.char_indices().nth_back(last - 1).map(|(at, _)| at);
    match (begin, end) {
        (Some(begin), Some(end)) if begin < end => {
            format!("{}…{}", escaped(&text[..begin]), escaped(&text[end..]))
        }
        _ => escaped(text),
    }
}

#[derive(Debug, Serialize)]
struct Shown<'s> {
    schema: u32,
    command: &'static str,
    cassette: String,
    messages: Vec<Message<'s>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'s> {
    elapsed_ms: u64,
    connection_id: &'s str,
    from: &'static str,
    kind: Option<&'static str>,
    method: Option<&'s str>,
    id: Option<&'s str>,
    text: &'s str,
}

fn message(said: &Said) -> Message<'_> {
    Message {
        elapsed_ms: said.at.get(),
        connection_id: &said.connection,
        from: said.by.as_str(),
        kind: said.kind.map(MessageKind::as_str),
        method: said.method.as_deref(),
        id: said.id.as_deref(),
        text: &said.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_of_more_than_both_ends_are_shortened() {
        let (first, last) = SHOWN;
        let fits = "é".repeat(first + last);
        assert_eq!(shortened(&fits), fits);
        let long = format!("{}xyz{}", "a".repeat(first), "é".repeat(last));
        let shown = format!("{}…{}", "a".repeat(first), "é".repeat(last));
        assert_eq!(shortened(&long), shown);
        assert_eq!(shortened(""), "");
    }
}
