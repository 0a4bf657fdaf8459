//! Running a verified executable to its end and taking what it says.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use cassette_format::process::{
    EffectiveEnvironment, ExitCode, FrameEvent, Inheritance, Launch, LaunchSpec, ProcessConnection,
    RecvError, StartError,
};

use super::environment::passed_on;
use super::error::VerifyError;
use super::executable::VerifiedExecutable;
use crate::connection::LocalConnection;
use crate::deadline::after;
use crate::exit::ExitReport;
use crate::spawn::spawn_verified;

/// Bytes that [`run_verified`] takes at most: 64 MiB.
pub const LARGEST_OUTPUT: NonZeroUsize = NonZeroUsize::new(64 * 1024 * 1024).unwrap();

/// How a verified executable is run to its end. `Debug` shows names of variables, never
/// their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// What the program is told it was called by; the path of the executable when absent.
    pub arg0: Option<OsString>,
    /// The working directory; that of this process when absent or blank.
    pub cwd: Option<PathBuf>,
    /// Variables on top of those that are [passed on](super::PASSED_ON). One of
    /// [`REFUSED`](super::REFUSED) is not taken.
    pub environment: EffectiveEnvironment,
    /// Time after which it is killed; none when absent.
    pub timeout: Option<Duration>,
}

/// What a verified executable said, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunOutput {
    /// What was taken of its output.
    pub bytes: Vec<u8>,
    /// How it ended.
    pub exit: ExitReport,
}

impl RunOutput {
    /// Whether it ended with code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.exit.code == ExitCode::new(0)
    }
}

/// Why a verified executable did not run, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file was not verified.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// It did not start.
    #[error("cannot run `{}`", path.display())]
    Start {
        /// The executable.
        path: PathBuf,
        /// Why not.
        source: StartError,
    },
    /// It said more than was wanted, and was killed.
    #[error("`{}` said more than {limit} bytes", path.display())]
    Overflow {
        /// The executable.
        path: PathBuf,
        /// How much was wanted.
        limit: NonZeroUsize,
    },
    /// It did not end in time, and was killed.
    #[error("`{}` did not end within {timeout:?}", path.display())]
    TimedOut {
        /// The executable.
        path: PathBuf,
        /// The time it had.
        timeout: Duration,
    },
    /// What it said could not be read. It was killed.
    #[error("cannot read what `{}` says", path.display())]
    Read {
        /// The executable.
        path: PathBuf,
        /// What the operating system said.
        source: RecvError,
    },
}

/// Runs an executable without input to its end and takes both its outputs, as they came:
/// each in its order, and up to [`LARGEST_OUTPUT`].
///
/// The environment is [what is passed on](super::PASSED_ON) and what the options add. An
/// exit code other than 0 is no error. The process leads a group, which is ended with it.
///
/// ```
/// use process_local::{RunOptions, VerifiedExecutable, VerifyOptions, identify, run_verified};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # if !cfg!(target_os = "linux") { return Ok(()); }
/// # let path = std::fs::canonicalize("/bin/cat")?;
/// // Once, when the program is known to be the right one.
/// let identity = identify(&path)?;
/// // Later, when it is to run.
/// let cat = VerifiedExecutable::open(&path, &identity, &VerifyOptions::default())?;
/// let said = run_verified(&cat, ["--help"], &RunOptions::default()).await?;
/// # let _ = said;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// See [`RunError`]. Nothing of it runs on when there is one.
///
/// # Cancel safety
/// Dropped, it kills the process and its group.
pub async fn run_verified<A: Into<OsString>>(
    executable: &VerifiedExecutable,
    arguments: impl IntoIterator<Item = A>,
    options: &RunOptions,
) -> Result<RunOutput, RunError> {
    let arguments = arguments.into_iter().map(Into::into).collect();
    let run = Run {
        executable,
        arguments,
        options,
        input: &[],
        taken: Taken::Both,
        limit: LARGEST_OUTPUT,
    };
    run.run().await
}

