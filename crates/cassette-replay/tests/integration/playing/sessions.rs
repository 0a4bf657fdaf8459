//! Several cassettes behind one transport.

use cassette_format::descriptor::MessageFraming;
use cassette_format::process::{PlaybackUnavailable, ProcessTransport, StartError};
use cassette_format::schema::AgentSessionId;
use cassette_replay::{
    IncompleteError, NotRegistered, PlayOptions, PlayerError, Registration, RegistrationError,
    SessionPlayer, SessionsIncomplete,
};

use super::host::{Connection, descriptor, is_drained, launch, not_played, registry};
use super::tape::Recording;

fn registration(id: &str, root: &str) -> Registration {
    let recording = Recording::default().connection(("test", root, root), 1);
    Registration {
        cassette_id: id.into(),
        root: AgentSessionId::from_recorded(root),
        tape: recording.stdout("1\n").tape(),
    }
}

fn players(
    registrations: impl IntoIterator<Item = Registration>,
) -> Result<SessionPlayer, RegistrationError> {
    let registry = registry([descriptor(MessageFraming::Lines)]);
    SessionPlayer::new(registrations, &registry, &PlayOptions::fast_forward())
}

#[test]
fn what_cannot_be_registered_is_told() {
    assert_eq!(players([]).err(), Some(RegistrationError::Empty));
    let refused = |one, two| players([one, two]).err().unwrap();
    let no_id = refused(registration("a", "r"), registration(" ", "s"));
    assert!(matches!(no_id, RegistrationError::NoId { .. }));
    let no_root = refused(registration("a", "r"), registration("b", " \t"));
    assert!(matches!(no_root, RegistrationError::NoRoot { .. }));
    let twice = refused(registration("a", "r"), registration(" a ", "s"));
    assert!(matches!(twice, RegistrationError::DuplicateId { .. }));
    let root = refused(registration("a", "r"), registration("b", " r"));
    let told = "cassettes `a` and `b` have the same root session `r`";
    assert_eq!(root.to_string(), told);
    let other = Registration {
        tape: Recording::default()
            .connection(("other", "s", "s"), 1)
            .tape(),
        ..registration("b", "s")
    };
    let RegistrationError::Player { source, .. } = refused(registration("a", "r"), other) else {
        panic!();
    };
    assert!(matches!(source, PlayerError::UnknownProvider { .. }));
}

#[tokio::test(start_paused = true)]
async fn each_cassette_has_controls_of_its_own_and_all_failures_are_told_in_order() {
    let all = players([registration("b", "s"), registration("a", "r")]).unwrap();
    let unavailable = ProcessTransport::playback(&all).err();
    assert_eq!(unavailable, Some(PlaybackUnavailable));
    let refused = all.start(launch("elsewhere")).await.err().unwrap();
    let StartError::Refused(failure) = refused else {
        panic!("{refused:?}");
    };
    let refused = failure.downcast_ref::<NotRegistered>().unwrap();
    assert!(matches!(refused, NotRegistered::Root { .. }));
    let mut nobody = launch("r");
    nobody.session = None;
    let refused = all.start(nobody).await.err().unwrap();
    assert!(matches!(refused, StartError::NoSession));
    assert!(matches!(
        all.player("c"),
        Err(NotRegistered::Cassette { .. })
    ));

    let connection = Connection(all.start(launch("r")).await.unwrap());
    connection.text().await;
    let failure = connection.refused("wrong\n").await;
    connection.close().await.unwrap();
    let failures = all.finalize().await.unwrap_err();
    let failures = failures.downcast_ref::<SessionsIncomplete>().unwrap();
    let [(first, unlaunched), (second, failed)] = &failures.failures[..] else {
        panic!("{failures:?}");
    };
    assert_eq!((first.as_str(), second.as_str()), ("b", "a"));
    assert!(matches!(unlaunched, IncompleteError::Unlaunched { .. }));
    assert_eq!(*failed, not_played("connection-1", failure));
    let text = failures.to_string();
    assert!(
        text.contains("`b`: 0 of 1") && text.contains("`a`: "),
        "{text}"
    );

    let all = players([registration("b", "s"), registration("a", "r")]).unwrap();
    let one = Connection(all.start(launch("s")).await.unwrap());
    assert_eq!(one.text().await, "1\n");
    assert!(is_drained(all.player(" b ").unwrap()));
    assert!(!is_drained(all.player("a").unwrap()));
    let two = Connection(all.start(launch("r")).await.unwrap());
    assert_eq!(two.text().await, "1\n");
    all.finalize().await.unwrap();
}

#[test]
fn one_cassette_alone_has_the_controls_of_the_transport() {
    let only = players([registration("a", "r")]).unwrap();
    let controls = ProcessTransport::playback(&only).unwrap();
    controls.pause();
    let own = ProcessTransport::playback(only.player("a").unwrap()).unwrap();
    assert!(own.state().paused);
}
