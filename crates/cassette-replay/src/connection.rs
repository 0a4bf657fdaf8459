//! A connection of a player: the waiting around a conversation.

use std::sync::{Arc, PoisonError};

use async_trait::async_trait;
use cassette_format::process::{
    ControlError, Failure, Frame, InputUnit, ProcessConnection, RecvError, SendError, UnitError,
};
use cassette_format::schema::ConnectionId;
use tokio::sync::Notify;
use tokio::time::timeout_at;

use crate::PlayError;
use crate::barrier::Gate;
use crate::conversation::{Conversation, Event, Reply};
use crate::player::Relaunch;
use crate::stage::Stage;
use crate::sync::{Mutex, MutexGuard};

/// Shared by the player, which asks for completeness, and the host's handle.
#[derive(Debug)]
pub(crate) struct Played {
    conversation: Mutex<Conversation>,
    changed: Notify,
    stage: Arc<Stage>,
    /// Where the launch goes on, if it meant another connection.
    relaunch: Option<Relaunch>,
    /// Sends are matched in the order in which they were made.
    sending: tokio::sync::Mutex<()>,
    /// One `recv` at a time, so that frames keep their order.
    receiving: tokio::sync::Mutex<()>,
}

/// The host's handle; dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct PlayedConnection(pub(crate) Arc<Played>);

impl Played {
    pub(crate) fn new(
        conversation: Conversation,
        stage: Arc<Stage>,
        relaunch: Option<Relaunch>,
    ) -> Self {
        Self {
            conversation: Mutex::new(conversation),
            changed: Notify::new(),
            stage,
            relaunch,
            sending: tokio::sync::Mutex::new(()),
            receiving: tokio::sync::Mutex::new(()),
        }
    }

    pub(crate) fn connection_id(&self) -> ConnectionId {
        self.lock().connection_id().clone()
    }

    pub(crate) fn verify(&self) -> Result<(), PlayError> {
        self.step(Event::Judge);
        self.lock().verdict()
    }

    pub(crate) fn failure(&self) -> Option<PlayError> {
        self.lock().failure().cloned()
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.lock().is_drained()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed()
    }

    pub(crate) fn has_synthetic(&self) -> bool {
        self.lock().has_synthetic()
    }

    /// Has everything that waits here look again.
    pub(crate) fn look_again(&self) {
        self.changed.notify_waiters();
    }

    /// Waits for the next change that comes after this call.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.changed.notified()
    }

    fn step(&self, event: Event<'_>) -> Reply {
        let mut reply = self.step_once(event);
        while let Reply::Elsewhere(sent) = reply {
            self.go_elsewhere();
            reply = self.step_once(Event::Send(&sent));
            // To the other one it happens too.
            let is_more = !matches!(event, Event::Send(_) | Event::GoOn);
            if is_more && !matches!(reply, Reply::Elsewhere(_)) {
                reply = self.step_once(event);
            }
        }
        reply
    }

    fn step_once(&self, event: Event<'_>) -> Reply {
        let moment = self.stage.moment();
        let mut conversation = self.lock();
        let before = conversation.version();
        let reply = conversation.step(event, &moment);
        let is_changed = conversation.version() != before;
        drop(conversation);
        if is_changed {
            self.look_again();
        }
        reply
    }

    /// Takes the next connection of the launch in the place of this one, if there is one.
    fn go_elsewhere(&self) {
        // The player looks at its connections: asked without holding this one.
        let next = self.relaunch.as_ref();
        let next = next.and_then(|next| next.next(&self.connection_id()));
        let moment = self.stage.moment();
        let mut conversation = self.lock();
        match next {
            Some(mut next) => {
                let is_closed = conversation.is_closed();
                next.replace(&mut conversation);
                *conversation = next;
                if is_closed {
                    // By another task, meanwhile.
                    conversation.step(Event::Close, &moment);
                }
            }
            None => conversation.stay(),
        }
        drop(conversation);
        self.look_again();
    }

    fn close(&self) -> Result<(), PlayError> {
        match self.step(Event::Close) {
            Reply::Closed(verdict) => verdict,
            _ => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Conversation> {
        self.conversation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ProcessConnection for PlayedConnection {
    /// Waits while the tape has the agent speak first. A send that is cancelled meanwhile
    /// is taken when its turn comes.
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        let _in_order = self.0.sending.lock().await;
        let mut event = Event::Send(bytes);
        loop {
            let changed = self.0.changed();
            match self.0.step(event) {
                Reply::Blocked => changed.await,
                Reply::Closed(_) => return Err(SendError::Closed),
                Reply::Failed(error) => return Err(SendError::Failed(Failure::new(error))),
                _ => return Ok(()),
            }
            event = Event::GoOn;
        }
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        let _one = self.0.receiving.lock().await;
        loop {
            let changed = self.0.changed();
            match self.0.step(Event::Receive) {
                Reply::Frame(frame) => return Ok(Some(*frame)),
                Reply::Failed(error) => return Err(RecvError::Failed(Failure::new(error))),
                Reply::Wait(None) => changed.await,
                // Whichever comes first; then everything is looked at again.
                Reply::Wait(Some(time)) => _ = timeout_at(time, changed).await,
                _ => return Ok(None),
            }
        }
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        match self.0.step(Event::EndInput) {
            Reply::Failed(error) => Err(ControlError::Failed(Failure::new(error))),
            _ => Ok(()),
        }
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        self.close().await
    }

    async fn kill(&self) -> Result<(), ControlError> {
        self.close().await
    }

    /// Where only the agent's end is left, that is played, and can still be received.
    async fn close(&self) -> Result<(), ControlError> {
        self.0
            .close()
            .map_err(|error| ControlError::Failed(Failure::new(error)))
    }

    /// Waits at the target of the player's cursor until that moves on.
    async fn complete_input_unit(&self, unit: InputUnit) -> Result<(), UnitError> {
        let connection_id = self.0.connection_id();
        if unit.position.connection_id != connection_id {
            return Err(UnitError::WrongConnection {
                expected: connection_id,
                given: unit.position.connection_id,
            });
        }
        let mut is_handled = false;
        loop {
            let changed = self.0.changed();
            if self.0.has_synthetic() {
                return Err(UnitError::SyntheticPending { connection_id });
            }
            let gate = match is_handled {
                true => self.0.stage.barrier().gate(&unit.position),
                false => self.0.stage.barrier().complete(&unit.position)?,
            };
            if gate == Gate::Held && !is_handled {
                // Whoever waits for progress has to know.
                self.0.look_again();
            }
            is_handled = true;
            match gate {
                Gate::Open => return Ok(()),
                Gate::Held if self.0.is_closed() => {
                    return Err(UnitError::Canceled { connection_id });
                }
                Gate::Held => changed.await,
            }
        }
    }
}

impl Drop for PlayedConnection {
    fn drop(&mut self) {
        // What is left unplayed shows in the player's own verdict.
        let _verdict = self.0.close();
    }
}
