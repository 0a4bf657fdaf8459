//! What is known of a running process by its number. Linux only.

use std::time::Duration;

/// What a process has taken so far, without its children.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Taken {
    /// Processor time, user and system.
    pub(crate) cpu: Duration,
    /// Kilobytes of memory at most.
    pub(crate) peak: u64,
}

impl Taken {
    /// What a process has taken, if that can be told.
    #[cfg(target_os = "linux")]
    pub(crate) fn by(process: u32) -> Option<Self> {
        let read = |file| std::fs::read_to_string(format!("/proc/{process}/{file}"));
        let status = read("status").ok()?;
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        let peak = peak.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        let stat = read("stat").ok()?;
        // Behind the name, which may hold anything: state, ..., utime and stime.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let mut ticks = || fields.next()?.parse::<u64>().ok();
        let ticks = ticks()? + ticks()?;
        let cpu = Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second());
        Some(Self { cpu, peak })
    }

    /// What a process has taken, if that can be told.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn by(_process: u32) -> Option<Self> {
        None
    }
}
