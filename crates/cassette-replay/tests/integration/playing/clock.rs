//! Time, as a host feels it.

use std::sync::Arc;
use std::time::Duration;

use cassette_format::descriptor::MessageFraming;
use cassette_format::process::{PlaybackControl, ProcessTransport, Speed};
use cassette_replay::{PlayOptions, Player};
use tokio::time::Instant;

use super::host::{Connection, connect, descriptor, is_drained, registry, timed_player};
use super::tape::Recording;

/// The latest time that a tape may tell.
const A_CENTURY: u64 = 3_153_600_000_000;

fn events() -> Recording {
    let mut recording = Recording::new();
    for at in [1000, 2000, 4000, 10_000] {
        recording = recording.at(at).stdout(format!("{at}\n"));
    }
    recording
}

fn controls(player: &Player) -> Arc<dyn PlaybackControl> {
    ProcessTransport::playback(player).unwrap()
}

/// Receives in a task of its own; what came, and after how many milliseconds.
fn receiving(connection: &Connection) -> tokio::task::JoinHandle<(String, u128)> {
    let (connection, began) = (connection.clone(), Instant::now());
    tokio::spawn(async move { (connection.text().await, began.elapsed().as_millis()) })
}

async fn after(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_of_speed_counts_from_when_it_is_made() {
    let player = timed_player(events());
    let controls = controls(&player);
    let first = receiving(&connect(&player));
    after(500).await;
    controls.set_speed(Speed::Quarter);
    after(1000).await;
    controls.set_speed(Speed::Double);
    // 500 + 1000 / 4, then the other 250 in 125.
    assert_eq!(first.await.unwrap(), ("1000\n".into(), 1625));
    assert_eq!(controls.state().speed, Speed::Double);
    assert_eq!(controls.state().elapsed, Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_pause_in_the_middle_of_a_wait_adds_its_length() {
    let player = timed_player(events());
    let controls = controls(&player);
    let connection = connect(&player);
    let first = receiving(&connection);
    after(400).await;
    controls.pause();
    controls.pause();
    after(60_000).await;
    assert!(controls.state().paused);
    assert_eq!(controls.state().elapsed.as_millis(), 400);
    controls.resume();
    assert_eq!(first.await.unwrap(), ("1000\n".into(), 61_000));
    assert_eq!(receiving(&connection).await.unwrap().1, 1000);
}

#[tokio::test(start_paused = true)]
async fn after_fast_forward_only_the_rest_is_waited_for() {
    let player = timed_player(events());
    let controls = controls(&player);
    let connection = connect(&player);
    controls.pause();
    controls.set_fast_forward(true);
    assert_eq!(receiving(&connection).await.unwrap(), ("1000\n".into(), 0));
    assert_eq!(receiving(&connection).await.unwrap(), ("2000\n".into(), 0));
    after(500_000).await;
    controls.set_fast_forward(false);
    assert!(controls.state().paused);
    assert!(connection.is_silent().await);
    controls.resume();
    assert_eq!(
        receiving(&connection).await.unwrap(),
        ("4000\n".into(), 2000)
    );
    let last = receiving(&connection);
    after(1).await;
    controls.set_fast_forward(true);
    assert_eq!(last.await.unwrap(), ("10000\n".into(), 1));
    assert!(is_drained(&player) && controls.state().fast_forward);
}

#[tokio::test(start_paused = true)]
async fn time_does_not_pass_while_fast_forwarding() {
    let player = timed_player(events());
    let controls = controls(&player);
    let connection = connect(&player);
    after(300).await;
    controls.set_fast_forward(true);
    after(50_000).await;
    assert_eq!(controls.state().elapsed.as_millis(), 300);
    controls.set_fast_forward(false);
    assert_eq!(
        receiving(&connection).await.unwrap(),
        ("1000\n".into(), 700)
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_slow_finds_what_is_due_and_waits_for_the_rest() {
    let player = timed_player(events());
    let connection = connect(&player);
    after(3000).await;
    let waits = [
        ("1000\n", 0),
        ("2000\n", 0),
        ("4000\n", 1000),
        ("10000\n", 6000),
    ];
    for (text, wait) in waits {
        assert_eq!(receiving(&connection).await.unwrap(), (text.into(), wait));
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_host_sends_moves_time_on_and_what_it_leaves_out_too() {
    let player = timed_player(
        Recording::new()
            .at(60_000)
            .outbound("{\"id\":1,\"method\":\"work\"}\n")
            .at(60_100)
            .stdout("a\n")
            .at(90_000)
            .outbound("{\"id\":2,\"method\":\"probe\"}\n")
            .at(90_200)
            .stdout("b\n"),
    );
    let connection = connect(&player);
    connection.send("{\"id\":1,\"method\":\"work\"}\n").await;
    assert_eq!(receiving(&connection).await.unwrap(), ("a\n".into(), 100));
    // 50 of them for the probe that does not come.
    assert_eq!(receiving(&connection).await.unwrap(), ("b\n".into(), 250));
}

#[tokio::test(start_paused = true)]
async fn a_pause_in_the_grace_of_a_probe_holds_back_what_comes_behind_it() {
    let player = timed_player(
        Recording::new()
            .outbound("{\"id\":2,\"method\":\"probe\"}\n")
            .at(100)
            .stdout("b\n"),
    );
    let connection = connect(&player);
    let reading = receiving(&connection);
    after(20).await;
    player.playback().pause();
    after(10_000).await;
    assert!(!reading.is_finished());
    player.playback().resume();
    let (text, waited) = reading.await.unwrap();
    assert_eq!((text.as_str(), waited), ("b\n", 10_100));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_waited_for_longer_than_the_cap() {
    let options = PlayOptions {
        idle_cap: Some(Duration::from_millis(1500)),
        ..PlayOptions::default()
    };
    let registry = registry([descriptor(MessageFraming::Lines)]);
    let recording = events().at(A_CENTURY).stdout("end\n");
    let player = Player::new(recording.tape(), registry, options).unwrap();
    let connection = connect(&player);
    let waits = [1000, 1000, 1500, 1500, 1500];
    for wait in waits {
        assert_eq!(receiving(&connection).await.unwrap().1, wait);
    }
    player.playback().set_speed(Speed::Quadruple);
}

#[tokio::test(start_paused = true)]
async fn a_time_that_never_comes_ends_with_fast_forward_or_a_close() {
    let recording = || Recording::new().at(A_CENTURY).stdout("end\n");
    let player = timed_player(recording());
    let connection = connect(&player);
    let last = receiving(&connection);
    after(10_000_000).await;
    assert!(!last.is_finished());
    player.playback().set_speed(Speed::Quarter);
    player.playback().set_fast_forward(true);
    assert_eq!(last.await.unwrap().0, "end\n");

    let player = timed_player(recording());
    let connection = connect(&player);
    let reader = connection.clone();
    let reading = tokio::spawn(async move { reader.0.recv().await.unwrap() });
    after(1).await;
    connection.close().await.unwrap_err();
    assert_eq!(reading.await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn each_connection_begins_at_its_launch_and_all_share_the_clock() {
    let player = timed_player(
        Recording::new()
            .at(1000)
            .stdout("a\n")
            .connection(("test", "session-2", "session-2"), 1)
            .stdout("b\n"),
    );
    let one = receiving(&connect(&player));
    after(900).await;
    let launch = super::host::launch("session-2");
    let two = receiving(&Connection(player.launch(&launch).unwrap()));
    assert_eq!(one.await.unwrap(), ("a\n".into(), 1000));
    assert_eq!(two.await.unwrap(), ("b\n".into(), 1000));
    assert_eq!(controls(&player).state().elapsed.as_millis(), 1900);
}

#[tokio::test(start_paused = true)]
async fn a_pause_does_not_keep_the_host_from_sending() {
    let player = timed_player(Recording::new().at(50).outbound("{\"method\":\"a\"}\n"));
    player.playback().pause();
    let connection = connect(&player);
    connection.send("{\"method\":\"a\"}\n").await;
    player.verify_complete().unwrap();
}
