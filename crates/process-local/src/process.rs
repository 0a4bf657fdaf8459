//! What the connection, the attendant and the tasks of one process share.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::close::TreeEnd;
use crate::deadline::after;
use crate::diagnostics;
use crate::exit::{ExitReport, OutputEnd, exit_frame};
use crate::leader::Leader;
use crate::options::{Leftovers, LocalOptions};
use crate::output::Pumps;
use crate::queue::FrameQueue;

/// What ending the descendants may take of a closing that has no time left.
const LEAST_PATIENCE: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) leader: Arc<Leader>,
    pub(crate) queue: FrameQueue,
    pub(crate) options: LocalOptions,
    pub(crate) pumps: Pumps,
    stage: watch::Sender<Stage>,
    report: OnceLock<ExitReport>,
    /// Which descendants were ended.
    tree: OnceLock<TreeEnd>,
    ending: Mutex<Ending>,
}

/// How far a process has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Running,
    /// It has ended and was not reaped; its output may still come.
    Exited,
    /// It was reaped and its exit frame is queued.
    Finished,
}

/// What the host has asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ending {
    /// The whole group is to end, whatever the options say of leftovers.
    pub(crate) whole_group: bool,
    /// The connection is gone.
    pub(crate) abandoned: bool,
    /// When closing has to be done.
    pub(crate) deadline: Option<Instant>,
}

impl Process {
    pub(crate) fn new(leader: Leader, options: LocalOptions) -> Self {
        Self {
            leader: Arc::new(leader),
            queue: FrameQueue::new(options.queue_limit),
            options,
            pumps: Pumps::default(),
            stage: watch::Sender::new(Stage::Running),
            report: OnceLock::new(),
            tree: OnceLock::new(),
            ending: Mutex::default(),
        }
    }

    pub(crate) fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Waits until the process has ended.
    ///
    /// # Cancel safety
    /// May be called again.
    pub(crate) async fn exited(&self) {
        let mut stage = self.stage.subscribe();
        while *stage.borrow_and_update() == Stage::Running && stage.changed().await.is_ok() {}
    }

    /// Waits until the exit frame is queued, and says how the process ended.
    pub(crate) async fn finished(&self) -> ExitReport {
        let mut stage = self.stage.subscribe();
        loop {
            // Set before the stage tells of it.
            if let Some(report) = self.report.get() {
                return report.clone();
            }
            // The sender lives in `self`, so this cannot fail.
            stage.changed().await.ok();
        }
    }

    /// How it ended, once its exit frame is queued.
    pub(crate) fn report(&self) -> Option<ExitReport> {
        self.report.get().cloned()
    }

    /// Which descendants were ended; while it runs, which will be.
    pub(crate) fn tree(&self) -> TreeEnd {
        let ended = self.tree.get().copied();
        ended.unwrap_or_else(|| self.leader.promise())
    }

    pub(crate) fn ending(&self) -> Ending {
        *self.lock_ending()
    }

    /// Closing begins: what is unread is bounded, and nobody waits for the host.
    pub(crate) fn begin_close(&self) {
        {
            let mut ending = self.lock_ending();
            ending.whole_group = true;
            ending.deadline = Some(after(Instant::now(), self.options.close.total()));
        }
        self.queue.keep(self.options.kept_after_close);
        self.pumps.wake();
    }

    /// Closing was given up while the process runs: it waits for the host again.
    pub(crate) fn give_up_closing(&self) {
        if self.stage() == Stage::Running {
            self.lock_ending().deadline = None;
            self.queue.hold_back();
        }
    }

    /// The connection is gone: all of it is killed at once.
    pub(crate) fn abandon(&self) {
        {
            let mut ending = self.lock_ending();
            ending.whole_group = true;
            ending.abandoned = true;
        }
        // There is nobody left to tell about a refusal.
        self.leader.end_tree(Leftovers::End).ok();
        self.queue.abandon();
        self.pumps.wake();
    }

    /// The process has ended and was not reaped, or `seen` says that somebody else
    /// has reaped it.
    pub(crate) fn note_exit(&self, seen: &io::Result<()>) {
        if seen.is_err() {
            self.leader.disown();
        }
        self.queue.keep(self.options.drain.bytes);
        self.stage.send_replace(Stage::Exited);
    }

    /// Ends what is left of a process that has ended, if that is wanted.
    pub(crate) fn end_tree(&self) {
        let leftovers = if self.ending().whole_group {
            Leftovers::End
        } else {
            self.options.leftovers
        };
        // EPERM: what is left has become another user's.
        self.leader.end_tree(leftovers).ok();
    }

    /// How long the end of the descendants is waited for.
    pub(crate) fn tree_patience(&self) -> Duration {
        let closing = self.ending().deadline;
        closing.map_or(self.options.close.after_kill, |deadline| {
            deadline
                .saturating_duration_since(Instant::now())
                .max(LEAST_PATIENCE)
        })
    }

    /// Reaps a process that has ended and queues the exit frame.
    pub(crate) fn finish(&self, output: OutputEnd) {
        // Only the first end counts, as in the queue.
        self.tree.set(self.leader.tree()).ok();
        let status = self.leader.reap();
        let report = ExitReport::new(&status, output, self.queue.discarded());
        self.queue.finish(exit_frame(&status, &report));
        diagnostics::ended(self.leader.id(), &report);
        self.report.set(report).ok();
        self.stage.send_replace(Stage::Finished);
    }

    fn lock_ending(&self) -> MutexGuard<'_, Ending> {
        self.ending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
