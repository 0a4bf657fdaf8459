//! This test binary under `strace`.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Where the process that does the work finds its directory; it does nothing without.
const DIRECTORY: &str = "CASSETTE_FAULTS_DIRECTORY";

/// The directory of the process that does the work, if this is one.
pub(crate) fn directory() -> Option<std::path::PathBuf> {
    std::env::var_os(DIRECTORY).map(Into::into)
}

/// How a run ended, and what was traced.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) ended: ExitStatus,
    pub(crate) log: String,
}

impl Run {
    /// How often the process said this.
    pub(crate) fn said(&self, what: &str) -> usize {
        let said = format!("\"said: {what}\\n\"");
        let lines = self.log.lines().filter(|line| line.contains(&said));
        // Not where it was about to say it, or could not.
        let results = lines.filter_map(|line| line.rsplit_once(" = "));
        let done = results.filter(|(_, result)| result.parse::<usize>().is_ok());
        done.count()
    }
}

/// Has a test of [`crate::work`] work in `directory` under `strace` with these arguments.
/// `None` where there is no tracer that may trace.
pub(crate) fn traced(directory: &Path, work: &str, arguments: &[&str]) -> Option<Run> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let ended = Command::new("strace")
        .args(["-f", "-y", "-qq", "-s", "1000000", "-o"])
        .arg(log.path())
        .args(arguments)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("work::{work}")])
        .args(["--nocapture", "--test-threads=1"])
        .env(DIRECTORY, directory)
        // Of a call that fails on purpose the place is known, and names take a second to read.
        .env("RUST_BACKTRACE", "0")
        // Where Cargo has the loader look for libraries is no part of this.
        .env_remove("LD_LIBRARY_PATH")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let log = fs::read_to_string(log.path()).unwrap();
    match ended {
        Ok(ended) if ended.success() || !log.is_empty() => Some(Run { ended, log }),
        _ => {
            println!("faults: skipped: there is no strace, or it may not trace");
            None
        }
    }
}
