//! Which launch plays what, and which is refused.

use cassette_format::descriptor::MessageFraming;
use cassette_format::process::{Launch, ProcessTransport, SessionContext, StartError};
use cassette_replay::{ConnectError, PlayOptions, Player, PlayerError};

use super::host::{CWD, Connection, TOKEN, descriptor, launch, player, registry};
use super::tape::Recording;

fn launch_of(provider: &str, session: &str, root: &str) -> Launch {
    let mut launch = launch(session);
    let mut context = SessionContext::new(provider.parse().unwrap(), session.parse().unwrap());
    context.root_session = Some(root.parse().unwrap());
    launch.session = Some(context);
    launch
}

fn without_directory(session: &str) -> Launch {
    let mut launch = launch(session);
    launch.spec.cwd = None;
    launch
}

/// The id of the connection that a launch got.
async fn taken(player: &Player, launch: &Launch) -> Result<String, ConnectError> {
    let connection = Connection(player.launch(launch)?);
    let stamp = connection.frame().await.stamp.unwrap();
    Ok(stamp.connection_id.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_launch_without_directory_is_refused_only_where_one_is_named_and_uses_nothing_up() {
    let named = format!("{{\"path\":\"{TOKEN}/x\"}}\n");
    let (half, rest) = named.split_at(20);
    for recording in [
        Recording::new().stdout("1\n").stdout(named.clone()),
        Recording::new().stdout("1\n").stderr(named.clone()),
        Recording::new().stdout("1\n").outbound(named.clone()),
        Recording::new()
            .stdout("1\n")
            .stdout(half)
            .stderr("log\n")
            .stdout(rest),
        Recording::new()
            .stdout("1\n")
            .outbound(half)
            .stdout("2\n")
            .outbound(rest),
    ] {
        let player = player(recording);
        let refused = player
            .launch(&without_directory("session-1"))
            .err()
            .unwrap();
        assert!(
            matches!(refused, ConnectError::NoDirectory { .. }),
            "{refused:?}"
        );
        let id = taken(&player, &launch("session-1")).await;
        assert_eq!(id.unwrap(), "connection-1");
    }
    let player = player(Recording::new().stdout("${SESSION_CWD:session-1:2}\n"));
    taken(&player, &without_directory("session-1"))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_protocol_directory_is_a_directory() {
    let named = format!("{{\"path\":\"{TOKEN}/x\"}}\n");
    let player = player(Recording::new().stdout(named));
    let mut launch = without_directory("session-1");
    if let Some(session) = &mut launch.session {
        session.protocol_cwd = Some(CWD.into());
    }
    let connection = Connection(player.launch(&launch).unwrap());
    assert_eq!(
        connection.text().await,
        format!("{{\"path\":\"{CWD}/x\"}}\n")
    );
}

#[tokio::test(start_paused = true)]
async fn providers_and_sessions_compare_as_their_kinds_do() {
    let player = player(Recording::new().stdout("1\n"));
    let refused = taken(&player, &launch_of("test", "Session-1", "session-1")).await;
    assert!(matches!(refused, Err(ConnectError::NoConnection { .. })));
    let id = taken(&player, &launch_of(" TEST ", " session-1\t", "session-1 ")).await;
    assert_eq!(id.unwrap(), "connection-1");
}

#[tokio::test(start_paused = true)]
async fn launches_that_are_refused_use_nothing_up_whatever_refuses_them() {
    let player = player(
        Recording::default()
            .connection(("test", "child", "root"), 1)
            .stdout(format!("{{\"path\":\"{TOKEN}\"}}\n"))
            .connection(("test", "root", "root"), 1)
            .stdout("1\n"),
    );
    for _ in 0..3 {
        let unknown = launch_of("other", "child", "root");
        let refused = player.launch(&unknown).err().unwrap();
        assert!(matches!(refused, ConnectError::UnknownProvider { .. }));
        let refused = player.launch(&launch_of("test", "child", "elsewhere"));
        assert!(matches!(refused, Err(ConnectError::RootMismatch { .. })));
        let refused = player.launch(&launch_of("test", "stranger", "root"));
        assert!(matches!(refused, Err(ConnectError::NoConnection { .. })));
        let mut nobody = launch("child");
        nobody.session = None;
        let refused = player.launch(&nobody).err().unwrap();
        assert_eq!(refused, ConnectError::NoSession);
    }
    let child = launch_of("test", "child", "root");
    assert_eq!(taken(&player, &child).await.unwrap(), "connection-1");
    let again = player.launch(&child).err().unwrap();
    let told = "no connection of `test` is recorded for launch 2 of `child`";
    assert_eq!(again.to_string(), told);
    let root = launch_of("test", "root", "root");
    assert_eq!(taken(&player, &root).await.unwrap(), "connection-2");
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_root_of_another_name_is_known_to_its_children_also_those_recorded_first() {
    let player = player(
        Recording::default()
            .connection(("test", "child", "root"), 1)
            .stdout("1\n")
            .connection(("test", "root", "root"), 1)
            .stdout("1\n")
            .connection(("test", "root", "root"), 2)
            .stdout("1\n"),
    );
    let child = launch_of("test", "child", "new-root");
    assert!(
        taken(&player, &child).await.is_err(),
        "nobody knows its root"
    );
    let root = launch_of("test", "new-root", "new-root");
    assert_eq!(taken(&player, &root).await.unwrap(), "connection-2");
    assert_eq!(taken(&player, &child).await.unwrap(), "connection-1");
    assert_eq!(taken(&player, &root).await.unwrap(), "connection-3");
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_empty_recorded_root_accepts_any() {
    let player = player(
        Recording::default()
            .connection(("test", "child", " "), 1)
            .stdout("1\n"),
    );
    let child = launch_of("test", "child", "whatever");
    assert_eq!(taken(&player, &child).await.unwrap(), "connection-1");
}

#[tokio::test(start_paused = true)]
async fn a_transport_tells_of_refused_launches_as_transports_do() {
    let player = player(Recording::new().stdout("1\n"));
    let mut nobody = launch("session-1");
    nobody.session = None;
    let refused = player.start(nobody).await.err().unwrap();
    assert!(matches!(refused, StartError::NoSession));
    let refused = player
        .start(launch_of("other", "session-1", "session-1"))
        .await;
    assert!(matches!(refused, Err(StartError::UnknownProvider { .. })));
    let refused = player.start(launch("session-2")).await.err();
    // The only root that fits is taken by a root of another name.
    assert!(refused.is_none());
    let Err(StartError::Refused(failure)) = player.start(launch("session-1")).await else {
        panic!();
    };
    let refused = failure.downcast_ref::<ConnectError>().unwrap();
    assert!(matches!(refused, ConnectError::NoConnection { .. }));
}

#[test]
fn a_tape_of_an_unknown_provider_is_not_played() {
    let recording = Recording::default().connection(("other", "s", "s"), 1);
    let registry = registry([descriptor(MessageFraming::Lines)]);
    let refused = Player::new(recording.tape(), registry, PlayOptions::default());
    let refused = refused.err().unwrap();
    assert!(matches!(refused, PlayerError::UnknownProvider { .. }));
}
