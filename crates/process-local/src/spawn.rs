//! Starting a process: what is refused, how it is run, which tasks look after it.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use cassette_format::process::{LaunchSpec, StartError};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

use crate::connection::LocalConnection;
use crate::environment::Environment;
use crate::input::Input;
use crate::leader::Leader;
use crate::options::LocalOptions;
use crate::output::{Pump, Pumps};
use crate::process::Process;
use crate::queue::Stream;
use crate::supervisor::Supervisor;
use crate::sys;

/// Starts a process on the current tokio runtime. It runs until it ends, is ended
/// or its connection is dropped.
///
/// A command without a separator is searched for as
/// [`Environment::search_directories`] says; a relative one with a separator
/// counts from the directory of the launch.
///
/// # Errors
/// [`StartError::NoCommand`], [`StartError::SensitiveFiles`] and
/// [`StartError::VerificationUnsupported`] for a launch that asks for these;
/// [`StartError::Spawn`] if there is no runtime, no such command or directory, or
/// the operating system refuses. Nothing runs then.
///
/// # Panics
/// If the runtime was built without I/O or time.
pub fn spawn(spec: LaunchSpec, options: LocalOptions) -> Result<LocalConnection, StartError> {
    let environment = Environment::of_launch(&spec);
    let LaunchSpec {
        argv,
        cwd,
        executable,
        sensitive_inherited_files,
        ..
    } = spec;
    let mut argv = argv.into_iter();
    let name = argv
        .next()
        .filter(|name| !name.is_empty())
        .ok_or(StartError::NoCommand)?;
    if !sensitive_inherited_files.is_empty() {
        return Err(StartError::SensitiveFiles {
            count: sensitive_inherited_files.len(),
        });
    }
    if executable.is_some() {
        return Err(StartError::VerificationUnsupported);
    }
    let refused = |source| StartError::Spawn {
        command: name.to_string_lossy().into_owned(),
        source,
    };

    let runtime = Handle::try_current().map_err(|error| refused(io::Error::other(error)))?;
    let effective = environment.effective();
    let path = environment
        .find(&name)
        .ok_or_else(|| refused(not_found("command")))?;
    let mut command = Command::new(path);
    sys::prepare(&mut command, &name).map_err(refused)?;
    command.args(argv).env_clear().envs(effective.iter());
    if let Some(directory) = cwd.as_deref().and_then(directory) {
        if !directory.is_dir() {
            return Err(refused(not_found("working directory")));
        }
        command.current_dir(directory);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());

    let (process, input) = run(&mut command, options, &runtime).map_err(refused)?;
    Ok(LocalConnection::new(process, input, effective))
}

/// Runs the command with the tasks that look after it.
fn run(
    command: &mut Command,
    options: LocalOptions,
    runtime: &Handle,
) -> io::Result<(Arc<Process>, Arc<Input>)> {
    let mut child = command.spawn()?;
    let pipes = take_pipes(&mut child);
    let process = Arc::new(Process::new(Leader::new(child), options));
    // From here on nothing is left behind by a failure: the supervisor sees to it.
    let supervisor = Supervisor::new(Arc::clone(&process));
    let (stdin, stdout, stderr) = pipes?;

    let input = Input::new(stdin, &process, runtime);
    let pumps = Arc::new(Pumps::default());
    let pump = |stream| Pump::new(stream, &process, &pumps);
    runtime.spawn(pump(Stream::Stdout).run(stdout));
    runtime.spawn(pump(Stream::Stderr).run(stderr));
    runtime.spawn(supervisor.run(Arc::clone(&input), pumps));
    Ok((process, input))
}

fn take_pipes(child: &mut Child) -> io::Result<(ChildStdin, ChildStdout, ChildStderr)> {
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("the process has no pipes"));
    };
    Ok((
        ChildStdin::from_std(stdin)?,
        ChildStdout::from_std(stdout)?,
        ChildStderr::from_std(stderr)?,
    ))
}

/// The directory to run in, without white space around it; `None` when blank.
fn directory(cwd: &Path) -> Option<&Path> {
    match cwd.to_str().map(str::trim) {
        Some("") => None,
        Some(trimmed) => Some(Path::new(trimmed)),
        None => Some(cwd),
    }
}

fn not_found(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{what} not found"))
}
