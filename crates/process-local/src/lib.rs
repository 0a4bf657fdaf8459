//! Run a local agent process over stdio and lose neither its output nor its
//! descendants.
//!
//! [`spawn`] starts a process and gives a [`LocalConnection`]; [`LocalTransport`]
//! does the same behind the trait that recorders and hosts take. What the process
//! writes comes as frames, as read and in order, and the frame with its exit code
//! comes last and once.
//!
//! ```
//! use process_local::{ExitCode, Frame, LaunchSpec, LocalOptions, ProcessConnection, spawn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let cat = spawn(LaunchSpec::new(["cat"]), LocalOptions::default())?;
//! cat.send(b"hello\n").await?;
//! assert_eq!(cat.recv().await?, Some(Frame::stdout("hello\n")));
//!
//! cat.close_input().await?;
//! assert_eq!(cat.recv().await?, Some(Frame::exit(ExitCode::new(0))));
//! assert_eq!(cat.recv().await?, None);
//! # Ok(())
//! # }
//! ```
//!
//! # What holds
//!
//! - The process leads a group of its own. Dropping the connection kills that
//!   group at once; [`close`](LocalConnection#method.close) ends it step by step,
//!   and [`CloseReport`] says what each step did.
//! - With a [`supervisor`], which is for the host to choose, all descendants end with the
//!   process, daemons too, and with the host when that is killed.
//!   [`LocalConnection::tree`] says which of the two is so.
//! - The group gets no signal after the process was reaped, as its number may then
//!   name strangers. No process is left a zombie, not even when the runtime is shut
//!   down; no descriptor and no thread is left either.
//! - Every byte that the process and its group wrote before they ended is received,
//!   in order for each output. What the drain's limits and
//!   [`LocalOptions::kept_after_close`] leave out is counted.
//! - The exit frame comes last and once, whatever the queue holds and whoever holds
//!   the pipes.
//! - Unread output is bounded: at [`LocalOptions::queue_limit`] the process waits
//!   for the host to receive. Closing waits for no reader.
//! - A send is written whole, or nothing is written after it. Sends never interleave,
//!   and a cancelled one that had begun
//!   is completed.
//! - A descendant that holds a pipe open delays the exit frame by no more than
//!   [`LocalOptions::drain`] says.
//! - Of a launch with an executable identity, and by [`run_verified`] and
//!   [`VerifiedNodeRunner`], only bytes of that identity run; see below.
//! - A command is looked for where the launch, the host and version managers say, and
//!   where users keep them: [`SearchPath`] is a value that can be printed.
//!
//! # What does not
//!
//! - Without a supervisor a descendant that left the group (a daemon) outlives it, and when
//!   the host itself is killed, only agents end that end with their input. With one this
//!   holds of a supervisor that is killed too.
//! - Launches with sensitive files to inherit are refused.
//! - Windows is compiled for and was not run. There a job object ends all descendants,
//!   with the host too; there is no SIGTERM, so asking a process to end is ending it,
//!   and leftovers always end. Of Unix, only Linux was run.
//!
//! # Verified execution
//!
//! A [`VerifiedExecutable`] is hashed after its bytes can no longer change, and what was
//! hashed is what is executed, not what has its name by then: sealed memory, a lease of
//! the file, or a private copy ([`Method`]). Where none of these is to be had it is
//! [`VerifyError::Unsupported`], and nothing runs. So is everything elsewhere than on
//! Linux, and where `/proc` is missing.
//!
//! It guards against a file that changes: one that is replaced, written to, or mapped and
//! written to, before or after it is verified, by an update as well as by somebody who
//! waits for the right moment; against links and scripts in the place of a program; and
//! against [variables](REFUSED) that have the program load other code. It does not guard
//! against
//!
//! - processes of the same user or a privileged one that reach into this process or the
//!   started one: by `ptrace`, `/proc/PID/mem`, or opening a private copy through
//!   `/proc/PID/fd`; sealed memory stands the last;
//! - other files that the program loads: shared libraries, the loader that the program
//!   names, configuration, packages;
//! - the program of a [`supervisor`] that is replaced: it is started by its name, unless it
//!   is the host's own ([`Supervisor::SelfExe`]);
//! - what the program runs: an interpreter executes the scripts it is given, and a program
//!   that starts itself again executes its file as it is then;
//! - a program that is harmful as it is: the identity says which bytes run, not what they
//!   do.
//!
//! # What is told
//!
//! Through `tracing`, at level DEBUG and with this crate's target: each start
//! (`provider`, `agent_session`, `cwd`, `command`, `resolved_command`, numbers of
//! directories in `PATH` and the first six of them, whether a `proxy` is set), then the
//! number of the `process` and how its verified `executable` is held, or why there is none;
//! each exit (`process`, `code`, `signal`,
//! `output`, `discarded_bytes`); each close (`process`, `ended_by`). A
//! process that could not be ended is told at level WARN. No argument and no value of
//! another variable is told.
//!
//! # What a host must do
//!
//! Have a tokio runtime with I/O and time enabled, and ignore SIGPIPE as every Rust
//! program does by itself: with its default action, writing to a process that has
//! ended would end the host. It must not reap children that are not its own
//! (`waitpid(-1, …)`), nor ignore SIGCHLD: then the exit code is lost, and what is left
//! of the group cannot be ended. It must keep the runtime running: on one that is idle,
//! outside of `block_on`, nothing is read, written or reaped.
#![deny(unsafe_code)] // Opened by `sys/lease_linux.rs` alone.

mod attendant;
mod close;
mod connection;
mod deadline;
mod diagnostics;
mod environment;
mod exit;
mod input;
mod leader;
mod options;
mod output;
mod process;
mod queue;
mod search_path;
mod spawn;
pub mod supervisor;
mod sys;
mod transport;
mod verified;

// What a host that uses this crate alone needs of the shared boundary.
pub use cassette_format::process::{
    ControlError, EffectiveEnvironment, ExecutableIdentity, ExitCode, ExitStatus, Failure, Frame,
    FrameEvent, Inheritance, InvalidIdentity, Launch, LaunchSpec, ProcessConnection,
    ProcessTransport, RecvError, SendError, SessionContext, StartError, Stdio, StdioExit,
    StdioReader, StdioStderr, StdioWriter,
};
pub use cassette_format::schema::{AgentSessionId, ProviderId};
pub use close::{CloseReport, CloseStep, StepOutcome, StepReport, TreeEnd};
pub use connection::LocalConnection;
pub use environment::{Environment, NESTING_GUARDS};
pub use exit::{ExitReport, OutputEnd};
pub use options::{CloseDelays, DrainLimits, Leftovers, LocalOptions, Supervisor};
pub use search_path::{SearchDirectory, SearchOrigin, SearchPath};
pub use spawn::spawn;
pub use transport::LocalTransport;
pub use verified::{
    LARGEST_OUTPUT, LARGEST_SCRIPT, Method, NodeRun, PASSED_ON, REFUSED, Refusal, RunError,
    RunOptions, RunOutput, VerifiedExecutable, VerifiedNodeRunner, VerifyError, VerifyMode,
    VerifyOptions, identify, run_verified, run_verified_bounded,
};
