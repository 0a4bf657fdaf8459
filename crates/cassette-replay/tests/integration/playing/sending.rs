//! What the host sends, however it writes it.

use std::collections::HashMap;
use std::time::Duration;

use cassette_format::descriptor::{MessageFraming, Pipelining};
use cassette_format::process::SendError;
use cassette_replay::{PlayError, PlayOptions, Player};

use super::host::{connect, descriptor, is_drained, player, registry};
use super::tape::Recording;

const A: &str = "{\"id\":1,\"method\":\"a\"}";
const B: &str = "{\"id\":2,\"method\":\"b\"}";

fn player_of(framing: MessageFraming, recording: Recording) -> Player {
    let registry = registry([descriptor(framing)]);
    Player::new(recording.tape(), registry, PlayOptions::fast_forward()).unwrap()
}

fn with_header(text: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{text}", text.len())
}

#[tokio::test(start_paused = true)]
async fn messages_match_whatever_the_writes_and_line_ends_of_both_sides() {
    let ends = ["\n", "\r\n", "\n\n", "\r\n \t\r\n", " \n"];
    for recorded in ends {
        for sent in ends {
            let player = player(
                Recording::new()
                    .outbound(format!("{A}{recorded}{B}{recorded}"))
                    .outbound("no JSON\n")
                    .exit(0),
            );
            let connection = connect(&player);
            let all = format!("{sent}{A}{sent}{B}{sent}no JSON\n{sent}");
            for piece in all.as_bytes().chunks(7) {
                connection.send(piece).await;
            }
            connection.texts().await;
            player.verify_complete().unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_last_line_may_lack_its_end_on_either_side() {
    for (recorded, sent) in [("", ""), ("", "\n"), ("\n", "")] {
        let tape = || Recording::new().outbound(format!("{A}\n{B}{recorded}"));
        // A whole value counts as ended when somebody asks for the verdict,
        let first = player(tape());
        let connection = connect(&first);
        connection.send(format!("{A}\n{B}{sent}")).await;
        first.verify_complete().unwrap();
        assert!(is_drained(&first));
        connection.send("\n").await;
        connection.close().await.unwrap();
        // by the end of the input,
        let second = player(tape());
        let connection = connect(&second);
        connection.send(format!("{A}\n{B}{sent}")).await;
        connection.0.close_input().await.unwrap();
        assert!(is_drained(&second));
        // and by the close.
        let third = player(tape());
        let connection = connect(&third);
        connection.send(format!("{A}\n{B}{sent}")).await;
        connection.close().await.unwrap();
        third.verify_complete().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn half_a_message_is_taken_and_is_no_message_until_it_ends() {
    let player = player(Recording::new().outbound(format!("{A}\n")));
    let connection = connect(&player);
    connection.send(&A[..9]).await;
    let verdict = player.verify_complete();
    assert!(verdict.is_err() && player.failure().is_none());
    connection.send(&A[9..]).await;
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn half_a_message_that_ends_with_the_input_is_a_mismatch() {
    let player = player(Recording::new().outbound(format!("{A}\n")));
    let connection = connect(&player);
    connection.send(&A[..9]).await;
    connection.0.close_input().await.unwrap_err();
    assert!(matches!(connection.failure().await, PlayError::Mismatch(_)));
    assert_eq!(player.failure(), Some(connection.failure().await));
}

#[tokio::test(start_paused = true)]
async fn messages_with_headers_match_by_their_bodies() {
    let recorded = [with_header(A), with_header(B)].concat();
    let (first, rest) = recorded.split_at(30);
    let tape = Recording::new()
        .outbound(first)
        .stderr("log")
        .outbound(rest)
        .exit(0);
    let player = player_of(MessageFraming::ContentLength, tape);
    let connection = connect(&player);
    let spaced = A.replace(':', " : ");
    let sent = format!(
        "content-type: x\r\nCONTENT-LENGTH:{}\n\n{spaced}{}",
        spaced.len(),
        with_header(B)
    );
    let (begin, rest) = sent.split_at(20);
    connection.send(begin).await;
    let waiting = connection.clone();
    let reading = tokio::spawn(async move { waiting.texts().await });
    connection.0.send(rest.as_bytes()).await.unwrap();
    reading.await.unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_not_framed_as_asked_fails_for_good() {
    let tape = Recording::new().outbound(with_header(A));
    let player = player_of(MessageFraming::ContentLength, tape);
    let connection = connect(&player);
    let failure = connection.refused(format!("{A}\n\n")).await;
    assert!(matches!(failure, PlayError::Framing { .. }), "{failure:?}");
    assert_eq!(connection.refused(with_header(A)).await, failure);
    assert_eq!(connection.failure().await, failure);
}

#[tokio::test(start_paused = true)]
async fn bytes_without_messages_match_whatever_the_writes_and_exactly() {
    let tape = || {
        Recording::new()
            .outbound("abc")
            .outbound("")
            .outbound("\r\nde")
            .stdout("x")
            .outbound("f")
    };
    let player = player_of(MessageFraming::Raw, tape());
    let connection = connect(&player);
    for piece in ["a", "bc\r", "\nde"] {
        connection.send(piece).await;
    }
    let waiting = connection.blocked("f").await;
    assert_eq!(connection.text().await, "x");
    waiting.await.unwrap().unwrap();
    player.verify_complete().unwrap();
    let failure = connection.refused("more").await;
    let told = "4 more bytes were sent on connection-1 after everything was played: 4 bytes";
    assert_eq!(failure.to_string(), told);

    let player = player_of(MessageFraming::Raw, tape());
    let connection = connect(&player);
    let PlayError::Bytes(mismatch) = connection.refused("abc\ndef").await else {
        panic!();
    };
    let place = (
        mismatch.chunk_seq.get(),
        mismatch.offset,
        mismatch.expected_len,
    );
    assert_eq!(place, (3, 0, 4));
}

#[tokio::test(start_paused = true)]
async fn a_send_waits_while_the_agent_speaks_and_what_follows_keeps_its_order() {
    let player = player(
        Recording::new()
            .stdout("1\n")
            .stderr("2\n")
            .outbound(format!("{A}\n"))
            .outbound(format!("{B}\n")),
    );
    let connection = connect(&player);
    let first = connection.blocked(format!("{A}\n")).await;
    let second = connection.blocked(format!("{B}\n")).await;
    connection.frame().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!first.is_finished() && !second.is_finished());
    connection.frame().await;
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_send_that_is_given_up_while_it_waits_is_taken_and_one_behind_it_is_not_sent() {
    let player = player(
        Recording::new()
            .stdout("1\n")
            .outbound(format!("{A}\n"))
            .outbound(format!("{B}\n")),
    );
    let connection = connect(&player);
    let first = connection.blocked(format!("{A}\n")).await;
    let second = connection.blocked("never\n").await;
    second.abort();
    first.abort();
    assert!(first.await.is_err() && second.await.is_err());
    connection.frame().await;
    connection.send(format!("{B}\n")).await;
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_the_host_sends_too_much_fails_even_where_it_waited() {
    let player = player(Recording::new().stdout("1\n").exit(0));
    let connection = connect(&player);
    let waiting = connection.blocked(format!("{A}\n")).await;
    connection.frame().await;
    connection.frame().await;
    let Err(SendError::Failed(_)) = waiting.await.unwrap() else {
        panic!();
    };
    let failure = connection.failure().await;
    let told = "21 more bytes were sent on connection-1 after everything was played: request \"a\" with id 1";
    assert_eq!(failure.to_string(), told);
    assert!(!is_drained(&player));
}

#[tokio::test(start_paused = true)]
async fn only_declared_pipelines_match_in_any_order_and_only_within_a_run() {
    let tape = || {
        Recording::new()
            .outbound(format!("{A}\n"))
            .outbound(format!("{B}\n"))
            .stdout("{\"id\":2,\"result\":\"b\"}\n{\"id\":1,\"result\":\"a\"}\n")
            .outbound("{\"id\":3,\"method\":\"c\"}\n")
            .exit(0)
    };
    let mut any = descriptor(MessageFraming::Lines);
    any.pipelining = Pipelining::AnyOrder;
    let player_of = |descriptor| {
        let registry = registry([descriptor]);
        Player::new(tape().tape(), registry, PlayOptions::fast_forward()).unwrap()
    };
    let pipelined = player_of(any.clone());
    let connection = connect(&pipelined);
    connection.send("{\"id\":8,\"method\":\"b\"}\n").await;
    let waiting = connection.clone();
    let reading = tokio::spawn(async move { waiting.text().await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!reading.is_finished(), "the rest of the run is waited for");
    connection.send("{\"id\":9,\"method\":\"a\"}\n").await;
    let answers = "{\"id\":8,\"result\":\"b\"}\n{\"id\":9,\"result\":\"a\"}\n";
    assert_eq!(reading.await.unwrap(), answers);
    connection.send("{\"id\":9,\"method\":\"c\"}\n").await;
    connection.texts().await;
    pipelined.verify_complete().unwrap();

    connect(&player_of(any))
        .refused("{\"id\":8,\"method\":\"c\"}\n")
        .await;
    let ordered = player_of(descriptor(MessageFraming::Lines));
    connect(&ordered)
        .refused("{\"id\":8,\"method\":\"b\"}\n")
        .await;
}

#[tokio::test(start_paused = true)]
async fn of_messages_in_any_order_equal_ones_are_answered_in_theirs() {
    const COUNT: usize = 2000;
    let call = |id: usize, says: usize| {
        format!("{{\"id\":{id},\"method\":\"call\",\"params\":{{\"says\":{says}}}}}\n")
    };
    // Each is there twice.
    let recorded: Vec<usize> = (0..COUNT).chain(0..COUNT).collect();
    let mut recording = Recording::new();
    for (id, says) in recorded.iter().enumerate() {
        recording = recording.outbound(call(id, *says));
    }
    for id in 0..recorded.len() {
        recording = recording.stdout(format!("{{\"id\":{id},\"result\":{id}}}\n"));
    }
    let mut any = descriptor(MessageFraming::Lines);
    any.pipelining = Pipelining::AnyOrder;
    let registry = registry([any]);
    let player = Player::new(recording.tape(), registry, PlayOptions::fast_forward()).unwrap();
    let connection = connect(&player);

    let mut expected: HashMap<usize, usize> = HashMap::new();
    for (at, says) in recorded.iter().enumerate().rev() {
        let id = 10_000 + at;
        connection.send(call(id, *says)).await;
        // The later of the two is sent first, and is taken for the first one recorded.
        expected.insert(id, (at + COUNT) % (2 * COUNT));
    }

    for _ in 0..recorded.len() {
        let answer = connection.text().await;
        let numbers: Vec<usize> = answer
            .split(|character: char| !character.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
        assert_eq!(expected.remove(&numbers[0]), Some(numbers[1]), "{answer}");
    }
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn ids_of_both_directions_are_apart_and_an_answer_carries_the_agents() {
    let recording = || {
        Recording::new()
            .outbound(format!("{A}\n"))
            .stdout("{\"id\":1,\"method\":\"ask\"}\n")
            .outbound("{\"id\":1,\"result\":\"yes\"}\n")
            .stdout("{\"id\":1,\"result\":\"a\"}\n")
    };
    let first = player(recording());
    let connection = connect(&first);
    connection.send("{\"id\":5,\"method\":\"a\"}\n").await;
    assert_eq!(connection.text().await, "{\"id\":1,\"method\":\"ask\"}\n");
    connection.send("{\"id\":1,\"result\":\"yes\"}\n").await;
    assert_eq!(connection.text().await, "{\"id\":5,\"result\":\"a\"}\n");
    first.verify_complete().unwrap();
    let second = player(recording());
    let connection = connect(&second);
    connection.send("{\"id\":5,\"method\":\"a\"}\n").await;
    connection.text().await;
    connection.refused("{\"id\":5,\"result\":\"yes\"}\n").await;
}
