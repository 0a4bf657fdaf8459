//! Running verified scripts by a verified Node.js.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use cassette_format::process::ExecutableIdentity;
use tokio::sync::Mutex;

use super::error::VerifyError;
use super::executable::{Method, VerifiedExecutable};
use super::file::{cannot_read, read_verified};
use super::options::VerifyOptions;
use super::run::{Run, RunError, RunOptions, RunOutput, Taken};

/// Bytes of the largest script: 16 MiB.
pub const LARGEST_SCRIPT: u64 = 16 * 1024 * 1024;

/// Runs scripts by Node.js, and only bytes that were verified: the script's are read,
/// verified and given on standard input, so that nobody reads its file again; Node.js
/// itself is held as a [`VerifiedExecutable`], which further runs use again.
///
/// The script is CommonJS. What it requires by a relative path or by the name of a package
/// is not verified; that is looked for from the working directory, which is `/` unless the
/// options say otherwise.
///
/// ```no_run
/// use std::num::NonZeroUsize;
///
/// use process_local::{NodeRun, RunOptions, VerifiedNodeRunner, VerifyOptions, identify};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let runner = VerifiedNodeRunner::new(VerifyOptions::default());
/// let run = NodeRun {
///     node: "/usr/bin/node".into(),
///     node_identity: identify("/usr/bin/node")?,
///     script: "/opt/agent/probe.js".into(),
///     script_identity: identify("/opt/agent/probe.js")?,
///     arguments: vec!["--json".into()],
///     limit: NonZeroUsize::new(65_536).ok_or("no limit")?,
///     options: RunOptions::default(),
/// };
/// let said = runner.run(&run).await?;
/// println!("{}", String::from_utf8_lossy(&said.bytes));
/// runner.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct VerifiedNodeRunner {
    options: VerifyOptions,
    snapshots: Mutex<Vec<Arc<VerifiedExecutable>>>,
}

/// A script, the Node.js that runs it, and what both have to be.
#[derive(Debug, Clone)]
pub struct NodeRun {
    /// Node.js.
    pub node: PathBuf,
    /// The bytes it has to be.
    pub node_identity: ExecutableIdentity,
    /// The script, of [`LARGEST_SCRIPT`] bytes at most.
    pub script: PathBuf,
    /// The bytes it has to be.
    pub script_identity: ExecutableIdentity,
    /// What the script is told, in `process.argv` from the third on.
    pub arguments: Vec<OsString>,
    /// Bytes of standard output past which it is killed.
    pub limit: NonZeroUsize,
    /// The rest.
    pub options: RunOptions,
}

impl VerifiedNodeRunner {
    /// A runner that holds Node.js as these options say.
    #[must_use]
    pub fn new(options: VerifyOptions) -> Self {
        Self {
            options,
            snapshots: Mutex::default(),
        }
    }

    /// Runs a script to its end and takes its standard output.
    ///
    /// # Errors
    /// See [`RunError`]. Nothing of it runs on when there is one.
    ///
    /// # Cancel safety
    /// Dropped, it kills the process and its group.
    pub async fn run(&self, run: &NodeRun) -> Result<RunOutput, RunError> {
        let (path, identity) = (run.script.clone(), run.script_identity.clone());
        let read = move || read_verified(&path, &identity, LARGEST_SCRIPT);
        let script = off_thread(&run.script, read).await?;
        let node = self.node(run).await?;
        let mut arguments = vec!["--input-type=commonjs".into(), "-".into()];
        arguments.extend(run.arguments.iter().cloned());
        let mut options = run.options.clone();
        options.cwd.get_or_insert_with(|| "/".into());
        let run = Run {
            executable: &node,
            arguments,
            options: &options,
            input: &script,
            taken: Taken::Stdout,
            limit: run.limit,
        };
        run.run().await
    }

    /// Lets go of every Node.js that is held; running ones go on. A further run verifies
    /// it again.
    pub async fn close(&self) {
        self.snapshots.lock().await.clear();
    }

    /// Node.js as it was verified before, or as it is verified now.
    async fn node(&self, run: &NodeRun) -> Result<Arc<VerifiedExecutable>, VerifyError> {
        // Held meanwhile, so that runs at the same time make one copy.
        let mut snapshots = self.snapshots.lock().await;
        snapshots.retain(|held| held.check_held().is_ok());
        let is_wanted = |held: &&Arc<VerifiedExecutable>| {
            held.identity() == &run.node_identity
                && (held.method() != Method::Leased || held.path() == run.node)
        };
        if let Some(held) = snapshots.iter().find(is_wanted) {
            return Ok(Arc::clone(held));
        }
        let (path, identity) = (run.node.clone(), run.node_identity.clone());
        let options = self.options.clone();
        let open = move || VerifiedExecutable::open(path, &identity, &options);
        let opened = Arc::new(off_thread(&run.node, open).await?);
        snapshots.push(Arc::clone(&opened));
        Ok(opened)
    }
}

/// Does what blocks where it may.
async fn off_thread<T: Send + 'static>(
    path: &std::path::Path,
    work: impl FnOnce() -> Result<T, VerifyError> + Send + 'static,
) -> Result<T, VerifyError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(cannot_read(path, error.into())),
    }
}
