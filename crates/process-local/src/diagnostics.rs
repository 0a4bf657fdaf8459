//! What is told of processes through `tracing`, all under this crate's target.
//!
//! Of the environment only `PATH` is shown, and of the arguments nothing: both hold
//! secrets.

use std::path::Path;

use cassette_format::process::{EffectiveEnvironment, Launch, StartError};
use tracing::{debug, warn};

use crate::close::CloseReport;
use crate::environment::Environment;
use crate::exit::ExitReport;
use crate::search_path::path_entries;
use crate::verified::Method;

/// Directories of `PATH` that are shown.
const SHOWN_DIRECTORIES: usize = 6;
/// Variables that name a proxy, in capitals or not.
const PROXIES: [&str; 3] = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

/// A process is about to be started from this file; or is not, as there is none.
pub(crate) fn starting(launch: &Launch, file: Option<&Path>, environment: &Environment) {
    if !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let session = launch.session.as_ref();
    let effective = environment.effective();
    let path = path_entries(&effective);
    let proxy = has_proxy(&effective);
    debug!(
        provider = session.map(|session| display(&session.provider)),
        agent_session = session.map(|session| display(&session.agent_session)),
        cwd = launch.spec.cwd.as_ref().map(debug),
        command = launch.spec.argv.first().map(debug),
        resolved_command = file.map(debug),
        path_override_entries = path_entries(environment.overrides()).len(),
        path_entries = path.len(),
        path_head = ?&path[..path.len().min(SHOWN_DIRECTORIES)],
        proxy,
        proxy_source = if proxy { "env" } else { "none" },
        "starting a process",
    );
}

/// It was started, from bytes that were held in this way if it had to be certain ones.
pub(crate) fn started(process: u32, executable: Option<Method>) {
    debug!(
        process,
        executable = executable.map(display),
        "a process started"
    );
}

/// It was not, although its command was found.
pub(crate) fn not_started(error: &StartError) {
    debug!(
        error = error as &dyn std::error::Error,
        "a process did not start"
    );
}

/// A process has ended, and all that is read of its output was read.
pub(crate) fn ended(process: u32, report: &ExitReport) {
    debug!(
        process,
        code = report.code.get(),
        signal = report.signal,
        output = %report.output,
        discarded_bytes = report.discarded_bytes,
        "a process ended",
    );
}

/// A process was closed, or could not be.
pub(crate) fn closed(process: u32, report: &CloseReport) {
    if report.output.is_some() {
        debug!(process, ended_by = ?report.ended_by(), "a process was closed");
    } else {
        warn!(process, steps = ?report.steps, "a process did not exit");
    }
}

/// Whether the process is told of a proxy. What else the system is set to, it has
/// to find out itself.
fn has_proxy(environment: &EffectiveEnvironment) -> bool {
    PROXIES.into_iter().any(|name| {
        environment
            .get_ignoring_case(name)
            .is_some_and(|value| !value.is_empty())
    })
}
