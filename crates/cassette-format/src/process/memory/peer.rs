//! The process's side of a connection in memory.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Script, ScriptError};
use crate::process::{EffectiveEnvironment, Frame, FrameEvent, Launch};

/// The process's side of one connection: says frames, sees what was sent.
/// Clones are the same peer.
#[derive(Debug, Clone)]
pub struct MemoryPeer {
    shared: Arc<Shared>,
}

/// What a peer can be told to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// The next `send`.
    Send,
    /// The next `recv`.
    Recv,
    /// The next `close`.
    Close,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) launch: Launch,
    pub(super) environment: EffectiveEnvironment,
    pub(super) state: Mutex<State>,
    /// Something was said, sent or ended.
    pub(super) changed: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    script: Script,
    by_hand: bool,
    /// Sent and not yet expected by the script.
    unread: Vec<u8>,
    sent: Vec<Vec<u8>>,
    taken: usize,
    said: VecDeque<Frame>,
    input_ended: bool,
    /// Nothing more is said after `said`.
    ended: bool,
    failure: Option<ScriptError>,
    refusals: Vec<Operation>,
}

impl MemoryPeer {
    pub(super) fn new(launch: Launch, script: Script) -> Self {
        let variables = launch.spec.environment.iter().cloned();
        let environment = EffectiveEnvironment::from_iter(variables);
        let by_hand = script.is_by_hand();
        let mut state = State {
            script,
            by_hand,
            ..State::default()
        };
        state.advance();
        let (state, changed) = (Mutex::new(state), Notify::new());
        Self {
            shared: Arc::new(Shared {
                launch,
                environment,
                state,
                changed,
            }),
        }
    }

    pub(super) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// What was started.
    #[must_use]
    pub fn launch(&self) -> &Launch {
        &self.shared.launch
    }

    /// Says this, after everything said before. An exit is the last.
    pub fn emit(&self, frame: Frame) {
        let mut state = self.shared.lock();
        if !state.ended {
            state.ended = matches!(frame.event, FrameEvent::Exit(_));
            state.said.push_back(frame);
        }
        drop(state);
        self.shared.changed.notify_waiters();
    }

    /// Ends the output without an exit frame.
    pub fn end(&self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_waiters();
    }

    /// Everything the host has sent, one element a send.
    #[must_use]
    pub fn sent(&self) -> Vec<Vec<u8>> {
        self.shared.lock().sent.clone()
    }

    /// The next send that this method has not given yet; `None` once the input
    /// has ended.
    pub async fn next_sent(&self) -> Option<Vec<u8>> {
        loop {
            let changed = self.shared.changed.notified();
            {
                let mut state = self.shared.lock();
                if let Some(bytes) = state.sent.get(state.taken).cloned() {
                    state.taken += 1;
                    return Some(bytes);
                }
                if state.input_ended || state.ended {
                    return None;
                }
            }
            changed.await;
        }
    }

    /// Whether the host has ended the input.
    #[must_use]
    pub fn input_ended(&self) -> bool {
        self.shared.lock().input_ended
    }

    /// Makes the next call of this kind fail; of `recv`, the one that waits.
    pub fn refuse_next(&self, operation: Operation) {
        self.shared.lock().refusals.push(operation);
        self.shared.changed.notify_waiters();
    }

    /// Whether the host followed the script to its end.
    ///
    /// # Errors
    /// What the host did otherwise first, or that steps are left.
    pub fn finished(&self) -> Result<(), ScriptError> {
        let state = self.shared.lock();
        state
            .failure
            .clone()
            .map_or_else(|| state.script.finished(), Err)
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes bytes from the host; `Ok(false)` when the input is closed.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<bool, ScriptError> {
        if self.refused(Operation::Send) {
            return Err(ScriptError::Refused);
        }
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        if self.input_ended || self.ended {
            return Ok(false);
        }
        self.sent.push(bytes.to_vec());
        self.unread.extend_from_slice(bytes);
        self.advance();
        self.failure.clone().map_or(Ok(true), Err)
    }

    /// The next frame; `Ok(None)` when none is there yet. A host that did not
    /// follow the script would wait for ever: it is told what it did otherwise.
    pub(super) fn say(&mut self) -> Result<Option<Option<Frame>>, ScriptError> {
        if self.refused(Operation::Recv) {
            return Err(ScriptError::Refused);
        }
        match self.said.pop_front() {
            Some(frame) => Ok(Some(Some(frame))),
            None if self.ended => Ok(Some(None)),
            None => self.failure.clone().map_or(Ok(None), Err),
        }
    }

    pub(super) fn end_input(&mut self) {
        self.input_ended = true;
        self.advance();
    }

    pub(super) fn end(&mut self, last: Option<Frame>) {
        self.input_ended = true;
        if !self.ended {
            self.ended = true;
            self.said.extend(last);
        }
    }

    pub(super) fn refused(&mut self, operation: Operation) -> bool {
        let told = self
            .refusals
            .iter()
            .position(|refusal| *refusal == operation);
        told.map(|at| self.refusals.remove(at)).is_some()
    }

    fn advance(&mut self) {
        if self.by_hand {
            self.unread.clear();
            return;
        }
        let outcome = self
            .script
            .advance(&mut self.unread, self.input_ended, &mut self.said);
        if let Err(failure) = outcome {
            self.failure.get_or_insert(failure);
        }
        let exited = self
            .said
            .back()
            .is_some_and(|frame| matches!(frame.event, FrameEvent::Exit(_)));
        self.ended |= exited;
    }
}
