//! The task that sees a process end: waits for its exit without reaping it, lets
//! the pumps drain the pipes for a bounded time, ends the group, reaps.

use std::sync::Arc;
use std::thread;

use tokio::time::{Instant, timeout_at};

use crate::exit::OutputEnd;
use crate::input::Input;
use crate::output::Pumps;
use crate::process::Process;
use crate::sys::{self, ExitWatch};

/// Sees one process end. Dropped before that, with the runtime say, it kills the
/// group and has a thread do the rest.
#[derive(Debug)]
pub(crate) struct Supervisor {
    process: Arc<Process>,
    finished: bool,
}

impl Supervisor {
    pub(crate) const fn new(process: Arc<Process>) -> Self {
        Self {
            process,
            finished: false,
        }
    }

    pub(crate) async fn run(mut self, input: Arc<Input>, pumps: Arc<Pumps>) {
        let seen = ExitWatch::over(&self.process.leader).exited().await;
        self.process.note_exit(&seen);
        input.end_now();
        let output = self.drain(&pumps).await;
        self.process.finish(output);
        self.finished = true;
    }

    async fn drain(&self, pumps: &Pumps) -> OutputEnd {
        let limits = self.process.options.drain;
        let ending = self.process.ending();
        let started = Instant::now();
        let own = started + limits.total;
        // An earlier closing, given up long ago, has no say.
        let closing = ending.deadline.filter(|closing| *closing > started);
        let deadline = closing.map_or(own, |closing| closing.min(own));
        let before = pumps.bytes();
        let end = loop {
            if pumps.open() == 0 {
                return OutputEnd::Eof;
            }
            if self.process.ending().abandoned {
                break OutputEnd::Abandoned;
            }
            let now = Instant::now();
            if pumps.bytes() - before >= limits.bytes as u64 || now >= deadline {
                break OutputEnd::Limit;
            }
            let quiet = (now + limits.idle).min(deadline);
            if timeout_at(quiet, pumps.moved()).await.is_err() && quiet < deadline {
                break OutputEnd::Grace;
            }
        };
        if end == OutputEnd::Grace {
            pumps.finish();
        } else {
            pumps.stop();
        }
        while pumps.open() > 0 {
            pumps.moved().await;
        }
        end
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // There is nobody left to tell about a refusal.
        self.process.leader.kill().ok();
        let process = Arc::clone(&self.process);
        let reap = move || {
            process.note_exit(&sys::wait_for_exit(&process.leader));
            process.finish(OutputEnd::Abandoned);
        };
        // Without a thread the process stays a zombie until the host ends: waiting
        // here could block for ever.
        thread::Builder::new()
            .name("process-reap".into())
            .spawn(reap)
            .ok();
    }
}
