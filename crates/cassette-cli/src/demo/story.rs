//! What is told of the demo: each step with the commands that were run, what they said,
//! and whether they did what they should.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::workplace::{Place, Ran};
use crate::escaped::escaped;

/// Characters of a line that are shown.
const WIDTH: usize = 118;

/// What happened in a step.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Telling {
    step: &'static str,
    title: &'static str,
    verdict: Verdict,
    commands: Vec<Told>,
    /// What should have been otherwise.
    problem: Option<String>,
}

/// How a step has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Ok,
    Failed,
}

/// A command that was run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    directory: &'static str,
    command: String,
    exit_code: Option<i32>,
    /// What it said, or a part of that.
    said: Vec<String>,
    /// What is remarkable about it.
    remark: Option<String>,
}

impl Telling {
    /// A step that has begun.
    pub(super) const fn of(step: &'static str, title: &'static str) -> Self {
        Self {
            step,
            title,
            verdict: Verdict::Ok,
            commands: Vec::new(),
            problem: None,
        }
    }

    /// Tells of a command and all that it said.
    pub(super) fn command(&mut self, place: Place, ran: &Ran) {
        let said = ran.output.lines().map(str::to_owned).collect();
        self.part_of_command(place, ran, said);
    }

    /// Tells of a command and a part of what it said.
    pub(super) fn part_of_command(&mut self, place: Place, ran: &Ran, said: Vec<String>) {
        self.commands.push(Told {
            directory: place.name(),
            command: ran.typed.clone(),
            exit_code: ran.code,
            said,
            remark: None,
        });
    }

    /// Says something about the last command.
    pub(super) fn remark(&mut self, remark: impl Into<String>) {
        if let Some(last) = self.commands.last_mut() {
            last.remark = Some(remark.into());
        }
    }

    /// Says that the step did not do what it should.
    pub(super) fn fail(&mut self, problem: String) {
        self.verdict = Verdict::Failed;
        self.problem = Some(problem);
    }

    /// The name of the step.
    pub(super) const fn step(&self) -> &'static str {
        self.step
    }

    pub(super) fn is_failed(&self) -> bool {
        self.verdict == Verdict::Failed
    }
}

impl Display for Telling {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.step, self.title)?;
        for told in &self.commands {
            write!(f, "\n{told}")?;
        }
        let problem = self.problem.iter();
        problem
            .into_iter()
            .try_for_each(|problem| write!(f, "\n  FAILED: {problem}"))
    }
}

impl Display for Told {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut head = format!("  {}$ {}", self.directory, self.command);
        head.push_str(&match self.exit_code {
            Some(0) => String::new(),
            Some(code) => format!("  [exit code {code}]"),
            None => "  [killed]".to_owned(),
        });
        f.write_str(&head)?;
        // Side by side with the command, where there is room.
        match (self.said.as_slice(), &self.remark) {
            ([only], None) if fits(&head, only) => return write!(f, "  -> {only}"),
            ([], Some(remark)) if fits(&head, remark) => return write!(f, "  = {remark}"),
            _ => {}
        }
        let lines = self.said.iter().map(|line| short(line));
        let remark = self.remark.iter().map(|remark| format!("= {remark}"));
        let mut lines = lines.chain(remark);
        lines.try_for_each(|line| write!(f, "\n    {line}"))
    }
}

fn fits(head: &str, line: &str) -> bool {
    head.chars().count() + line.chars().count() + "  -> ".len() <= WIDTH
}

fn short(line: &str) -> String {
    let line = escaped(line);
    if line.chars().count() <= WIDTH {
        return line;
    }
    let mut short: String = line.chars().take(WIDTH - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_end_where_the_screen_does() {
        assert_eq!(short(&"é".repeat(WIDTH)), "é".repeat(WIDTH));
        assert_eq!(
            short(&"é".repeat(WIDTH + 1)),
            format!("{}…", "é".repeat(WIDTH - 1))
        );
    }
}
