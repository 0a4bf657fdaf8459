//! What the fake agent asks of the operating system beyond `std`.

#[cfg(not(unix))]
pub(crate) use other::{
    await_input, close_output, descriptors, end_request, enlarge_output, ignore_term,
    join_parents_group, lead_a_session, stop, unbuffered_stdout,
};
#[cfg(unix)]
pub(crate) use unix::{
    await_input, close_output, descriptors, end_request, enlarge_output, ignore_term,
    join_parents_group, lead_a_session, stop, unbuffered_stdout,
};

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::fd::AsFd as _;

    use tokio::signal::unix::{SignalKind, signal};

    /// Makes SIGTERM do nothing.
    pub(crate) fn ignore_term() -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let _inside = runtime.enter();
        // The handler stays for good, whether anybody listens or not.
        signal(SignalKind::terminate()).map(drop)
    }

    /// The name of the first signal that asks this process to end once it is ready for one.
    pub(crate) fn end_request(ready: impl FnOnce() -> io::Result<()>) -> io::Result<&'static str> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut interrupt = signal(SignalKind::interrupt())?;
            let mut terminate = signal(SignalKind::terminate())?;
            let mut hangup = signal(SignalKind::hangup())?;
            let mut quit = signal(SignalKind::quit())?;
            ready()?;
            Ok(tokio::select! {
                _ = interrupt.recv() => "SIGINT",
                _ = terminate.recv() => "SIGTERM",
                _ = hangup.recv() => "SIGHUP",
                _ = quit.recv() => "SIGQUIT",
            })
        })
    }

    /// Standard output without the line buffer of `std`.
    pub(crate) fn unbuffered_stdout() -> io::Result<impl Write> {
        Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }

    /// The numbers of the open descriptors, but for the one that lists them.
    pub(crate) fn descriptors() -> io::Result<String> {
        let mut numbers = Vec::new();
        for entry in std::fs::read_dir("/proc/self/fd")? {
            let entry = entry?;
            if std::fs::read_link(entry.path()).is_ok_and(|path| !path.starts_with("/proc")) {
                numbers.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        numbers.sort();
        Ok(numbers.join(" "))
    }

    /// Waits until there is input, which it leaves there.
    pub(crate) fn await_input() -> io::Result<()> {
        use rustix::event::{PollFd, PollFlags, poll};
        let input = io::stdin();
        poll(&mut [PollFd::new(&input, PollFlags::IN)], None)?;
        Ok(())
    }

    /// Stops this process until somebody lets it go on.
    pub(crate) fn stop() -> io::Result<()> {
        use rustix::process::{Signal, getpid, kill_process};
        Ok(kill_process(getpid(), Signal::STOP)?)
    }

    /// Has standard output hold as much as it may without privileges.
    pub(crate) fn enlarge_output() -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::pipe::fcntl_setpipe_size(io::stdout(), 1024 * 1024)?;
        Ok(())
    }

    /// Leaves its group for that of whoever started it.
    pub(crate) fn join_parents_group() -> io::Result<()> {
        use rustix::process::{getpgid, getppid, setpgid};
        Ok(setpgid(None, Some(getpgid(getppid())?))?)
    }

    /// Leaves the session and the group of whoever started it.
    pub(crate) fn lead_a_session() -> io::Result<()> {
        rustix::process::setsid()?;
        Ok(())
    }

    /// Closes standard output and standard error.
    pub(crate) fn close_output() -> io::Result<()> {
        let nowhere = File::options().write(true).open("/dev/null")?;
        rustix::stdio::dup2_stdout(&nowhere)?;
        rustix::stdio::dup2_stderr(&nowhere)?;
        Ok(())
    }
}

#[cfg(not(unix))]
mod other {
    use std::io::{self, Write};

    pub(crate) fn ignore_term() -> io::Result<()> {
        Ok(())
    }

    pub(crate) fn unbuffered_stdout() -> io::Result<impl Write> {
        Ok(io::stdout())
    }

    pub(crate) fn close_output() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn descriptors() -> io::Result<String> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn await_input() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn end_request(_ready: impl FnOnce() -> io::Result<()>) -> io::Result<&'static str> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn stop() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn enlarge_output() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn join_parents_group() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn lead_a_session() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
