//! Requests that a client may make at any time, or not at all.

use std::time::Duration;

use cassette_format::descriptor::{MessageFraming, Pipelining};
use cassette_format::process::{FrameEvent, PlaybackControl, SendError};
use cassette_replay::{PlayError, PlayOptions, Player};
use tokio::time::Instant;

use super::host::{CWD, TOKEN, connect, descriptor, is_drained, player, registry};
use super::tape::Recording;

fn probe(id: impl std::fmt::Display, params: &str) -> String {
    format!("{{\"id\":{id},\"method\":\"probe\",\"params\":{params}}}\n")
}

fn work(id: u32) -> String {
    format!("{{\"id\":{id},\"method\":\"work\"}}\n")
}

fn answer(id: impl std::fmt::Display, result: &str) -> String {
    format!("{{\"id\":{id},\"result\":{result}}}\n")
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_comes_late_is_given_its_own_answer_once() {
    let player = player(
        Recording::new()
            .outbound(probe(1, "{}"))
            .stdout(answer(1, "\"own\""))
            .stdout("{\"method\":\"event\"}\n")
            .outbound(work(2))
            .stdout(answer(2, "\"worked\"")),
    );
    let connection = connect(&player);
    assert_eq!(connection.text().await, "{\"method\":\"event\"}\n");
    connection.send(probe("\"late\"", "{ }")).await;
    assert!(player.has_pending_synthetic(&"connection-1".parse().unwrap()));
    let frame = connection.frame().await;
    let own = answer("\"late\"", "\"own\"");
    assert_eq!(frame.event, FrameEvent::Stdout(own.into_bytes()));
    let stamp = frame.stamp.unwrap();
    assert_eq!((stamp.chunk_seq.get(), stamp.synthetic), (0, true));
    connection.send(work(7)).await;
    assert_eq!(connection.text().await, answer(7, "\"worked\""));
    assert!(is_drained(&player));
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn of_equal_probes_the_nearest_before_answers_else_the_first_behind() {
    let player = player(
        Recording::new()
            .outbound(work(1))
            .stdout(answer(1, "{}"))
            .outbound(probe(2, "{}"))
            .stdout(answer(2, "\"first\""))
            .outbound(work(3))
            .stdout(answer(3, "{}"))
            .outbound(probe(4, "{}"))
            .stdout(answer(4, "\"second\""))
            .outbound(work(5))
            .stdout(answer(5, "{}")),
    );
    let connection = connect(&player);
    for (before, own) in [(10, "\"first\""), (20, "\"first\""), (30, "\"second\"")] {
        // Where `work` is due, so the probe is not.
        if before > 10 {
            connection.send(work(before)).await;
            connection.text().await;
            // The one recorded here is matched.
            connection.send(probe(before + 1, "{}")).await;
            connection.text().await;
        }
        connection.send(probe(before + 2, "{}")).await;
        assert_eq!(connection.text().await, answer(before + 2, own), "{before}");
        if before == 30 {
            connection.send(work(before + 3)).await;
            connection.text().await;
        } else if before == 10 {
            continue;
        }
    }
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn probes_that_are_written_in_other_ways_are_equal_too() {
    let recorded = probe(1, "{\"a\":1,\"b\":2}");
    let player = player(
        Recording::new()
            .outbound(work(2))
            .outbound(recorded.clone())
            .stdout(answer(1, "\"before\""))
            .outbound(work(3))
            .outbound(work(4))
            .outbound(probe(5, "{\"b\":2,\"a\":1}"))
            .stdout(answer(5, "\"behind\"")),
    );
    let connection = connect(&player);
    connection.send(work(2)).await;
    connection.send(recorded).await;
    connection.text().await;
    connection.send(work(3)).await;
    connection.send(probe(9, "{ \"b\": 2, \"a\": 1 }")).await;
    assert_eq!(connection.text().await, answer(9, "\"before\""));
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_a_probe_may_be_an_error_and_is_made_this_sides_as_any_other() {
    let error = format!(
        "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-1,\"data\":{{\"path\":\"{TOKEN}/x\",\"turnId\":\"t-old\"}}}},\"id\":2}}\n"
    );
    let player = player(
        Recording::new()
            .outbound("{\"id\":1,\"method\":\"work\",\"params\":{\"turnId\":\"t-old\"}}\n")
            .stdout(answer(1, "{}"))
            .outbound(work(3))
            .stdout(answer(3, "{}"))
            .outbound(probe(2, "{\"turnId\":\"t-old\"}"))
            .stdout(error),
    );
    let connection = connect(&player);
    connection
        .send("{\"id\":1,\"method\":\"work\",\"params\":{\"turnId\":\"t-new\"}}\n")
        .await;
    connection.text().await;
    connection.send(probe(9, "{\"turnId\":\"t-new\"}")).await;
    let expected = format!(
        "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-1,\"data\":{{\"path\":\"{CWD}/x\",\"turnId\":\"t-new\"}}}},\"id\":9}}\n"
    );
    assert_eq!(connection.text().await, expected);
}

#[tokio::test(start_paused = true)]
async fn a_probe_with_other_params_has_the_declared_answer() {
    let player = player(
        Recording::new()
            .outbound(work(1))
            .outbound(probe(2, "{\"x\":1}"))
            .stdout(answer(2, "\"own\"")),
    );
    let connection = connect(&player);
    connection.send(probe(5, "{\"x\":2}")).await;
    assert_eq!(connection.text().await, answer(5, "{\"declared\":true}"));
    connection.send(probe(6, "{\"x\":1}")).await;
    assert_eq!(connection.text().await, answer(6, "\"own\""));
}

#[tokio::test(start_paused = true)]
async fn metadata_of_the_start_is_answered_at_once_and_once_by_what_the_tape_has() {
    let limits = |id: u32| format!("{{\"id\":{id},\"method\":\"limits\"}}\n");
    let player = player(
        Recording::new()
            .outbound(limits(1))
            .outbound(work(2))
            .stdout(answer(2, "{}"))
            .stdout("{\"id\":1,\"res")
            .stdout("ult\":\"own\"}\n{\"method\":\"event\"}\n")
            .outbound(limits(3))
            .stdout("{\"method\":\"last\"}\n"),
    );
    player.playback().pause();
    player.playback().set_fast_forward(false);
    let connection = connect(&player);
    connection.send(limits(11)).await;
    assert_eq!(connection.text().await, answer(11, "\"own\""));
    player.playback().set_fast_forward(true);
    connection.send(work(12)).await;
    // Extra ones too, and one that was never answered.
    connection.send(limits(13)).await;
    assert_eq!(connection.text().await, answer(13, "\"own\""));
    assert_eq!(connection.text().await, answer(12, "{}"));
    let frame = connection.frame().await;
    assert_eq!(
        frame.event,
        FrameEvent::Stdout(b"{\"method\":\"event\"}\n".to_vec())
    );
    assert_eq!(frame.stamp.unwrap().chunk_seq.get(), 5);
    connection.send(limits(14)).await;
    assert_eq!(
        connection.text().await,
        answer(14, "{\"declared\":\"limits\"}")
    );
    assert_eq!(connection.text().await, "{\"method\":\"last\"}\n");
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn metadata_that_is_not_asked_for_is_left_out_with_its_answer() {
    let player = player(
        Recording::new()
            .outbound("{\"id\":1,\"method\":\"limits\"}\n")
            .outbound(work(2))
            .stdout(answer(1, "\"own\""))
            .stdout(answer(2, "{}"))
            .exit(0),
    );
    let connection = connect(&player);
    connection.send(work(2)).await;
    assert_eq!(connection.texts().await, [answer(2, "{}")]);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_is_written_in_parts_is_a_probe_and_ids_keep_their_types() {
    let player = player(Recording::new().outbound(work(1)).exit(0));
    let connection = connect(&player);
    for id in [
        "\"1\"",
        "1",
        "1.0",
        "123456789012345678901234567890",
        "null",
    ] {
        for byte in probe(id, "{}").replace('\n', "\r\n").bytes() {
            connection.send([byte]).await;
        }
        let answered = answer(id, "{\"declared\":true}");
        assert_eq!(connection.text().await, answered);
    }
    connection.send(work(1)).await;
    assert_eq!(connection.texts().await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_never_comes_inside_of_a_message_of_the_agent() {
    let player = player(
        Recording::new()
            .outbound(work(1))
            .stdout("{\"id\":1,")
            .stderr("log\n")
            .stdout("\"result\":")
            .stdout("{}}\n{\"method\":")
            .stdout("\"event\"}\n")
            .exit(0),
    );
    let connection = connect(&player);
    connection.send(work(1)).await;
    let mut texts = vec![connection.text().await];
    connection.send(probe(5, "{}")).await;
    texts.extend(connection.texts().await);
    let all = texts.concat();
    assert_eq!(
        all,
        [
            "{\"id\":1,\"result\":{}}\n{\"method\":\"event\"}\n",
            &answer(5, "{\"declared\":true}"),
        ]
        .concat()
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_does_not_run_into_a_last_line_without_a_line_end() {
    let player = player(Recording::new().stdout("{\"method\":\"cut of").exit(1));
    let connection = connect(&player);
    let mut all = connection.text().await;
    connection.send(probe(5, "{}")).await;
    all.push_str(&connection.text().await);
    let lines: Vec<&str> = all.lines().collect();
    let answered = answer(5, "{\"declared\":true}");
    assert_eq!(lines, ["{\"method\":\"cut of", answered.trim_end()]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_does_not_run_into_a_line_that_was_looked_at_before_it_was_delivered() {
    let player = player(
        Recording::new()
            .outbound(probe(1, "{}"))
            .outbound(work(2))
            .stdout(answer(2, "{}"))
            .stdout("cut of"),
    );
    let connection = connect(&player);
    connection.send(work(2)).await;
    assert_eq!(connection.text().await, answer(2, "{}"));
    let declared = |id: u32| answer(id, "{\"declared\":true}");
    connection.send(probe(5, "{}")).await;
    assert_eq!(connection.text().await, declared(5));
    assert_eq!(connection.text().await, "cut of");
    for (id, before) in [(6, "\n"), (7, "")] {
        connection.send(probe(id, "{}")).await;
        assert_eq!(connection.text().await, format!("{before}{}", declared(id)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_probe_is_answered_after_the_exit_and_not_after_the_close() {
    let player = player(Recording::new().exit(0));
    let connection = connect(&player);
    connection.frame().await;
    connection.send(probe(5, "{}")).await;
    assert_eq!(connection.text().await, answer(5, "{\"declared\":true}"));
    assert_eq!(connection.0.recv().await.unwrap(), None);
    connection.send(probe(6, "{}")).await;
    assert_eq!(connection.text().await, answer(6, "{\"declared\":true}"));
    connection.send(probe(7, "{}")).await;
    connection.close().await.unwrap();
    assert_eq!(connection.0.recv().await.unwrap(), None);
    let sent = connection.0.send(probe(8, "{}").as_bytes()).await;
    assert!(matches!(sent, Err(SendError::Closed)));
}

#[tokio::test(start_paused = true)]
async fn a_probe_is_answered_to_a_receiver_that_waits_in_a_pause() {
    let player = player(Recording::new().at(5).stdout("later\n"));
    player.playback().pause();
    player.playback().set_fast_forward(false);
    let connection = connect(&player);
    let reader = connection.clone();
    let reading = tokio::spawn(async move { reader.text().await });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!reading.is_finished());
    connection.send(probe(5, "{}")).await;
    assert_eq!(reading.await.unwrap(), answer(5, "{\"declared\":true}"));
}

#[tokio::test(start_paused = true)]
async fn a_run_of_probes_is_waited_for_once() {
    let mut recording = Recording::new();
    for id in 1..20 {
        recording = recording.outbound(probe(id, "{}")).stdout(answer(id, "{}"));
    }
    let player = player(
        recording
            .stdout("{\"method\":\"event\"}\n")
            .outbound(probe(30, "{}"))
            .outbound(probe(31, "{}"))
            .exit(0),
    );
    let connection = connect(&player);
    let began = Instant::now();
    assert_eq!(connection.text().await, "{\"method\":\"event\"}\n");
    assert_eq!(began.elapsed().as_millis(), 50);
    // What comes between ends the run.
    assert_eq!(connection.texts().await, [""; 0]);
    assert_eq!(began.elapsed().as_millis(), 100);
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_no_probe_and_its_answers_are_no_answers_of_probes() {
    let batch = "[{\"id\":1,\"method\":\"probe\"},{\"id\":2,\"method\":\"probe\"}]\n";
    let answers = "[{\"id\":1,\"result\":{}},{\"id\":2,\"result\":{}}]\n";
    let recording = || {
        Recording::new()
            .outbound(probe(1, "{}"))
            .outbound(batch)
            .stdout(answers)
            .stdout(answer(1, "{}"))
            .exit(0)
    };
    let second = player(recording());
    let connection = connect(&second);
    connection.send(batch).await;
    assert_eq!(connection.texts().await, [answers]);
    second.verify_complete().unwrap();
    let without = player(recording());
    assert!(connect(&without).is_silent().await);
    let extra = player(Recording::new().outbound(work(1)));
    connect(&extra).refused(batch).await;
}

#[tokio::test(start_paused = true)]
async fn skipped_probes_with_one_id_lose_an_answer_each() {
    let player = player(
        Recording::new()
            .outbound(probe(1, "{\"x\":1}"))
            .outbound(probe(1, "{\"x\":2}"))
            .outbound(work(2))
            .stdout(answer(1, "\"a\""))
            .stdout(answer(1, "\"b\""))
            .stdout(answer(2, "{}"))
            .exit(0),
    );
    let connection = connect(&player);
    connection.send(work(2)).await;
    assert_eq!(connection.texts().await, [answer(2, "{}")]);
}

#[tokio::test(start_paused = true)]
async fn an_id_that_a_skipped_probe_had_is_free_for_the_next_request() {
    let player = player(
        Recording::new()
            .outbound(probe(1, "{}"))
            .outbound(work(2))
            .stdout(answer(2, "{}"))
            .outbound(work(1))
            .stdout(answer(1, "\"worked\""))
            .exit(0),
    );
    let connection = connect(&player);
    connection.send(work(8)).await;
    assert_eq!(connection.text().await, answer(8, "{}"));
    connection.send(work(9)).await;
    assert_eq!(connection.texts().await, [answer(9, "\"worked\"")]);
}

#[tokio::test(start_paused = true)]
async fn answers_have_headers_where_the_agents_messages_do() {
    let framed = |text: &str| format!("Content-Length: {}\r\n\r\n{text}", text.len());
    let (one, two) = (probe(1, "{}"), probe(123, "{}"));
    let own = answer(1, "\"own\"");
    let recording = Recording::new()
        .outbound(framed(work(2).trim_end()))
        .outbound(framed(one.trim_end()))
        .stdout(framed(own.trim_end()));
    let registry = registry([descriptor(MessageFraming::ContentLength)]);
    let player = Player::new(recording.tape(), registry, PlayOptions::fast_forward()).unwrap();
    let connection = connect(&player);
    connection.send(framed(two.trim_end())).await;
    let readdressed = answer(123, "\"own\"");
    assert_eq!(connection.text().await, framed(readdressed.trim_end()));
}

/// A host that does one thing after the other, and never listens while it sends.
#[tokio::test(start_paused = true)]
async fn a_host_that_leaves_a_probe_out_need_not_listen_while_it_sends_what_comes_next() {
    let recording = |answer: &[&str]| {
        let mut recording = Recording::new()
            .outbound("{\"id\":1,\"method\":\"initialize\"}\n")
            .stdout("{\"id\":1,\"result\":{}}\n")
            .outbound("{\"id\":2,\"method\":\"probe\"}\n");
        for part in answer {
            recording = recording.stdout(*part);
        }
        recording
            .outbound("{\"id\":3,\"method\":\"turn\"}\n")
            .stdout("{\"id\":3,\"result\":{}}\n")
    };
    for answer in [
        &["{\"id\":2,\"result\":{}}\n"][..],
        &["{\"id\":2,", "\"result\"", ":{}}\n"],
    ] {
        let right = player(recording(answer));
        let connection = connect(&right);
        connection
            .send("{\"id\":1,\"method\":\"initialize\"}\n")
            .await;
        assert_eq!(connection.text().await, "{\"id\":1,\"result\":{}}\n");
        connection.send("{\"id\":8,\"method\":\"turn\"}\n").await;
        assert_eq!(connection.text().await, "{\"id\":8,\"result\":{}}\n");
        right.verify_complete().unwrap();

        let wrong = player(recording(answer));
        let connection = connect(&wrong);
        connection
            .send("{\"id\":1,\"method\":\"initialize\"}\n")
            .await;
        connection.text().await;
        let error = connection.refused("{\"id\":8,\"method\":\"stop\"}\n").await;
        assert!(matches!(error, PlayError::Mismatch(_)), "{error:?}");
    }
}

/// A chunk that is looked at early is not delivered early.
#[tokio::test(start_paused = true)]
async fn no_answer_lands_inside_of_a_message_while_another_one_is_left_out() {
    let player = player(
        Recording::new()
            .outbound("{\"id\":2,\"method\":\"probe\"}\n")
            .outbound("{\"id\":3,\"method\":\"turn\"}\n")
            .stdout("{\"method\":\"ev")
            .stdout("ent\"}\n{\"id\":2,\"result\":{}}\n")
            .stdout("{\"id\":3,\"result\":{}}\n"),
    );
    let connection = connect(&player);
    connection.send("{\"id\":8,\"method\":\"turn\"}\n").await;
    let first = connection.text().await;
    connection.send("{\"id\":9,\"method\":\"probe\"}\n").await;
    let second = connection.text().await;
    assert_eq!(format!("{first}{second}"), "{\"method\":\"event\"}\n");
}

#[tokio::test(start_paused = true)]
async fn where_calls_are_made_side_by_side_a_recorded_probe_waits_for_its_turn() {
    // A client that looks for tools before it has read what it is asked.
    let ask = "{\"id\":0,\"method\":\"ask\"}\n";
    let recording = Recording::new()
        .stdout(ask)
        .outbound("{\"id\":0,\"result\":\"yes\"}\n")
        .outbound(probe(1, "{}"))
        .stdout(answer(1, "\"own\""))
        .outbound(work(2));
    let mut side_by_side = descriptor(MessageFraming::Lines);
    side_by_side.pipelining = Pipelining::AnyOrder;
    let registry = registry([side_by_side]);
    let player = Player::new(recording.tape(), registry, PlayOptions::fast_forward()).unwrap();
    let connection = connect(&player);
    let early = connection.blocked(probe(7, "{}")).await;
    assert_eq!(connection.text().await, ask);
    early.await.unwrap().unwrap();
    connection.send("{\"id\":0,\"result\":\"yes\"}\n").await;
    assert_eq!(connection.text().await, answer(7, "\"own\""));
    connection.send(work(8)).await;
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_probe_whose_turn_comes_is_answered_at_once_in_a_pause() {
    let recording = Recording::new()
        .at(5)
        .stdout("later\n")
        .outbound(probe(1, "{}"))
        .stdout(answer(1, "\"own\""));
    let mut side_by_side = descriptor(MessageFraming::Lines);
    side_by_side.pipelining = Pipelining::AnyOrder;
    let registry = registry([side_by_side]);
    let player = Player::new(recording.tape(), registry, PlayOptions::default()).unwrap();
    player.playback().pause();
    let connection = connect(&player);
    connection.send(probe(7, "{}")).await;
    assert_eq!(connection.text().await, answer(7, "\"own\""));
}
