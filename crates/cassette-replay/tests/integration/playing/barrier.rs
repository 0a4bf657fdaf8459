//! How far the host handles messages, through the controls of a transport.

use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{
    InputUnit, PlaybackControl, ProcessTransport, UnitError, UnitPosition,
};
use cassette_format::schema::{ChunkSeq, ConnectionId};
use cassette_replay::ProgressError;
use tokio::time::Instant;

use super::host::{connect, is_drained, player};
use super::tape::Recording;

fn unit(chunk: u64, index: u64) -> UnitPosition {
    UnitPosition {
        connection_id: ConnectionId::numbered(1),
        chunk_seq: ChunkSeq::new(chunk),
        unit_index: index,
    }
}

fn three_lines() -> Recording {
    Recording::new().stdout("1\n").stdout("2\n").stdout("3\n")
}

#[tokio::test(start_paused = true)]
async fn progress_is_not_counted_from_when_the_host_reaches_its_target() {
    let player = player(three_lines());
    let connection = connect(&player);
    let controls: Arc<dyn PlaybackControl> = ProcessTransport::playback(&player).unwrap();
    controls.set_cursor(&[unit(1, 1)]).unwrap();
    let began = Instant::now();
    let waiter = player.clone();
    let waiting = tokio::spawn(async move {
        let (id, limit) = (ConnectionId::numbered(1), Duration::from_secs(10));
        waiter.wait_for_progress(&id, limit).await.unwrap();
        Instant::now()
    });
    tokio::time::sleep(Duration::from_secs(4)).await;
    let handler = connection.clone();
    let handling = tokio::spawn(async move {
        let position = unit(1, 1);
        handler.0.complete_input_unit(InputUnit { position }).await
    });
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert!(!handling.is_finished());
    controls.set_cursor(&[unit(2, 1)]).unwrap();
    handling.await.unwrap().unwrap();
    let passed = waiting.await.unwrap() - began;
    assert_eq!(passed.as_secs(), 110);
}

#[tokio::test(start_paused = true)]
async fn progress_of_a_connection_that_is_closed_or_was_not_launched_is_not_waited_for() {
    let player = player(three_lines());
    let (id, limit) = (ConnectionId::numbered(1), Duration::from_secs(10));
    let waited = player.wait_for_progress(&id, limit).await;
    assert!(matches!(waited, Err(ProgressError::NotLaunched { .. })));
    let connection = connect(&player);
    player.playback().set_cursor(&[unit(1, 1)]).unwrap();
    let waiter = player.clone();
    let waiting = tokio::spawn(async move {
        let id = ConnectionId::numbered(1);
        waiter.wait_for_progress(&id, limit).await
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    connection.close().await.unwrap_err();
    let waited = waiting.await.unwrap();
    assert!(matches!(waited, Err(ProgressError::Closed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_held_unit_is_canceled_by_every_way_to_end_the_connection() {
    for way in ["close", "terminate", "kill"] {
        let player = player(three_lines());
        let connection = connect(&player);
        player.playback().set_cursor(&[unit(1, 1)]).unwrap();
        let handler = connection.clone();
        let handling = tokio::spawn(async move {
            let position = unit(1, 1);
            handler.0.complete_input_unit(InputUnit { position }).await
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!handling.is_finished());
        let ended = match way {
            "close" => connection.0.close().await,
            "terminate" => connection.0.terminate().await,
            _ => connection.0.kill().await,
        };
        ended.unwrap_err();
        let handled = handling.await.unwrap();
        assert!(
            matches!(handled, Err(UnitError::Canceled { .. })),
            "{handled:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_cleared_lets_a_held_unit_go_and_keeps_its_place() {
    let player = player(three_lines());
    let connection = connect(&player);
    let controls: Arc<dyn PlaybackControl> = ProcessTransport::playback(&player).unwrap();
    controls.set_cursor(&[unit(1, 1)]).unwrap();
    let handler = connection.clone();
    let handling = tokio::spawn(async move {
        let position = unit(1, 1);
        handler.0.complete_input_unit(InputUnit { position }).await
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    controls.clear_cursor();
    handling.await.unwrap().unwrap();
    assert_eq!(controls.cursor(), [unit(1, 1)]);
    assert!(controls.set_cursor(&[]).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_held_unit_does_not_hold_back_what_the_agent_says() {
    let player = player(three_lines());
    let connection = connect(&player);
    player.playback().set_cursor(&[unit(1, 1)]).unwrap();
    assert_eq!(connection.text().await, "1\n");
    let handler = connection.clone();
    let handling = tokio::spawn(async move {
        let position = unit(1, 1);
        handler.0.complete_input_unit(InputUnit { position }).await
    });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!handling.is_finished());
    assert_eq!(connection.text().await, "2\n");
    assert_eq!(connection.text().await, "3\n");
    assert!(is_drained(&player));
    handling.abort();
}
