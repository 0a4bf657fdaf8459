//! Starting a process: what is refused, how it is run, which tasks look after it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{Failure, Launch, LaunchSpec, StartError};
use tokio::runtime::Handle;

use crate::attendant::Attendant;
use crate::close::TreeEnd;
use crate::connection::LocalConnection;
use crate::diagnostics;
use crate::environment::Environment;
use crate::input::Input;
use crate::leader::Leader;
use crate::options::LocalOptions;
use crate::output::Pump;
use crate::process::Process;
use crate::queue::Stream;
use crate::sys;
use crate::verified::{VerifiedExecutable, VerifyError, refused_override};

/// What the operating system means when it finds no file where there is one.
const NO_INTERPRETER: &str = "the file is there, but not the interpreter that its first line names";
/// What is said of an argument that no process can be given.
const ZERO_BYTE: &str = "an argument holds a zero byte";
/// What is said where all descendants were to be ended.
const UNSUPERVISED: &str = "nothing here ends all descendants of a process";

/// Starts a process on the current tokio runtime. It runs until it ends, is ended
/// or its connection is dropped.
///
/// A command without a separator is searched for in the
/// [`SearchPath`](crate::SearchPath) of the launch's environment; a relative one
/// with a separator counts from the directory of the launch.
///
/// A launch with a session says in its diagnostics whom the process serves; that
/// makes no other difference.
///
/// Of a launch with an identity only these bytes run, as
/// [`VerifiedExecutable`] says; what makes a program
/// load other code ([`REFUSED`](crate::REFUSED)) is not inherited. This blocks while the
/// file is copied and read; [`LocalTransport`](crate::LocalTransport) does it on another
/// thread.
///
/// # Errors
/// [`StartError::NoCommand`] and [`StartError::SensitiveFiles`] for a launch that asks
/// for these; [`StartError::CommandNotFound`], [`StartError::DirectoryNotFound`] and
/// [`StartError::InvalidVariable`]; with an identity [`StartError::NotVerified`], with a
/// [`VerifyError`] inside, and [`StartError::RefusedVariable`];
/// [`StartError::Spawn`] if there is no runtime or the operating system refuses.
/// Nothing runs then.
///
/// # Panics
/// If the runtime was built without I/O or time. Nothing runs then.
pub fn spawn(
    launch: impl Into<Launch>,
    options: LocalOptions,
) -> Result<LocalConnection, StartError> {
    start(&launch.into(), options, None)
}

/// Starts what was verified, whatever the launch says of the executable.
pub(crate) fn spawn_verified(
    launch: &Launch,
    executable: &VerifiedExecutable,
) -> Result<LocalConnection, StartError> {
    start(launch, LocalOptions::default(), Some(executable))
}

