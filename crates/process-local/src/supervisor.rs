//! Ending every descendant of a process, whatever the descendants and the host do.
//!
//! A host that sets [`LocalOptions::supervisor`](crate::LocalOptions::supervisor) has
//! each process started by a process between the two: the supervisor. The pipes join host
//! and process as ever, no byte passes through it. On Linux the kernel gives it every
//! descendant whose parent has ended, daemons too; so it ends all of them
//!
//! - when the process has ended and its output was read, unless
//!   [`Leftovers::Leave`](crate::Leftovers::Leave) says otherwise;
//! - when the connection is dropped or closed;
//! - when the host is gone, for whatever reason, SIGKILL included: at once, by SIGKILL.
//!
//! It knows of the host's end by a descriptor of the host's process and by a socket to it,
//! whichever tells first: the socket also ends with a connection, the other even where a
//! child of the host has inherited the socket.
//!
//! The program of a supervisor is one whose `main` begins with [`run_if_requested`]. That
//! may be the host's own:
//!
//! ```no_run
//! use process_local::{LocalOptions, LocalTransport, Supervisor, supervisor};
//!
//! fn main() {
//!     supervisor::run_if_requested();
//!     let options = LocalOptions {
//!         supervisor: Supervisor::SelfExe,
//!         ..LocalOptions::default()
//!     };
//!     let transport = LocalTransport::new(options);
//!     // …
//! #   drop(transport);
//! }
//! ```
//!
//! A verified executable is opened by the host alone, which hands its descriptor on, a lease
//! with it: what is said of [verified execution](crate#verified-execution) is so with a
//! supervisor too.
//!
//! # What does not hold
//!
//! - A supervisor that is killed (SIGKILL) or stopped ends nobody. The host notices a
//!   killed one: it kills the process, and the exit code is lost; descendants live on. If
//!   the host is killed as well, so does the process until its input ends it. SIGTERM,
//!   SIGINT, SIGHUP and SIGQUIT do it no harm: it passes them on to the group of the
//!   process. To `killall` and `pkill` its name is `supervisor`, not that of its program.
//! - What others start on request (a service manager, `at`, a container engine) is no
//!   descendant. One that has become another user's cannot be ended.
//! - That a signal of the host is refused is not told in
//!   [`StepReport::refused`](crate::StepReport::refused).
//! - There are supervisors on Linux 5.3 and later with `/proc` alone. Elsewhere a process
//!   is started without, and [`LocalConnection::tree`](crate::LocalConnection::tree) says
//!   so; [`LocalOptions::require`](crate::LocalOptions::require) refuses to. On Windows job
//!   objects end all descendants, with the host too, and need no supervisor.

use crate::close::TreeEnd;
use crate::options::Supervisor;
use crate::sys;

/// Whether all descendants of a process can be ended here. Elsewhere a process is started
/// without a supervisor, or refused where [`LocalOptions::require`](crate::LocalOptions::require)
/// says so.
#[must_use]
pub fn is_supported() -> bool {
    sys::promise(&Supervisor::SelfExe) == TreeEnd::Supervised
}

/// Serves as a supervisor if this process was started as one, and then never returns;
/// else does nothing.
///
/// It belongs at the beginning of `main`, before arguments are looked at and anything is
/// opened or started. A runtime may be there already.
pub fn run_if_requested() {
    sys::run_supervisor_if_requested();
}
