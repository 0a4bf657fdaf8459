//! Chunks that are odd, empty or cannot be played.

use cassette_format::process::{ExitCode, FrameEvent};
use cassette_format::schema::ChunkKind;
use cassette_replay::PlayError;

use super::host::{connect, is_drained, not_played, player};
use super::tape::Recording;

/// Of chunks that cannot be played.
fn is_of_a_chunk(error: &PlayError) -> bool {
    matches!(error, PlayError::Chunk(_) | PlayError::Data(_))
}

#[tokio::test(start_paused = true)]
async fn a_chunk_that_cannot_be_read_fails_when_its_turn_comes_and_not_before() {
    let before = || Recording::new().stdout("{\"id\":7,").stdout("\"x\":1}\n");
    let (unknown, no_code) = (ChunkKind::Unknown("strange".into()), ChunkKind::Exit);
    for recording in [
        before().stdout("").broken(),
        before().stderr("").broken(),
        before().outbound("").broken(),
        before().chunk(unknown, b"x".to_vec()),
        before().chunk(no_code, Vec::new()),
    ] {
        let player = player(recording.stdout("never\n"));
        let connection = connect(&player);
        assert_eq!(connection.text().await, "{\"id\":7,");
        assert_eq!(player.failure(), None);
        assert_eq!(connection.text().await, "\"x\":1}\n");
        let failure = connection.failure().await;
        assert!(is_of_a_chunk(&failure), "{failure:?}");
        assert_eq!(connection.failure().await, failure);
        assert_eq!(player.failure(), Some(failure.clone()));
        assert_eq!(connection.refused("x\n").await, failure);
        let verdict = player.verify_complete();
        assert_eq!(verdict, Err(not_played("connection-1", failure)));
        assert!(!is_drained(&player));
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_before_a_chunk_that_cannot_be_read_is_delivered_as_far_as_it_goes() {
    let player = player(
        Recording::new()
            .stdout("{\"method\":")
            .stdout("")
            .broken()
            .stdout("\"x\"}\n"),
    );
    let connection = connect(&player);
    assert_eq!(connection.text().await, "{\"method\":");
    assert!(is_of_a_chunk(&connection.failure().await));
}

#[tokio::test(start_paused = true)]
async fn a_message_of_the_host_whose_rest_cannot_be_read_fails_as_that() {
    let player = player(
        Recording::new()
            .outbound("{\"id\":1,")
            .outbound("")
            .broken(),
    );
    let connection = connect(&player);
    let failure = connection.refused("{\"id\":1,\"method\":\"a\"}\n").await;
    assert!(is_of_a_chunk(&failure), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn an_exit_in_the_middle_ends_nothing_and_one_at_the_end_does() {
    let player = player(
        Recording::new()
            .stdout("a\n")
            .exit(3)
            .stderr("b\n")
            .exit(-1),
    );
    let connection = connect(&player);
    let mut events = Vec::new();
    while let Some(frame) = connection.0.recv().await.unwrap() {
        events.push((frame.event, frame.stamp.unwrap().chunk_seq.get()));
    }
    let expected = [
        (FrameEvent::Stdout(b"a\n".to_vec()), 1),
        (FrameEvent::Exit(ExitCode::new(3)), 2),
        (FrameEvent::Stderr(b"b\n".to_vec()), 3),
        (FrameEvent::Exit(ExitCode::new(-1)), 4),
    ];
    assert_eq!(events, expected);
    assert_eq!(connection.0.recv().await.unwrap(), None);
    connection.close().await.unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn without_an_exit_at_the_end_the_stream_stays_open_until_closed() {
    for recording in [
        Recording::new(),
        Recording::new().exit(0).stderr("late\n"),
        Recording::new().stdout("a\n"),
    ] {
        let player = player(recording);
        let connection = connect(&player);
        connection.texts().await;
        assert!(is_drained(&player));
        let reader = connection.clone();
        let reading = tokio::spawn(async move { reader.0.recv().await.unwrap() });
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert!(!reading.is_finished());
        connection.close().await.unwrap();
        assert_eq!(reading.await.unwrap(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn chunks_without_bytes_are_passed_over_on_both_sides_unless_they_have_a_message() {
    let player = player(
        Recording::new()
            .stdout("")
            .outbound("")
            .stderr("")
            .outbound("{\"method\":\"a\"}\n")
            .stdout("")
            .outbound("\n")
            .stdout("")
            .with_message("told")
            .outbound("")
            .stdout("")
            .exit(0),
    );
    let connection = connect(&player);
    connection.send("{\"method\":\"a\"}\n").await;
    let frame = connection.frame().await;
    assert_eq!(frame.event, FrameEvent::MessageOnly);
    assert_eq!(frame.message.as_deref(), Some("told"));
    assert_eq!(frame.stamp.unwrap().chunk_seq.get(), 7);
    assert_eq!(
        connection.frame().await.event,
        FrameEvent::Exit(ExitCode::new(0))
    );
    connection.close().await.unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_the_agent_logs_does_not_stand_for_the_answer_itself() {
    let answer = "{\"id\":5,\"result\":{}}\n";
    let player = player(
        Recording::new()
            .outbound("{\"id\":5,\"method\":\"probe\"}\n")
            .stderr(answer)
            .stdout(answer)
            .stdout("{\"method\":\"done\"}\n")
            .exit(0),
    );
    let connection = connect(&player);
    assert_eq!(connection.texts().await, ["{\"method\":\"done\"}\n"]);
    player.verify_complete().unwrap();
}
