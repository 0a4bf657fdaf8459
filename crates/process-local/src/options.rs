//! What a host may set about local processes: delays, limits, leftovers, supervision.

use std::path::PathBuf;
use std::time::Duration;

use crate::close::TreeEnd;
use crate::verified::VerifyOptions;

/// How local processes are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalOptions {
    /// How long each step of closing waits for the exit.
    pub close: CloseDelays,
    /// Bytes of unreceived output at which the process has to wait for the host:
    /// 1 MiB. A single chunk, of 64 KiB at most, is always taken.
    pub queue_limit: usize,
    /// Unreceived bytes that are kept after closing began, on top of those that
    /// were queued then: 1 MiB. Further ones are counted in the exit frame's message.
    /// Of chunks that cannot be joined, as they alternate between the outputs, 16 384
    /// are kept at most.
    pub kept_after_close: usize,
    /// How long output is read after the process ended.
    pub drain: DrainLimits,
    /// What happens to the rest of the group when the process ends by itself.
    pub leftovers: Leftovers,
    /// How an executable is held whose bytes the launch gives.
    pub verify: VerifyOptions,
    /// Whether a supervisor starts the process, which ends all its descendants.
    pub supervisor: Supervisor,
    /// Which descendants have to be ended at least. Where that cannot be seen to, nothing
    /// is started.
    pub require: TreeEnd,
}

/// How long each step of closing waits for the exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseDelays {
    /// After the end of the input: 250 ms.
    pub after_input: Duration,
    /// After SIGTERM: 750 ms.
    pub after_terminate: Duration,
    /// After SIGKILL: 2 s.
    pub after_kill: Duration,
}

/// How long output is read after the process ended, when a descendant keeps the
/// pipes open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrainLimits {
    /// Silence that ends it: 250 ms, counted from the exit and anew from each chunk.
    pub idle: Duration,
    /// Time after which it ends in any case: 2 s.
    pub total: Duration,
    /// Bytes after which it ends in any case: 4 MiB, more than two pipes hold.
    pub bytes: usize,
}

/// What happens to the rest of the group when the process ends by itself. If it is
/// closed, killed or dropped while it runs, the rest is always ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leftovers {
    /// It is killed.
    #[default]
    End,
    /// It goes on. Its output is no longer read.
    Leave,
}

/// Who starts a process and ends its descendants; see [`supervisor`](crate::supervisor).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Supervisor {
    /// The host itself.
    #[default]
    None,
    /// The host's own program, started once more, whose `main` begins with
    /// [`run_if_requested`](crate::supervisor::run_if_requested).
    SelfExe,
    /// Another program whose `main` does. A relative path counts from the host's directory.
    Program(PathBuf),
}

impl CloseDelays {
    /// The time that closing takes at most.
    pub(crate) fn total(self) -> Duration {
        self.after_input
            .saturating_add(self.after_terminate)
            .saturating_add(self.after_kill)
    }
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            close: CloseDelays::default(),
            queue_limit: 1024 * 1024,
            kept_after_close: 1024 * 1024,
            drain: DrainLimits::default(),
            leftovers: Leftovers::default(),
            verify: VerifyOptions::default(),
            supervisor: Supervisor::default(),
            require: TreeEnd::default(),
        }
    }
}

impl Default for CloseDelays {
    fn default() -> Self {
        Self {
            after_input: Duration::from_millis(250),
            after_terminate: Duration::from_millis(750),
            after_kill: Duration::from_secs(2),
        }
    }
}

impl Default for DrainLimits {
    fn default() -> Self {
        Self {
            idle: Duration::from_millis(250),
            total: Duration::from_secs(2),
            bytes: 4 * 1024 * 1024,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verified::VerifyMode;

    #[test]
    fn defaults_are_as_documented() {
        let expected = LocalOptions {
            close: CloseDelays {
                after_input: Duration::from_millis(250),
                after_terminate: Duration::from_millis(750),
                after_kill: Duration::from_secs(2),
            },
            queue_limit: 1 << 20,
            kept_after_close: 1 << 20,
            drain: DrainLimits {
                idle: Duration::from_millis(250),
                total: Duration::from_secs(2),
                bytes: 4 << 20,
            },
            leftovers: Leftovers::End,
            verify: VerifyOptions {
                mode: VerifyMode::Auto,
                copies: None,
            },
            supervisor: Supervisor::None,
            require: TreeEnd::BestEffort,
        };
        assert_eq!(LocalOptions::default(), expected);
    }
}