/// Runs an executable without input to its end and takes its standard output alone. Past
/// the limit it is killed.
///
/// Otherwise as [`run_verified`].
///
/// # Errors
/// See [`RunError`]. Nothing of it runs on when there is one.
///
/// # Cancel safety
/// Dropped, it kills the process and its group.
pub async fn run_verified_bounded<A: Into<OsString>>(
    executable: &VerifiedExecutable,
    arguments: impl IntoIterator<Item = A>,
    limit: NonZeroUsize,
    options: &RunOptions,
) -> Result<RunOutput, RunError> {
    let arguments = arguments.into_iter().map(Into::into).collect();
    let run = Run {
        executable,
        arguments,
        options,
        input: &[],
        taken: Taken::Stdout,
        limit,
    };
    run.run().await
}

/// Which outputs are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Both,
    Stdout,
}

/// One run.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) executable: &'a VerifiedExecutable,
    pub(super) arguments: Vec<OsString>,
    pub(super) options: &'a RunOptions,
    /// All of its standard input.
    pub(super) input: &'a [u8],
    pub(super) taken: Taken,
    pub(super) limit: NonZeroUsize,
}

impl Run<'_> {
    pub(super) async fn run(self) -> Result<RunOutput, RunError> {
        let start = |source| RunError::Start {
            path: self.path(),
            source,
        };
        let process = spawn_verified(&self.launch(), self.executable).map_err(start)?;
        let ended = match self.options.timeout {
            None => self.converse(&process).await,
            Some(timeout) => {
                let deadline = after(tokio::time::Instant::now(), timeout);
                let conversation = self.converse(&process);
                match tokio::time::timeout_at(deadline, conversation).await {
                    Ok(ended) => ended,
                    Err(_) => Err(RunError::TimedOut {
                        path: self.path(),
                        timeout,
                    }),
                }
            }
        };
        if ended.is_err() {
            // The error that is there already says more than one of these would.
            process.kill().await.ok();
            process.close().await.ok();
        }
        let bytes = ended?;
        Ok(RunOutput {
            bytes,
            exit: process.wait().await,
        })
    }

    fn launch(&self) -> Launch {
        let path = self.executable.path().as_os_str();
        let mut argv = vec![self.options.arg0.clone().unwrap_or_else(|| path.into())];
        argv.extend(self.arguments.iter().cloned());
        let mut variables: EffectiveEnvironment = passed_on(std::env::vars_os()).collect();
        for (name, value) in self.options.environment.iter() {
            variables.set(name, value);
        }
        let owned = |(name, value): (&std::ffi::OsStr, &std::ffi::OsStr)| {
            (name.to_owned(), value.to_owned())
        };
        let mut spec = LaunchSpec::new(argv);
        spec.cwd.clone_from(&self.options.cwd);
        spec.environment = variables.iter().map(owned).collect();
        spec.inheritance = Inheritance::Clear;
        spec.into()
    }

    /// Gives it its input and takes what it says, until it has ended.
    async fn converse(&self, process: &LocalConnection) -> Result<Vec<u8>, RunError> {
        let feed = async {
            // One that ends without reading all of it is one like any other.
            if process.send(self.input).await.is_ok() {
                process.close_input().await.ok();
            }
            std::future::pending().await
        };
        tokio::select! {
            taken = self.take(process) => taken,
            never = feed => never,
        }
    }

    async fn take(&self, process: &LocalConnection) -> Result<Vec<u8>, RunError> {
        let mut taken = Vec::new();
        loop {
            let frame = process.recv().await.map_err(|source| RunError::Read {
                path: self.path(),
                source,
            })?;
            let Some(frame) = frame else {
                return Ok(taken);
            };
            match frame.event {
                FrameEvent::Stdout(bytes) => taken.extend_from_slice(&bytes),
                FrameEvent::Stderr(bytes) if self.taken == Taken::Both => {
                    taken.extend_from_slice(&bytes);
                }
                _ => {}
            }
            if taken.len() > self.limit.get() {
                return Err(RunError::Overflow {
                    path: self.path(),
                    limit: self.limit,
                });
            }
        }
    }

    fn path(&self) -> PathBuf {
        self.executable.path().to_owned()
    }
}
