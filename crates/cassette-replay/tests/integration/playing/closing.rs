//! How a connection ends, and what is said of it then.

use std::time::Duration;

use cassette_format::process::{ExitCode, FrameEvent, ProcessTransport, SendError};
use cassette_format::schema::{ChunkKind, ChunkSeq};
use cassette_replay::{IncompleteError, PlayError};
use tokio::time::timeout;

use super::host::{Connection, connect, is_drained, launch, not_played, player, timed_player};
use super::tape::Recording;

const A: &str = "{\"id\":1,\"method\":\"a\"}\n";

fn conversation() -> Recording {
    Recording::new()
        .outbound(A)
        .stdout("1\n")
        .stdout("2\n")
        .outbound("{\"id\":2,\"method\":\"b\"}\n")
        .exit(0)
}

fn left(error: &PlayError) -> (usize, usize) {
    match error {
        PlayError::Unconsumed {
            consumed, total, ..
        } => (*consumed, *total),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_way_to_end_says_the_same_each_time_and_ends_everything() {
    let player = player(conversation());
    let connection = connect(&player);
    connection.send(A).await;
    connection.text().await;
    connection.0.kill().await.unwrap_err();
    for _ in 0..2 {
        assert_eq!(left(&connection.close().await.unwrap_err()), (2, 5));
        connection.0.terminate().await.unwrap_err();
        connection.0.close_input().await.unwrap();
        assert_eq!(connection.0.recv().await.unwrap(), None);
        let sent = connection.0.send(A.as_bytes()).await;
        assert!(matches!(sent, Err(SendError::Closed)));
    }
    let IncompleteError::Connection { source: error, .. } = player.verify_complete().unwrap_err()
    else {
        panic!();
    };
    assert_eq!(left(&error), (2, 5));
    assert_eq!(player.failure(), None);
    assert!(!is_drained(&player));
    let failure = player.finalize().await.unwrap_err();
    let told = failure.downcast_ref::<IncompleteError>();
    assert_eq!(told, Some(&not_played("connection-1", error)));
}

fn question_and_answer() -> Recording {
    Recording::new().outbound(A).stdout("1\n")
}

#[tokio::test(start_paused = true)]
async fn closing_ends_an_agent_that_has_said_everything_and_its_exit_is_heard() {
    let player = timed_player(question_and_answer().at(1000).exit(7));
    let connection = connect(&player);
    connection.send(A).await;
    assert_eq!(connection.text().await, "1\n");
    connection.close().await.unwrap();
    connection.close().await.unwrap();
    player.verify_complete().unwrap();
    assert!(is_drained(&player));
    let last = connection.0.recv().await.unwrap().unwrap();
    assert_eq!(last.event, FrameEvent::Exit(ExitCode::new(7)));
    assert_eq!(last.stamp.unwrap().chunk_seq, ChunkSeq::new(3));
    assert_eq!(connection.0.recv().await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_waits_for_the_end_has_it_from_closing() {
    let player = timed_player(question_and_answer().at(1000).exit(7));
    let connection = connect(&player);
    connection.send(A).await;
    connection.text().await;
    let waiting = connection.clone();
    let reading = tokio::spawn(async move { waiting.0.recv().await });
    tokio::task::yield_now().await;
    connection.close().await.unwrap();
    let last = reading.await.unwrap().unwrap().unwrap();
    assert_eq!(last.event, FrameEvent::Exit(ExitCode::new(7)));
}

#[tokio::test(start_paused = true)]
async fn closing_does_not_end_an_agent_that_was_told_more() {
    let player = timed_player(question_and_answer().at(1000).exit(7));
    let connection = connect(&player);
    connection.send(A).await;
    connection.text().await;
    for more in ["{\"id\":2,\"method\":\"b\"}\n", "half"] {
        let given_up = timeout(Duration::from_millis(1), connection.0.send(more.as_bytes()));
        let _waits = given_up.await;
    }
    assert_eq!(left(&connection.close().await.unwrap_err()), (2, 3));
    assert_eq!(connection.0.recv().await.unwrap(), None);
    player.verify_complete().unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn an_end_that_cannot_be_played_fails_a_close_too() {
    let no_code = ChunkKind::Exit;
    let player = player(question_and_answer().chunk(no_code, Vec::new()));
    let connection = connect(&player);
    connection.send(A).await;
    connection.text().await;
    assert_eq!(left(&connection.close().await.unwrap_err()), (2, 3));
    let failure = player.failure().unwrap();
    assert!(matches!(failure, PlayError::Chunk(_)), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_not_played_is_told_with_its_connection_and_the_failure() {
    let player = player(conversation());
    let failure = connect(&player).refused("wrong\n").await;
    let verdict = player.verify_complete().unwrap_err();
    assert_eq!(
        verdict.to_string(),
        "connection-1 was not played to its end"
    );
    let source = std::error::Error::source(&verdict).unwrap();
    assert_eq!(source.to_string(), failure.to_string());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_dropped_is_closed_and_its_launch_is_used_up() {
    let player = player(conversation());
    drop(connect(&player));
    let IncompleteError::Connection { source: error, .. } = player.verify_complete().unwrap_err()
    else {
        panic!();
    };
    assert_eq!(left(&error), (0, 5));
    assert!(player.launch(&launch("session-1")).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_was_played_may_be_dropped() {
    let player = player(Recording::new().stdout("1\n").exit(0));
    let connection = connect(&player);
    connection.texts().await;
    drop(connection);
    player.verify_complete().unwrap();
    player.finalize().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_input_that_ends_early_fails_the_receiver_and_not_what_comes_before() {
    let player = player(conversation());
    let connection = connect(&player);
    connection.send(A).await;
    connection.0.close_input().await.unwrap();
    connection.0.close_input().await.unwrap();
    assert_eq!(connection.text().await, "1\n");
    assert_eq!(connection.text().await, "2\n");
    let failure = connection.failure().await;
    let told = "input of connection-1 ended where request \"b\" with id 2 was recorded next \
        (line 4 of frames.jsonl), after 3 of 5 chunks";
    assert_eq!(failure.to_string(), told);
    assert_eq!(player.failure(), Some(failure.clone()));
    assert_eq!(left(&connection.close().await.unwrap_err()), (3, 5));
    let verdict = player.verify_complete();
    assert_eq!(verdict, Err(not_played("connection-1", failure)));
}

#[tokio::test(start_paused = true)]
async fn an_input_that_ends_may_leave_out_probes() {
    let player = player(
        Recording::new()
            .outbound(A)
            .outbound("{\"id\":2,\"method\":\"probe\"}\n")
            .stdout("{\"id\":2,\"result\":{}}\n")
            .exit(7),
    );
    let connection = connect(&player);
    connection.send(A).await;
    connection.0.close_input().await.unwrap();
    assert_eq!(connection.texts().await, [""; 0]);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_failure_is_the_first_one_of_the_first_launch() {
    let player = player(
        conversation()
            .connection(("test", "session-2", "session-2"), 1)
            .outbound(A)
            .outbound(A),
    );
    let one = connect(&player);
    let two = Connection(player.launch(&launch("session-2")).unwrap());
    let second = two.refused("wrong\n").await;
    assert_eq!(player.failure(), Some(second.clone()));
    let first = one.refused("other\n").await;
    assert_ne!(first, second);
    assert_eq!(one.refused(A).await, first);
    assert_eq!(one.failure().await, first);
    assert_eq!(one.failure().await, first);
    assert_eq!(player.failure(), Some(first.clone()));
    // It stays after the close.
    one.close().await.unwrap_err();
    assert_eq!(player.failure(), Some(first.clone()));
    let verdict = player.verify_complete();
    assert_eq!(verdict, Err(not_played("connection-1", first)));
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_waits_is_told_of_a_mismatch_at_once() {
    let player = player(conversation());
    let connection = connect(&player);
    let waiting = connection.clone();
    let reading = tokio::spawn(async move { waiting.failure().await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let failure = connection.refused("wrong\n").await;
    assert_eq!(reading.await.unwrap(), failure);
}

#[tokio::test(start_paused = true)]
async fn a_receive_that_is_given_up_loses_nothing() {
    let recording = Recording::new().at(1000).stdout("1\n").stdout("2\n");
    let player = timed_player(recording.exit(0));
    let connection = connect(&player);
    for _ in 0..11 {
        let given_up = timeout(Duration::from_millis(90), connection.0.recv()).await;
        assert!(given_up.is_err());
    }
    assert_eq!(connection.texts().await, ["1\n", "2\n"]);
}

#[tokio::test(start_paused = true)]
async fn a_tape_without_connections_is_complete_and_plays_nothing() {
    let player = player(Recording::default());
    assert!(is_drained(&player));
    player.verify_complete().unwrap();
    assert!(player.launch(&launch("session-1")).is_err());
}

#[tokio::test(start_paused = true)]
async fn launches_that_are_missing_are_told_before_failures() {
    let player = player(
        conversation()
            .connection(("test", "session-2", "session-2"), 1)
            .exit(0),
    );
    connect(&player).refused("wrong\n").await;
    let verdict = player.verify_complete().unwrap_err();
    assert!(matches!(
        verdict,
        IncompleteError::Unlaunched {
            launched: 1,
            recorded: 2,
            ..
        }
    ));
}
