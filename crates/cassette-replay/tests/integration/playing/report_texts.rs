//! Reports as a person reads them.

use cassette_replay::PlayError;

use super::host::{CWD, TOKEN, connect, player};
use super::tape::Recording;

fn recording() -> Recording {
    Recording::new()
        .outbound("{\"id\":1,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"host\"}}}\n")
        .stdout("{\"id\":1,\"result\":{}}\n")
        .outbound(format!(
            "{{\"id\":2,\"method\":\"turn\",\"params\":{{\"turnId\":\"t-1\",\"cwd\":\"{TOKEN}/app\",\
             \"input\":[{{\"type\":\"text\",\"text\":\"fix the test\"}}],\"apiKey\":\"none\"}}}}\n"
        ))
        .stdout("{\"id\":7,\"method\":\"approve\"}\n")
        .outbound("{\"id\":7,\"result\":{\"decision\":\"accept\"}}\n")
        .stdout("{\"id\":2,\"result\":{\"turnId\":\"t-1\"}}\n")
        .outbound("{\"id\":3,\"method\":\"turn/interrupt\",\"params\":{\"turnId\":\"t-1\"}}\n")
        .stdout("{\"id\":3,\"result\":null}\n")
}

/// What a host is told that says the last of these instead of what was recorded.
async fn told(sent: &[&str]) -> String {
    let player = player(recording());
    let connection = connect(&player);
    let (last, before) = sent.split_last().unwrap();
    for message in before {
        connection.send(message).await;
        connection.text().await;
    }
    let error: PlayError = connection.refused(last).await;
    error.to_string()
}

const HELLO: &str =
    "{\"id\":\"a\",\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"host\"}}}\n";

fn turn(text: &str, cwd: &str, more: &str) -> String {
    format!(
        "{{\"id\":\"b\",\"method\":\"turn\",\"params\":{{\"turnId\":\"mine\",\"cwd\":\"{cwd}\",\
         \"input\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"apiKey\":\"none\"{more}}}}}\n"
    )
}

fn here() -> String {
    turn("fix the test", &format!("{CWD}/app"), "")
}

#[tokio::test(start_paused = true)]
async fn another_value_and_another_directory() {
    let other = turn("fix the tests", "/somewhere/app", "");
    insta::assert_snapshot!(told(&[HELLO, &other]).await);
}

#[tokio::test(start_paused = true)]
async fn members_that_are_missing_and_that_are_new() {
    let other =
        "{\"id\":\"a\",\"method\":\"initialize\",\"params\":{\"capabilities\":{\"x\":[]}}}\n";
    insta::assert_snapshot!(told(&[other]).await);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_later_on_the_tape() {
    let answer = "{\"id\":7,\"result\":{\"decision\":\"accept\"}}\n";
    insta::assert_snapshot!(told(&[HELLO, answer]).await);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_was_sent_twice() {
    insta::assert_snapshot!(told(&[HELLO, HELLO]).await);
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_another_request() {
    let answer = "{\"id\":8,\"result\":{\"decision\":\"accept\"}}\n";
    insta::assert_snapshot!(told(&[HELLO, &here(), answer]).await);
}

#[tokio::test(start_paused = true)]
async fn an_identity_that_stands_for_another() {
    let answer = "{\"id\":7,\"result\":{\"decision\":\"accept\"}}\n";
    let other = "{\"id\":3,\"method\":\"turn/interrupt\",\"params\":{\"turnId\":\"another\"}}\n";
    insta::assert_snapshot!(told(&[HELLO, &here(), answer, other]).await);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_json() {
    insta::assert_snapshot!(told(&[HELLO, "{\"id\":2,\"method\":\n"]).await);
}

#[tokio::test(start_paused = true)]
async fn something_behind_the_end() {
    let answer = "{\"id\":7,\"result\":{\"decision\":\"accept\"}}\n";
    let stop = "{\"id\":3,\"method\":\"turn/interrupt\",\"params\":{\"turnId\":\"mine\"}}\n";
    let more = "{\"id\":4,\"method\":\"shutdown\"}\n";
    insta::assert_snapshot!(told(&[HELLO, &here(), answer, stop, more]).await);
}
