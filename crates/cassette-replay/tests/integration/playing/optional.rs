//! Connections that need not be launched, and launches that meant another one.

use cassette_replay::{PlayError, Player};

use super::host::{Connection, connect, is_drained, launch, not_played, player};
use super::tape::Recording;

const PROBE: &str = "{\"id\":1,\"method\":\"probe\"}\n";
const WORK: &str = "{\"id\":1,\"method\":\"work\"}\n";

/// A first launch, one that only probes, and one that works.
fn three_launches() -> Recording {
    let own = ("test", "session-1", "session-1");
    Recording::new()
        .exit(0)
        .connection(own, 2)
        .outbound(PROBE)
        .stdout("{\"id\":1,\"result\":\"probed\"}\n")
        .exit(0)
        .connection(own, 3)
        .outbound(WORK)
        .stdout("{\"id\":1,\"result\":\"worked\"}\n")
        .exit(0)
}

async fn second_launch() -> (Player, Connection) {
    let player = player(three_launches());
    let first = connect(&player);
    first.texts().await;
    let second = connect(&player);
    (player, second)
}

const WORKED: [&str; 1] = ["{\"id\":1,\"result\":\"worked\"}\n"];

#[tokio::test(start_paused = true)]
async fn a_launch_that_works_passes_over_the_one_that_only_probed() {
    let (player, second) = second_launch().await;
    for byte in WORK.as_bytes() {
        second.send([*byte]).await;
    }
    assert_eq!(second.texts().await, WORKED);
    player.verify_complete().unwrap();
    assert!(is_drained(&player));
    assert!(player.launch(&launch("session-1")).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_launch_that_probes_is_the_one_that_probed() {
    let (player, second) = second_launch().await;
    second.send(PROBE).await;
    assert_eq!(second.texts().await, ["{\"id\":1,\"result\":\"probed\"}\n"]);
    let third = connect(&player);
    third.send(WORK).await;
    assert_eq!(third.texts().await, WORKED);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_input_that_ends_without_a_line_end_finds_the_next_launch_too() {
    let (player, second) = second_launch().await;
    second.send(WORK.trim_end()).await;
    second.0.close_input().await.unwrap();
    assert_eq!(second.texts().await, WORKED);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_verdict_does_not_strand_a_launch_that_meant_another_connection() {
    let (player, second) = second_launch().await;
    second.send(WORK.trim_end()).await;
    player.verify_complete().unwrap_err();
    second.send("\n").await;
    assert_eq!(second.texts().await, WORKED);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_launch_that_fits_neither_is_told_what_the_last_one_recorded() {
    let (player, second) = second_launch().await;
    let failure = second.refused("{\"id\":1,\"method\":\"other\"}\n").await;
    let PlayError::Mismatch(mismatch) = &failure else {
        panic!("{failure:?}");
    };
    assert_eq!(mismatch.connection_id.as_str(), "connection-3");
    assert_eq!(mismatch.sent, "request \"other\" with id 1");
    let verdict = player.verify_complete();
    assert_eq!(verdict, Err(not_played("connection-3", failure)));
}

#[tokio::test(start_paused = true)]
async fn an_optional_connection_that_is_missing_does_not_keep_a_playback_from_its_end() {
    let own = ("test", "session-1", "session-1");
    let player = player(Recording::new().exit(0).connection(own, 2).outbound(PROBE));
    assert!(!is_drained(&player));
    connect(&player).texts().await;
    assert!(is_drained(&player));
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_delivered_before_the_host_tells_which_connection_it_means() {
    let (player, second) = second_launch().await;
    assert!(second.is_silent().await);
    second.send(WORK).await;
    assert_eq!(second.texts().await, WORKED);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_comes_first_is_answered_once_wherever_the_launch_goes() {
    let extra = "{\"id\":8,\"method\":\"probe\",\"params\":{\"x\":1}}\n";
    for is_received_before in [true, false] {
        let (player, second) = second_launch().await;
        second.send(&extra[..9]).await;
        second.send([&extra[9..], &WORK[..5]].concat()).await;
        let mut texts = Vec::new();
        if is_received_before {
            texts.push(second.text().await);
        }
        second.send([&WORK[5..]].concat()).await;
        texts.extend(second.texts().await);
        let answer = "{\"id\":8,\"result\":{\"declared\":true}}\n";
        assert_eq!(texts, [answer, WORKED[0]]);
        player.verify_complete().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn several_messages_of_one_send_stay_in_order_where_the_launch_goes_on() {
    let own = ("test", "session-1", "session-1");
    let (a, b) = ("{\"method\":\"a\"}\n", "{\"method\":\"b\"}\n");
    let player = player(
        Recording::new()
            .exit(0)
            .connection(own, 2)
            .outbound(PROBE)
            .connection(own, 3)
            .outbound(a)
            .outbound(b),
    );
    connect(&player).texts().await;
    let second = connect(&player);
    second.send([a, b].concat()).await;
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_last_optional_launch_that_does_not_probe_comes_to_its_end() {
    let own = ("test", "session-1", "session-1");
    let player = player(
        Recording::new()
            .exit(0)
            .connection(own, 2)
            .outbound(PROBE)
            .stdout("{\"id\":1,\"result\":{}}\n")
            .exit(0),
    );
    connect(&player).texts().await;
    let second = connect(&player);
    assert_eq!(second.texts().await, [""; 0]);
    second.close().await.unwrap();
    player.verify_complete().unwrap();
}