fn start(
    launch: &Launch,
    options: LocalOptions,
    given: Option<&VerifiedExecutable>,
) -> Result<LocalConnection, StartError> {
    let name = command_of(&launch.spec)?;
    let refused = |source| StartError::Spawn {
        command: shown(name),
        source,
    };
    let runtime = Handle::try_current().map_err(|error| refused(io::Error::other(error)))?;
    // Panics where there is none, before anything runs.
    drop(tokio::time::sleep(Duration::ZERO));
    if launch.spec.argv.iter().any(|argument| holds_zero(argument)) {
        let unsayable = io::Error::new(io::ErrorKind::InvalidInput, ZERO_BYTE);
        return Err(refused(unsayable));
    }
    let promise = sys::promise(&options.supervisor);
    if options.require == TreeEnd::Supervised && promise != TreeEnd::Supervised {
        let unsupported = io::Error::new(io::ErrorKind::Unsupported, UNSUPERVISED);
        return Err(refused(unsupported));
    }
    let environment = environment_of(&launch.spec, given)?;
    let file = match given {
        Some(given) => Some(given.path().to_owned()),
        None => environment.find(name),
    };
    diagnostics::starting(launch, file.as_deref(), &environment);
    let file = file.ok_or_else(|| StartError::CommandNotFound {
        command: shown(name),
        searched: environment.search_path().into_paths(),
    })?;
    let directory = launch.spec.cwd.as_deref().and_then(directory);
    if let Some(missing) = directory.filter(|directory| !directory.is_dir()) {
        return Err(StartError::DirectoryNotFound {
            directory: missing.to_owned(),
        });
    }

    let opened = open_verified(&launch.spec, &file, (directory, &options))?;
    let verified = given.or(opened.as_ref());
    let effective = environment.effective();
    let mut command = Command::new(verified.map_or(file.as_path(), VerifiedExecutable::program));
    command
        .args(&launch.spec.argv[1..])
        .env_clear()
        .envs(effective.iter())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    let check_held = || match verified {
        Some(verified) => verified
            .check_held()
            .map_err(|error| not_verified(name, error)),
        None => Ok(()),
    };
    check_held()?;
    let started = sys::spawn(
        command,
        name,
        &options.supervisor,
        verified.map(VerifiedExecutable::file),
    )
    .map_err(|error| {
        // A writer that waits for the end of a lease makes the file busy.
        if let Err(broken) = check_held() {
            return broken;
        }
        let exists = directory.map_or(file.exists(), |directory| directory.join(&file).exists());
        match error.kind() {
            io::ErrorKind::NotFound if exists => refused(io::Error::other(NO_INTERPRETER)),
            io::ErrorKind::NotFound => StartError::CommandNotFound {
                command: shown(name),
                searched: Vec::new(),
            },
            _ => refused(error),
        }
    });
    let (child, pipes) = started.inspect_err(diagnostics::not_started)?;
    let method = verified.map(VerifiedExecutable::method);
    diagnostics::started(child.id(), method);
    let process = Arc::new(Process::new(Leader::new(child), options));
    // From here on nothing is left behind by a failure: the attendant sees to it.
    let attendant = Attendant::new(Arc::clone(&process));
    let pipes = pipes.map_err(refused)?;
    check_held()?;

    let input = Input::new(pipes.stdin, &process, &runtime);
    let pump = |stream| Pump::new(stream, &process);
    runtime.spawn(pump(Stream::Stdout).run(pipes.stdout));
    runtime.spawn(pump(Stream::Stderr).run(pipes.stderr));
    runtime.spawn(attendant.run(Arc::clone(&input)));
    Ok(LocalConnection::new(process, input, effective).with_method(method))
}

/// The environment of a launch that sets nothing which is refused.
fn environment_of(
    spec: &LaunchSpec,
    given: Option<&VerifiedExecutable>,
) -> Result<Environment, StartError> {
    let environment = Environment::of_launch(spec);
    if let Some(name) = environment.unsayable_name() {
        return Err(StartError::InvalidVariable { name });
    }
    if given.is_none() && spec.executable.is_none() {
        return Ok(environment);
    }
    match refused_override(environment.overrides()) {
        Some(name) => Err(StartError::RefusedVariable { name }),
        None => Ok(environment.without_refused()),
    }
}

/// The executable of a launch that says which bytes it has to be.
fn open_verified(
    spec: &LaunchSpec,
    file: &Path,
    (directory, options): (Option<&Path>, &LocalOptions),
) -> Result<Option<VerifiedExecutable>, StartError> {
    let Some(identity) = &spec.executable else {
        return Ok(None);
    };
    let file = directory.map_or_else(|| file.to_owned(), |directory| directory.join(file));
    let opened = VerifiedExecutable::open(file, identity, &options.verify);
    let name = spec.argv.first().map(OsString::as_os_str);
    opened
        .map(Some)
        .map_err(|error| not_verified(name.unwrap_or_default(), error))
        .inspect_err(diagnostics::not_started)
}

fn not_verified(name: &OsStr, error: VerifyError) -> StartError {
    match error {
        VerifyError::NotFound { .. } => StartError::CommandNotFound {
            command: shown(name),
            searched: Vec::new(),
        },
        error => StartError::NotVerified {
            command: shown(name),
            source: Failure::new(error),
        },
    }
}

/// The command of a launch that asks for nothing which is refused.
fn command_of(spec: &LaunchSpec) -> Result<&OsStr, StartError> {
    let name = spec.argv.first().filter(|name| !name.is_empty());
    let name = name.ok_or(StartError::NoCommand)?;
    if !spec.sensitive_inherited_files.is_empty() {
        return Err(StartError::SensitiveFiles {
            count: spec.sensitive_inherited_files.len(),
        });
    }
    Ok(name)
}

fn holds_zero(argument: &OsStr) -> bool {
    argument.as_encoded_bytes().contains(&0)
}

fn shown(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// The directory to run in, without white space around it; `None` when blank.
fn directory(cwd: &Path) -> Option<&Path> {
    match cwd.to_str().map(str::trim) {
        Some("") => None,
        Some(trimmed) => Some(Path::new(trimmed)),
        None => Some(cwd),
    }
}
