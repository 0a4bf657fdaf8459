//! A transport whose processes are scripts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::connection::MemoryConnection;
use super::{MemoryPeer, Script, ScriptError};
use crate::process::{Failure, Launch, ProcessConnection, ProcessTransport, StartError};

/// A transport whose processes are scripts or hands of a test. Clones share
/// their launches. A process sees the launch's own variables, no others.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use cassette_format::process::{Frame, LaunchSpec, MemoryTransport, ProcessTransport, Script};
///
/// let script = Script::new().expect(b"ping\n").stdout(b"pong\n");
/// let transport = MemoryTransport::scripted([script]);
/// let agent = transport.start(LaunchSpec::new(["agent"]).into()).await?;
/// agent.send(b"pi").await?;
/// agent.send(b"ng\n").await?;
/// assert_eq!(agent.recv().await?, Some(Frame::stdout(b"pong\n")));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryTransport {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// What the launches to come play; `None` when they are driven by hand.
    scripts: Option<VecDeque<Script>>,
    peers: Vec<MemoryPeer>,
    refuse_next: bool,
}

impl MemoryTransport {
    /// Launches are driven by hand, through [`MemoryTransport::peer`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The n-th launch plays the n-th script; a launch without script is refused.
    #[must_use]
    pub fn scripted(scripts: impl IntoIterator<Item = Script>) -> Self {
        let scripts = Some(scripts.into_iter().collect());
        Self {
            state: Arc::new(Mutex::new(State {
                scripts,
                ..State::default()
            })),
        }
    }

    /// The process's side of a launch, counted from 0.
    #[must_use]
    pub fn peer(&self, launch: usize) -> Option<MemoryPeer> {
        self.lock().peers.get(launch).cloned()
    }

    /// How many processes were started.
    #[must_use]
    pub fn launches(&self) -> usize {
        self.lock().peers.len()
    }

    /// Makes the next launch fail.
    pub fn refuse_next_launch(&self) {
        self.lock().refuse_next = true;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ProcessTransport for MemoryTransport {
    async fn start(&self, launch: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        let mut state = self.lock();
        if std::mem::take(&mut state.refuse_next) {
            return Err(StartError::Refused(Failure::new(ScriptError::Refused)));
        }
        let number = state.peers.len() + 1;
        let script = match &mut state.scripts {
            None => Some(Script::new()),
            Some(scripts) => scripts.pop_front(),
        };
        let Some(script) = script else {
            let failure = ScriptError::NoScript { launch: number };
            return Err(StartError::Refused(Failure::new(failure)));
        };
        let peer = MemoryPeer::new(launch, script);
        let shared = Arc::clone(peer.shared());
        state.peers.push(peer);
        Ok(Arc::new(MemoryConnection { shared }))
    }
}
