//! A host that plays a recording: its provider, its launch, what it hears.

use std::sync::Arc;
use std::time::Duration;

use cassette_format::descriptor::{
    Descriptor, Dialect, GeneratedField, IdentityFields, MessageFraming, Registry, SyntheticAnswer,
};
use cassette_format::process::{
    ControlError, Failure, Frame, FrameEvent, Inheritance, Launch, LaunchSpec, PlaybackControl,
    ProcessConnection, RecvError, SendError, SessionContext,
};
use cassette_format::schema::ConnectionId;
use cassette_replay::{IncompleteError, PlayError, PlayOptions, Player};
use tokio::time::timeout;

use super::tape::Recording;

/// The working directory of every launch, in the place of the recorded one.
pub(crate) const CWD: &str = "/here/a/longer/directory/than/the/token/of/it/was";
/// The token of the first connection's working directory.
pub(crate) const TOKEN: &str = "${SESSION_CWD:session-1:1}";

/// Provider `test`: `probe` and `probe/…` need not be asked, `limits` is answered at
/// once, `turnId` is an identity.
pub(crate) fn descriptor(framing: MessageFraming) -> Descriptor {
    let mut descriptor = Descriptor::new(
        "test".parse().unwrap(),
        "local:test".parse().unwrap(),
        framing,
        Dialect::JsonRpc,
    );
    let answer = |method: &str, result: &str| SyntheticAnswer {
        method: method.into(),
        result: result.into(),
    };
    descriptor.optional_probes = vec![
        answer("probe", r#"{"declared":true}"#),
        answer("limits", r#"{"declared":"limits"}"#),
    ];
    descriptor.startup_metadata = vec![answer("limits", r#"{"declared":"limits"}"#)];
    descriptor.identity_fields = IdentityFields {
        generated: vec!["turnId".into()],
        match_only: vec!["sessionId".into()],
    };
    descriptor.generated_fields = vec![GeneratedField {
        method: "turn".into(),
        parameter: "planId".into(),
        prefix: "plan:".into(),
        portable: "plan:<any>".into(),
    }];
    descriptor
}

pub(crate) fn registry(descriptors: impl IntoIterator<Item = Descriptor>) -> Registry {
    let mut registry = Registry::new();
    for descriptor in descriptors {
        registry.register(descriptor).unwrap();
    }
    registry
}

/// A player that does not wait for recorded times.
pub(crate) fn player(recording: Recording) -> Player {
    let registry = registry([descriptor(MessageFraming::Lines)]);
    Player::new(recording.tape(), registry, PlayOptions::fast_forward()).unwrap()
}

/// A player that keeps recorded times.
pub(crate) fn timed_player(recording: Recording) -> Player {
    let registry = registry([descriptor(MessageFraming::Lines)]);
    Player::new(recording.tape(), registry, PlayOptions::default()).unwrap()
}

/// The launch of a session in [`CWD`].
pub(crate) fn launch(session: &str) -> Launch {
    let mut spec = LaunchSpec::new(["agent"]).in_directory(CWD);
    spec.inheritance = Inheritance::Clear;
    let session = SessionContext::new("test".parse().unwrap(), session.parse().unwrap());
    Launch::for_session(spec, session)
}

/// The first connection of a player.
pub(crate) fn connect(player: &Player) -> Connection {
    Connection(player.launch(&launch("session-1")).unwrap())
}

/// Whether everything was played, as the controls say.
pub(crate) fn is_drained(player: &Player) -> bool {
    player.playback().state().drained
}

/// A connection as a host sees it.
#[derive(Clone)]
pub(crate) struct Connection(pub(crate) Arc<dyn ProcessConnection>);

impl Connection {
    /// Sends what is taken at once.
    pub(crate) async fn send(&self, bytes: impl AsRef<[u8]>) {
        let sent = settled(self.0.send(bytes.as_ref())).await;
        sent.expect("is not taken yet").unwrap();
    }

    /// Sends what is refused.
    pub(crate) async fn refused(&self, bytes: impl AsRef<[u8]>) -> PlayError {
        match settled(self.0.send(bytes.as_ref())).await {
            Some(Err(SendError::Failed(failure))) => play_error(&failure),
            other => panic!("{other:?}"),
        }
    }

    /// Sends in a task of its own what is not taken at once.
    pub(crate) async fn blocked(
        &self,
        bytes: impl AsRef<[u8]>,
    ) -> tokio::task::JoinHandle<Result<(), SendError>> {
        let (connection, bytes) = (Arc::clone(&self.0), bytes.as_ref().to_vec());
        let sending = tokio::spawn(async move { connection.send(&bytes).await });
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        assert!(!sending.is_finished(), "is taken");
        sending
    }

    /// The next frame, which is there, or comes without further ado.
    pub(crate) async fn frame(&self) -> Frame {
        let frame = timeout(Duration::from_hours(10_000), self.0.recv()).await;
        frame.expect("nothing comes").unwrap().expect("has ended")
    }

    /// The text of the next frame, which is of the standard output.
    pub(crate) async fn text(&self) -> String {
        match self.frame().await.event {
            FrameEvent::Stdout(bytes) => String::from_utf8(bytes).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    /// Texts of the standard output up to the end, or until nothing comes.
    pub(crate) async fn texts(&self) -> Vec<String> {
        let mut texts = Vec::new();
        while let Ok(frame) = timeout(Duration::from_secs(3600), self.0.recv()).await {
            match frame.unwrap().map(|frame| frame.event) {
                Some(FrameEvent::Stdout(bytes)) => texts.push(String::from_utf8(bytes).unwrap()),
                Some(_) => {}
                None => break,
            }
        }
        texts
    }

    /// Whether nothing comes for an hour.
    pub(crate) async fn is_silent(&self) -> bool {
        timeout(Duration::from_secs(3600), self.0.recv())
            .await
            .is_err()
    }

    /// Why nothing more is received.
    pub(crate) async fn failure(&self) -> PlayError {
        match timeout(Duration::from_secs(3600), self.0.recv()).await {
            Ok(Err(RecvError::Failed(failure))) => play_error(&failure),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn close(&self) -> Result<(), PlayError> {
        self.0.close().await.map_err(|error| match error {
            ControlError::Failed(failure) => play_error(&failure),
            other => panic!("{other:?}"),
        })
    }
}

fn play_error(failure: &Failure) -> PlayError {
    failure.downcast_ref::<PlayError>().unwrap().clone()
}

/// What a future gives without waiting for anything but its own tasks.
async fn settled<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(tokio::task::unconstrained(future));
    let first = std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        })
    });
    first.await
}

/// What is said of a playback of which this connection is the first that failed.
pub(crate) fn not_played(connection_id: &str, source: PlayError) -> IncompleteError {
    let connection_id = ConnectionId::from_recorded(connection_id);
    IncompleteError::Connection {
        connection_id,
        source,
    }
}
