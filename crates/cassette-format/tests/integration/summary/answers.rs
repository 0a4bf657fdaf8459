//! Answers find their requests, and how long that took.

use cassette_format::schema::ChunkKind;
use cassette_format::summary::{AnswerTimes, DirectionSummary};

use super::script::{Script, lines};

/// Count, shortest, middle, longest and sum of the times of a method.
type Times = (u64, Option<u64>, Option<u64>, Option<u64>, u64);

fn times(direction: &DirectionSummary, name: &str) -> Times {
    let mut methods = direction.methods.iter();
    let method = methods.find(|it| it.answers.is_some() && it.name.as_deref() == Some(name));
    let AnswerTimes {
        count,
        total_ms,
        min_ms,
        median_ms,
        max_ms,
        ..
    } = method.unwrap().answers.unwrap();
    (count, min_ms, median_ms, max_ms, total_ms)
}

#[test]
fn times_run_from_the_end_of_a_request_to_the_end_of_its_answer() {
    let script = Script::of(&["rpc"])
        .at(10)
        .host("{\"id\":1,\"method\":")
        .at(20)
        .host("\"ask\"}\n{\"id\":2,\"method\":\"ask\"}\n{\"id\":3,\"method\":\"ask\"}\n")
        .at(25)
        .agent("{\"id\":3,\"result\":0}\n{\"id\":1,")
        .at(60)
        .agent("\"result\":0}\n")
        .at(61)
        .agent("{\"id\":2,\"error\":0}\n");
    let messages = script.messages();
    assert_eq!(
        times(&messages.outbound, "ask"),
        (3, Some(5), Some(40), Some(41), 86)
    );
    assert_eq!(lines(&messages.inbound), ["result ask 2", "error ask 1"]);
}

#[test]
fn requests_that_nobody_answered_have_no_times() {
    let script = Script::of(&["rpc"]).host("{\"id\":1,\"method\":\"ask\"}\n");
    assert_eq!(
        times(&script.messages().outbound, "ask"),
        (0, None, None, None, 0)
    );
}

#[test]
fn an_answer_is_to_the_other_side_and_to_its_own_connection() {
    let script = Script::of(&["rpc", "rpc"])
        .host("{\"id\":1,\"method\":\"host\"}\n")
        .chunk(2, ChunkKind::Stdout, "{\"id\":1,\"result\":0}\n")
        .host("{\"id\":1,\"result\":0}\n")
        .agent("{\"id\":1,\"method\":\"agent\"}\n")
        .host("{\"id\":1,\"result\":0}\n");
    assert_eq!(
        script.methods(),
        (
            ["request host 1 answered 0", "result ? 1", "result agent 1"]
                .map(str::to_owned)
                .to_vec(),
            vec!["request agent 1 answered 1".to_owned()],
        )
    );
}

#[test]
fn ids_are_equal_as_strings_or_as_they_are_written() {
    for (asked, answered, equal) in [
        ("1", "1", true),
        ("1", "\"1\"", false),
        ("\"1\"", "1", false),
        ("1", "1.0", false),
        ("\"a\"", "\"\\u0061\"", true),
        ("\"a\"", "\"A\"", false),
        ("true", "true", true),
        ("\"\"", "\"\"", true),
        ("\"\\\"1\"", "\"\\\"1\"", true),
        ("{\"a\":1}", "{\"a\":1}", true),
        ("12345678901234567890123", "12345678901234567890123", true),
        ("12345678901234567890123", "12345678901234567890124", false),
    ] {
        let script = Script::of(&["rpc"])
            .host(format!("{{\"id\":{asked},\"method\":\"ask\"}}\n"))
            .agent(format!("{{\"id\":{answered},\"result\":0}}\n"));
        let name = ["?", "ask"][usize::from(equal)];
        assert_eq!(
            script.methods().1,
            [format!("result {name} 1")],
            "{asked} {answered}"
        );
    }
}

#[test]
fn a_request_is_answered_once_and_the_last_of_one_id_is() {
    let script = Script::of(&["rpc"])
        .host("{\"id\":1,\"method\":\"first\"}\n{\"id\":1,\"method\":\"last\"}\n")
        .agent("{\"id\":1,\"result\":0}\n{\"id\":1,\"result\":0}\n");
    assert_eq!(
        script.methods(),
        (
            vec![
                "request first 1 answered 0".to_owned(),
                "request last 1 answered 1".to_owned()
            ],
            vec!["result ? 1".to_owned(), "result last 1".to_owned()],
        )
    );
}

#[test]
fn an_id_may_be_used_again_after_its_answer() {
    let mut script = Script::of(&["rpc"]);
    for round in 0..3 {
        script = script
            .at(round * 100)
            .host("{\"id\":1,\"method\":\"ask\"}\n")
            .at(round * 110)
            .agent("{\"id\":1,\"result\":0}\n");
    }
    assert_eq!(
        times(&script.messages().outbound, "ask"),
        (3, Some(0), Some(10), Some(20), 30)
    );
}

#[test]
fn time_that_runs_backwards_is_no_time() {
    let script = Script::of(&["rpc"])
        .at(10)
        .host("{\"id\":1,\"method\":\"ask\"}\n")
        .at(3)
        .agent("{\"id\":1,\"result\":0}\n");
    let expected = (1, Some(0), Some(0), Some(0), 0);
    assert_eq!(times(&script.messages().outbound, "ask"), expected);
}

#[test]
fn the_view_of_the_tape_adds_up_its_connections() {
    let ask = "{\"id\":1,\"method\":\"ask\"}\n";
    let answer = "{\"id\":1,\"result\":0}\n";
    let script = Script::of(&["rpc", "envelope", "rpc"])
        .host(ask)
        .chunk(3, ChunkKind::Outbound, ask)
        .chunk(2, ChunkKind::Outbound, "{\"id\":1,\"type\":\"ask\"}\nno\n")
        .at(4)
        .agent(answer)
        .at(9)
        .chunk(3, ChunkKind::Stdout, answer)
        .chunk(3, ChunkKind::Stdout, "{\"id");
    let messages = script.summary().messages;
    assert_eq!(lines(&messages.outbound), ["request ask 3 answered 2"]);
    assert_eq!(
        times(&messages.outbound, "ask"),
        (2, Some(4), Some(4), Some(9), 13)
    );
    assert_eq!(messages.outbound.methods[0].bytes, 23 + 23 + 21);
    assert_eq!(lines(&messages.inbound), ["result ask 2"]);
    assert_eq!(
        (messages.outbound.messages, messages.outbound.not_json),
        (4, 1)
    );
    assert_eq!(messages.inbound.unfinished_bytes, 4);
}
