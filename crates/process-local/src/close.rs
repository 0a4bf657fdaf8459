//! Closing step by step, and the report of what each step did.

use std::io;
use std::time::Duration;

use cassette_format::process::{ControlError, EndRequest};
use tokio::time::{Instant, timeout};

use crate::exit::OutputEnd;
use crate::input::Input;
use crate::process::{Process, Stage};

/// What happened when a connection was closed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CloseReport {
    /// The steps that were taken, in order; none if the process had ended before.
    pub steps: Vec<StepReport>,
    /// Why no more output was read; `None` if the process did not end.
    pub output: Option<OutputEnd>,
    /// Bytes of output that were read and not kept.
    pub discarded_bytes: u64,
    /// Which descendants were ended; [`TreeEnd::BestEffort`] if the process did not end.
    pub tree: TreeEnd,
}

/// What one step of closing did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StepReport {
    /// The step.
    pub step: CloseStep,
    /// What came of it.
    pub outcome: StepOutcome,
    /// How long the exit was waited for.
    pub waited: Duration,
    /// That the operating system refused it, and why.
    pub refused: Option<io::ErrorKind>,
}

/// A step of closing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseStep {
    /// The end of the input.
    Input,
    /// SIGTERM to the group.
    Terminate,
    /// SIGKILL to the group.
    Kill,
}

/// What came of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepOutcome {
    /// The process ended.
    Exited,
    /// It still ran when the step's time was over.
    StillRunning,
}

/// Which descendants of a process are ended with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TreeEnd {
    /// Those in its group. One that has left the group may live on.
    #[default]
    BestEffort,
    /// All of them, whatever they did: by a [`Supervisor`](crate::Supervisor), or by the
    /// job object that Windows has.
    Supervised,
}

impl CloseReport {
    /// The step after which the process ended, if it took one.
    #[must_use]
    pub fn ended_by(&self) -> Option<CloseStep> {
        let last = self
            .steps
            .last()
            .filter(|last| last.outcome == StepOutcome::Exited);
        last.map(|last| last.step)
    }
}

/// Ends the process, a step after the other.
pub(crate) async fn close(
    process: &Process,
    input: &Input,
) -> (CloseReport, Result<(), ControlError>) {
    process.begin_close();
    let _until_done = Closing(process);
    let mut steps = Vec::new();
    if process.stage() == Stage::Running {
        let delays = process.options.close;
        let ladder = [
            (CloseStep::Input, delays.after_input),
            (CloseStep::Terminate, delays.after_terminate),
            (CloseStep::Kill, delays.after_kill),
        ];
        for (step, patience) in ladder {
            let report = take_step(step, patience, process, input).await;
            let exited = report.outcome == StepOutcome::Exited;
            steps.push(report);
            if exited {
                break;
            }
        }
    }
    let (output, tree, result) = if process.stage() == Stage::Running {
        let result = Err(ControlError::DidNotExit);
        (None, TreeEnd::BestEffort, result)
    } else {
        // Bounded by the drain, which knows of the closing.
        let output = process.finished().await.output;
        (Some(output), process.tree(), Ok(()))
    };
    let discarded_bytes = process.queue.discarded();
    (
        CloseReport {
            steps,
            output,
            discarded_bytes,
            tree,
        },
        result,
    )
}

/// A closing; given up when it is dropped while the process runs.
struct Closing<'a>(&'a Process);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.give_up_closing();
    }
}

async fn take_step(
    step: CloseStep,
    patience: Duration,
    process: &Process,
    input: &Input,
) -> StepReport {
    let started = Instant::now();
    let taken = match step {
        CloseStep::Input => {
            input.end_now();
            Ok(())
        }
        CloseStep::Terminate => process.leader.ask_to_end(EndRequest::Terminate),
        CloseStep::Kill => process.leader.kill(),
    };
    let outcome = match timeout(patience, process.exited()).await {
        Ok(()) => StepOutcome::Exited,
        Err(_) => StepOutcome::StillRunning,
    };
    let refused = taken.err().map(|error| error.kind());
    StepReport {
        step,
        outcome,
        waited: started.elapsed(),
        refused,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::runtime::Handle;

    use super::*;
    use crate::leader::Leader;
    use crate::options::LocalOptions;
    use crate::sys;

    #[tokio::test(start_paused = true)]
    async fn every_step_is_taken_with_its_delay_and_again_after_a_failure() {
        let (leader, pipes) = Leader::with_pipes(&["/bin/cat"]);
        // Nobody watches it, so its exit is never seen.
        let process = Arc::new(Process::new(leader, LocalOptions::default()));
        let input = Input::new(pipes.stdin, &process, &Handle::current());
        let step = |step, milliseconds| StepReport {
            step,
            outcome: StepOutcome::StillRunning,
            waited: Duration::from_millis(milliseconds),
            refused: None,
        };
        let steps = vec![
            step(CloseStep::Input, 250),
            step(CloseStep::Terminate, 750),
            step(CloseStep::Kill, 2000),
        ];

        for _ in 0..2 {
            let (report, result) = close(&process, &input).await;

            assert!(
                matches!(result, Err(ControlError::DidNotExit)),
                "{result:?}"
            );
            let expected = CloseReport {
                steps: steps.clone(),
                output: None,
                discarded_bytes: 0,
                tree: TreeEnd::BestEffort,
            };
            assert_eq!(report, expected);
        }

        process.note_exit(&sys::wait_for_exit(&process.leader));
        process.finish(OutputEnd::Eof);
        let (report, result) = close(&process, &input).await;
        assert!(result.is_ok());
        assert_eq!(
            (report.steps, report.output),
            (vec![], Some(OutputEnd::Eof))
        );
    }
}
