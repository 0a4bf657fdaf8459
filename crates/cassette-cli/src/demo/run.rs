//! The demo from its beginning to its end.

use std::process::ExitCode;

use serde::Serialize;

use super::steps::{STEPS, Stage};
use super::story::Telling;
use super::workplace::Workplace;
use crate::arguments::DemoArguments;
use crate::checks::FOUND;
use crate::results::{self, Form, SCHEMA};

/// Tells the story step by step. The first step that does not do what it should is the
/// last, and the exit code is 1 then.
pub(crate) fn run(arguments: &DemoArguments) -> anyhow::Result<ExitCode> {
    let form = arguments.output.form();
    let workplace = Workplace::make(arguments.keep.as_deref())?;
    let (directory, is_kept) = (workplace.directory().to_owned(), !workplace.is_temporary());
    let mut stage = Stage::new(workplace);
    let told = tell(&mut stage, form);
    stage.into_workplace().leave()?;
    let report = Report {
        schema: SCHEMA,
        command: "demo",
        directory: is_kept.then(|| directory.display().to_string()),
        steps: told?,
    };
    match form {
        Form::Json => results::print_json(&report)?,
        Form::Text => results::write(|output| writeln!(output, "{}", report.last_words()))?,
    }
    Ok(match report.failed() {
        Some(_) => ExitCode::from(FOUND),
        None => ExitCode::SUCCESS,
    })
}

/// Takes the steps, and tells of each once it is taken.
fn tell(stage: &mut Stage, form: Form) -> anyhow::Result<Vec<Telling>> {
    let mut told = Vec::new();
    for step in STEPS {
        let telling = step.take(stage);
        if form == Form::Text {
            results::write(|output| writeln!(output, "{telling}"))?;
        }
        let is_failed = telling.is_failed();
        told.push(telling);
        if is_failed {
            break;
        }
    }
    Ok(told)
}

#[derive(Debug, Serialize)]
struct Report {
    schema: u32,
    command: &'static str,
    /// Where the cassettes are, if they are kept.
    directory: Option<String>,
    steps: Vec<Telling>,
}

impl Report {
    /// The step that did not do what it should.
    fn failed(&self) -> Option<&Telling> {
        self.steps.iter().find(|step| step.is_failed())
    }

    fn last_words(&self) -> String {
        let outcome = match self.failed() {
            Some(failed) => format!("Step `{}` did not do what it should", failed.step()),
            None => format!("All {} steps did what they should", self.steps.len()),
        };
        match &self.directory {
            Some(directory) => format!("{outcome}; everything is in {directory}."),
            None => format!(
                "{outcome}; their files were temporary and are gone (--keep DIR keeps them)."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_is_named_with_what_should_have_been_otherwise() {
        let mut failed = Telling::of("replay", "again");
        failed.fail("it ended with exit code 0".to_owned());
        let shown = "replay: again\n  FAILED: it ended with exit code 0";
        assert_eq!(failed.to_string(), shown);
        let report = Report {
            schema: SCHEMA,
            command: "demo",
            directory: Some("/kept".to_owned()),
            steps: vec![Telling::of("record", "first"), failed],
        };
        assert!(report.failed().is_some());
        let words = "Step `replay` did not do what it should; everything is in /kept.";
        assert_eq!(report.last_words(), words);
    }
}
