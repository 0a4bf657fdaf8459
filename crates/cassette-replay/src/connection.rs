//! A connection of a player: the waiting around a conversation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, Failure, Frame, ProcessConnection, RecvError, SendError,
};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::PlayError;
use crate::conversation::{Conversation, Next, Sent};
use crate::time::Position;

/// Shared by the player, which asks for completeness, and the host's handle.
#[derive(Debug)]
pub(crate) struct Played {
    state: Mutex<State>,
    changed: Notify,
    /// Sends are matched in the order in which they were made.
    sending: tokio::sync::Mutex<()>,
    /// One `recv` at a time, so that frames keep their order.
    receiving: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State {
    conversation: Conversation,
    position: Position,
    closed: Option<Result<(), PlayError>>,
}

/// The host's handle; dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct PlayedConnection(pub(crate) Arc<Played>);

impl Played {
    pub(crate) fn new(conversation: Conversation, position: Position) -> Self {
        Self {
            state: Mutex::new(State {
                conversation,
                position,
                closed: None,
            }),
            changed: Notify::new(),
            sending: tokio::sync::Mutex::new(()),
            receiving: tokio::sync::Mutex::new(()),
        }
    }

    pub(crate) fn verify(&self) -> Result<(), PlayError> {
        self.lock().conversation.verify()
    }

    pub(crate) fn failure(&self) -> Option<PlayError> {
        self.lock().conversation.failure().cloned()
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.lock().conversation.is_drained()
    }

    /// Closes; says each time whether everything had been played the first time.
    fn close(&self) -> Result<(), PlayError> {
        let mut state = self.lock();
        let verdict = match &state.closed {
            Some(verdict) => verdict.clone(),
            None => match state.conversation.verify() {
                Err(unconsumed @ PlayError::Unconsumed { .. }) => Err(unconsumed),
                _ => Ok(()),
            },
        };
        state.closed = Some(verdict.clone());
        state.conversation.close();
        drop(state);
        self.changed.notify_waiters();
        verdict
    }

    /// What became of a send; whoever waits is told of progress and failure only.
    fn sent(
        &self,
        state: &mut State,
        outcome: Result<Sent, PlayError>,
    ) -> Result<Blocked, SendError> {
        let reached = match &outcome {
            Ok(Sent::Taken(reached) | Sent::Blocked(reached)) => *reached,
            Err(_) => None,
        };
        if let Some(reached) = reached {
            state.position.advance_to(reached, Instant::now());
        }
        if reached.is_some() || outcome.is_err() {
            self.changed.notify_waiters();
        }
        match outcome {
            Ok(Sent::Taken(_)) => Ok(Blocked::No),
            Ok(Sent::Blocked(_)) => Ok(Blocked::Yes),
            Err(error) => Err(SendError::Failed(Failure::new(error))),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Blocked {
    Yes,
    No,
}

#[async_trait]
impl ProcessConnection for PlayedConnection {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let _in_order = self.0.sending.lock().await;
        let mut first = true;
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.0.lock();
                if state.conversation.is_closed() || (first && state.conversation.input_ended()) {
                    return Err(SendError::Closed);
                }
                let outcome = if first {
                    state.conversation.send(bytes)
                } else {
                    state.conversation.go_on()
                };
                first = false;
                let blocked = self.0.sent(&mut state, outcome);
                drop(state);
                if matches!(blocked?, Blocked::No) {
                    return Ok(());
                }
            }
            changed.await;
        }
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        let _in_order = self.0.receiving.lock().await;
        loop {
            let changed = self.0.changed.notified();
            let due = {
                let mut state = self.0.lock();
                if state.conversation.is_closed() {
                    return Ok(None);
                }
                let next = state.conversation.next();
                if let Some(failure) = state.conversation.failure() {
                    return Err(RecvError::Failed(Failure::new(failure.clone())));
                }
                match next {
                    Next::End => return Ok(None),
                    Next::Outbound | Next::Open => None,
                    Next::Inbound(elapsed) => {
                        let due = state.position.due(elapsed, Instant::now());
                        if due.is_none() {
                            let received = state.conversation.receive();
                            state.position.advance_to(elapsed, Instant::now());
                            // What was sent ahead of this frame may match now; a
                            // failure is kept and comes with the next call.
                            let matched = state.conversation.go_on();
                            let _kept = self.0.sent(&mut state, matched);
                            drop(state);
                            self.0.changed.notify_waiters();
                            let failed = |error| RecvError::Failed(Failure::new(error));
                            return received.map_err(failed);
                        }
                        due
                    }
                }
            };
            match due {
                None => changed.await,
                // Whichever comes first; then everything is looked at again.
                Some(due) => _ = timeout_at(due, changed).await,
            }
        }
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        self.0.lock().conversation.end_input();
        self.0.changed.notify_waiters();
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        self.close().await
    }

    async fn kill(&self) -> Result<(), ControlError> {
        self.close().await
    }

    async fn close(&self) -> Result<(), ControlError> {
        self.0
            .close()
            .map_err(|error| ControlError::Failed(Failure::new(error)))
    }
}

impl Drop for PlayedConnection {
    fn drop(&mut self) {
        // What is left unplayed shows in the player's own verdict.
        let _verdict = self.0.close();
    }
}
