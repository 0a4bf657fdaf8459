//! Processes that the fake agent starts of itself.

use std::env;
use std::io::{self, Read as _};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use crate::sys;

/// How long each process of a relay lives.
const RELAY_TIME: Duration = Duration::from_millis(2);

/// Starts one with the arguments up to `;`, both outputs shared. Gives its id.
pub(crate) fn hold(arguments: &mut impl Iterator<Item = String>, input: Stdio) -> io::Result<u32> {
    let own = arguments.take_while(|argument| argument != ";");
    let child = itself()?.args(own).stdin(input).spawn()?;
    Ok(child.id())
}

/// Starts one with the arguments up to `;` from an intermediate process that leads
/// a session of its own and ends at once. Gives the id of the last one.
pub(crate) fn daemonise(arguments: &mut impl Iterator<Item = String>) -> io::Result<String> {
    let own = arguments.take_while(|argument| argument != ";");
    let mut intermediate = itself()?
        .arg("in-new-session")
        .args(own)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut id = String::new();
    if let Some(output) = &mut intermediate.stdout {
        output.read_to_string(&mut id)?;
    }
    intermediate.wait()?;
    Ok(id)
}

/// The intermediate process of [`daemonise`].
pub(crate) fn start_from_new_session(
    arguments: &mut impl Iterator<Item = String>,
) -> io::Result<()> {
    sys::lead_a_session()?;
    let child = without_pipes(itself()?.args(arguments))?;
    io::Write::write_all(&mut io::stdout(), child.id().to_string().as_bytes())
}

/// Starts itself again and ends, `times` times at most.
pub(crate) fn relay(times: u32) -> io::Result<ExitCode> {
    thread::sleep(RELAY_TIME);
    if let Some(left) = times.checked_sub(1) {
        itself()?.args(["relay", &left.to_string()]).spawn()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs itself with these arguments and ends as it ends.
pub(crate) fn run_again(arguments: impl Iterator<Item = String>) -> io::Result<ExitCode> {
    let status = itself()?.args(arguments).status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Leaves its session, starts itself again and ends, `times` times at most.
pub(crate) fn flee(times: u32) -> io::Result<ExitCode> {
    sys::lead_a_session()?;
    if let Some(left) = times.checked_sub(1) {
        without_pipes(itself()?.args(["flee", &left.to_string()]))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for the next link of a chain, each of which leads a session; the last one does
/// what the arguments say.
pub(crate) fn chain(links: u32, arguments: impl Iterator<Item = String>) -> io::Result<ExitCode> {
    // The first link leads a group already, so it cannot.
    sys::lead_a_session().ok();
    let mut next = itself()?;
    if let Some(left) = links.checked_sub(1) {
        next.args(["chain", &left.to_string()]);
    }
    next.args(arguments).spawn()?.wait()?;
    Ok(ExitCode::SUCCESS)
}

/// Starts itself as a supervisor of itself with the arguments, for the host with this
/// number or this process, and waits for it. Its host speaks through the input.
pub(crate) fn supervise(
    host: &str,
    arguments: impl Iterator<Item = String>,
) -> io::Result<ExitCode> {
    let host = host.replace("self", &std::process::id().to_string());
    itself()?
        .args(["process-local-supervisor-2", &host, ""])
        .arg(env::current_exe()?)
        .args(["--", "agent"])
        .args(arguments)
        .spawn()?
        .wait()?;
    Ok(ExitCode::SUCCESS)
}

fn without_pipes(command: &mut Command) -> io::Result<Child> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn itself() -> io::Result<Command> {
    Ok(Command::new(env::current_exe()?))
}
