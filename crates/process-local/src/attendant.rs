//! The task that sees a process end: waits for its exit without reaping it, lets
//! the pumps drain the pipes for a bounded time, ends what is left, reaps.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::deadline::after;
use crate::exit::OutputEnd;
use crate::input::Input;
use crate::options::Leftovers;
use crate::process::Ending;
use crate::process::Process;
use crate::sys::{self, ExitWatch};

/// Sees one process end. Dropped before that, with the runtime say, it ends all of
/// it and has a thread do the rest.
#[derive(Debug)]
pub(crate) struct Attendant {
    process: Arc<Process>,
    finished: bool,
}

impl Attendant {
    pub(crate) const fn new(process: Arc<Process>) -> Self {
        Self {
            process,
            finished: false,
        }
    }

    pub(crate) async fn run(mut self, input: Arc<Input>) {
        let seen = ExitWatch::over(&self.process.leader).exited().await;
        self.process.note_exit(&seen);
        input.end_now();
        let output = self.drain().await;
        self.process.end_tree();
        sys::tree_ended(&self.process.leader, self.process.tree_patience()).await;
        self.process.finish(output);
        self.finished = true;
    }

    /// Waits for the end of the outputs, which a descendant may hold open.
    async fn drain(&self) -> OutputEnd {
        let (limits, pumps) = (self.process.options.drain, &self.process.pumps);
        let started = Instant::now();
        let before = pumps.bytes();
        let end = loop {
            if pumps.open() == 0 {
                return OutputEnd::Eof;
            }
            let ending = self.process.ending();
            if ending.abandoned {
                break OutputEnd::Abandoned;
            }
            let now = Instant::now();
            let deadline = deadline(ending, started, limits.total);
            if pumps.bytes() - before >= limits.bytes as u64 || now >= deadline {
                break OutputEnd::Limit;
            }
            let quiet = after(now, limits.idle).min(deadline);
            if timeout_at(quiet, pumps.moved()).await.is_err() && quiet < deadline {
                break OutputEnd::Grace;
            }
        };
        if end == OutputEnd::Abandoned {
            pumps.stop();
        } else {
            // What is in the pipes may have been written before the exit.
            pumps.finish();
        }
        let mut ended_by_themselves = end == OutputEnd::Limit;
        while pumps.open() > 0 {
            pumps.moved().await;
        }
        ended_by_themselves &= pumps.ended_by_themselves() == 2;
        if ended_by_themselves {
            OutputEnd::Eof
        } else {
            end
        }
    }
}

/// When draining has to be done: a closing that goes on has its say.
fn deadline(ending: Ending, started: Instant, total: Duration) -> Instant {
    let own = after(started, total);
    // One that was given up long ago has none.
    let closing = ending
        .deadline
        .filter(|closing| after(*closing, total) > started);
    closing.map_or(own, |closing| closing.min(own))
}

impl Drop for Attendant {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // There is nobody left to tell about a refusal.
        self.process.leader.end_tree(Leftovers::End).ok();
        let process = Arc::clone(&self.process);
        let reap = move || {
            process.note_exit(&sys::wait_for_exit(&process.leader));
            sys::wait_for_tree(&process.leader, process.tree_patience());
            process.finish(OutputEnd::Abandoned);
        };
        if thread::Builder::new()
            .name("process-reap".into())
            .spawn(reap)
            .is_err()
        {
            // Without a thread it may stay a zombie until the host ends: waiting here
            // could block for ever. The exit frame comes all the same.
            self.process.note_exit(&Ok(()));
            self.process.finish(OutputEnd::Abandoned);
        }
    }
}
