//! What the operating system tells of time and memory. Where it tells nothing it is `None`.

/// Memory of this process, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    /// In use now.
    pub(crate) now: u64,
    /// The most since the start, or since [`forget_peak`].
    pub(crate) peak: u64,
}

/// Seconds that this process has taken of all processors.
#[cfg(unix)]
pub(crate) fn cpu_seconds() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
}

/// Seconds that this process has taken of all processors.
#[cfg(not(unix))]
pub(crate) fn cpu_seconds() -> Option<f64> {
    None
}

/// Seconds that a running process of one thread has taken of a processor.
pub(crate) fn cpu_seconds_of(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let nanoseconds: f64 = stat.split(' ').next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// Seconds that ended children have taken of all processors, in steps of hundredths.
pub(crate) fn cpu_seconds_of_ended() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may hold anything: state, ..., utime, stime, cutime, cstime.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Memory of this process.
pub(crate) fn memory() -> Option<Memory> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kibibytes * 1024)
    };
    Some(Memory {
        now: bytes("VmRSS:")?,
        peak: bytes("VmHWM:")?,
    })
}

/// Makes the peak what is in use now.
pub(crate) fn forget_peak() -> Option<()> {
    std::fs::write("/proc/self/clear_refs", "5").ok()
}

/// How many processes wanted to run in the last minute.
pub(crate) fn load_average() -> Option<f64> {
    let averages = std::fs::read_to_string("/proc/loadavg").ok()?;
    averages.split(' ').next()?.parse().ok()
}

/// What the processor calls itself.
pub(crate) fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

pub(crate) use one_core::OneCore;

#[cfg(target_os = "linux")]
mod one_core {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// This thread and what it starts stay on one core while it lives. On two, where the scheduler
    /// happens to put an agent decides between 5 and 100 microseconds of a round trip, whoever
    /// runs it.
    #[derive(Debug)]
    pub(crate) struct OneCore(Option<CpuSet>);

    impl OneCore {
        /// Stays on the core that it runs on.
        pub(crate) fn stay() -> Self {
            let before = sched_getaffinity(None).ok();
            let mut one = CpuSet::new();
            one.set(sched_getcpu());
            let set = sched_setaffinity(None, &one);
            Self(before.filter(|_| set.is_ok()))
        }
    }

    impl Drop for OneCore {
        fn drop(&mut self) {
            if let Some(before) = &self.0 {
                sched_setaffinity(None, before).ok();
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod one_core {
    /// Nothing: there is no such call here.
    #[derive(Debug)]
    pub(crate) struct OneCore;

    impl OneCore {
        /// Stays nowhere.
        pub(crate) fn stay() -> Self {
            Self
        }
    }
}
