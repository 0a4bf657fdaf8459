//! The task that sees a process end: waits for its exit without reaping it, lets
//! the pumps drain the pipes for a bounded time, ends the group, reaps.

use std::sync::Arc;
use std::thread;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::exit::{Ended, OutputEnd};
use crate::output::{Order, Progress};
use crate::process::Process;
use crate::sys::ExitWatch;

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

    pub(crate) async fn run(
        mut self,
        progress: watch::Receiver<Progress>,
        orders: watch::Sender<Order>,
    ) {
        let seen = ExitWatch::over(self.process.leader.group()).exited().await;
        self.process.note_exit(&seen);
        let output = self.drain(progress, &orders).await;
        self.process.finish(Ended {
            output,
            discarded: 0,
        });
        self.finished = true;
    }

    async fn drain(
        &self,
        mut progress: watch::Receiver<Progress>,
        orders: &watch::Sender<Order>,
    ) -> OutputEnd {
        let limits = self.process.options.drain;
        let ending = self.process.ending();
        let started = Instant::now();
        let own = started + limits.total;
        // An earlier closing, given up long ago, has no say.
        let closing = ending.deadline.filter(|closing| *closing > started);
        let deadline = closing.map_or(own, |closing| closing.min(own));
        let before = progress.borrow().bytes;
        let end = loop {
            let Progress { open, bytes } = *progress.borrow_and_update();
            if open == 0 {
                return OutputEnd::Eof;
            }
            if self.process.ending().abandoned {
                break OutputEnd::Abandoned;
            }
            let now = Instant::now();
            if bytes - before >= limits.bytes as u64 || now >= deadline {
                break OutputEnd::Limit;
            }
            let quiet = (now + limits.idle).min(deadline);
            if timeout_at(quiet, progress.changed()).await.is_err() && quiet < deadline {
                break OutputEnd::Grace;
            }
        };
        let order = if end == OutputEnd::Grace {
            Order::FinishNow
        } else {
            Order::Stop
        };
        orders.send_replace(order);
        // The pumps hold the senders: an error means that they are gone too.
        progress.wait_for(|progress| progress.open == 0).await.ok();
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
            process.note_exit(&process.leader.group().wait_for_leader());
            process.finish(Ended {
                output: OutputEnd::Abandoned,
                discarded: 0,
            });
        };
        // Without a thread the process stays a zombie until the host ends: waiting
        // here could block for ever.
        thread::Builder::new()
            .name("process-reap".into())
            .spawn(reap)
            .ok();
    }
}
