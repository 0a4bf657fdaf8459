//! What counts as a message in each dialect and framing, and under which name.

use std::collections::BTreeMap;

use cassette_format::descriptor::Dialect;
use cassette_format::schema::ChunkKind;

use super::script::{Script, oddities};

fn text(lines: &[&str]) -> (Vec<String>, Vec<String>) {
    let said = lines.iter().map(|line| format!("{line}\n"));
    let script = said.fold(Script::of(&["rpc"]), Script::host);
    script.methods()
}

fn outbound(lines: &[&str]) -> Vec<String> {
    text(lines).0
}

#[test]
fn json_rpc_is_told_by_method_id_result_and_error() {
    let found = outbound(&[
        r#"{"id":1,"method":"ask"}"#,
        r#"{"method":"tell"}"#,
        r#"{"id":7,"result":null}"#,
        r#"{"id":8,"error":{}}"#,
        r#"{"id":9,"result":{},"error":null}"#,
        r#"{"id":10,"error":null}"#,
        r#"{"id":11,"result":null,"error":{}}"#,
        // A method settles it.
        r#"{"id":2,"method":"ask","result":1}"#,
    ]);
    assert_eq!(
        found,
        [
            "request ask 2 answered 0",
            "notification tell 1",
            "result ? 3",
            "error ? 2",
        ]
    );
}

#[test]
fn an_id_that_is_null_asks_for_nothing() {
    let found = outbound(&[r#"{"id":null,"method":"tell"}"#, r#"{"id":null,"error":1}"#]);
    assert_eq!(found, ["notification tell 1", "error ? 1"]);
}

#[test]
fn of_duplicate_members_the_last_one_counts_and_keys_may_be_escaped() {
    let found = outbound(&[
        r#"{"method":"one","m\u0065thod":"t\u0077o"}"#,
        r#"{"method":3,"method":"two"}"#,
        // As a parser has it, this one has no method.
        r#"{"method":"two","method":3}"#,
        r#"{"method":"three","id":null,"id":5}"#,
    ]);
    assert_eq!(found, ["request three 1 answered 0", "notification two 2"]);
}

#[test]
fn what_has_neither_method_nor_answer_is_counted_without_name() {
    let script =
        Script::of(&["rpc"]).host("{}\n[{},1]\n\"text\"\n{\"id\":1}\n{\"method\":1}\n[]\n");
    let found = script.messages().outbound;
    assert_eq!(
        oddities(&found),
        BTreeMap::from([("messages", 6), ("unnamed", 6)])
    );
    assert!(found.methods.is_empty());
}

#[test]
fn what_is_no_json_is_counted_and_nothing_of_it_is_read() {
    let script = Script::of(&["rpc"]).host(
        "warning\n\n  \n{\"method\":\"tell\"\n{\"method\":\"tell\"} and more\n{\"method\":\"tell\"}\r\n",
    );
    let found = script.messages().outbound;
    assert_eq!(
        oddities(&found),
        BTreeMap::from([("messages", 6), ("not JSON", 5)])
    );
    assert_eq!(script.methods().0, ["notification tell 1"]);
}

#[test]
fn each_message_of_a_batch_and_of_a_line_counts() {
    let script = Script::of(&["rpc"])
        .host("[{\"id\":1,\"method\":\"ask\"}, {\"method\":\"tell\"}]\n")
        .host("{\"method\":\"tell\"}{\"method\":\"tell\"}\n")
        .agent("[{\"id\":1,\"result\":[[]]}]\n");
    assert_eq!(
        script.methods(),
        (
            vec![
                "request ask 1 answered 1".to_owned(),
                "notification tell 3".to_owned()
            ],
            vec!["result ask 1".to_owned()],
        )
    );
    assert_eq!(script.messages().outbound.messages, 2);
}

#[test]
fn bytes_are_those_of_the_messages_without_what_surrounds_them() {
    let script = Script::of(&["rpc"])
        .host("  {\"method\":\"tell\"} \r\n[ {\"method\":\"tell\" } ]\n[]\n")
        .host("{\"method\":\"other\"}\n");
    let found = script.messages().outbound;
    let bytes: Vec<u64> = found.methods.iter().map(|method| method.bytes).collect();
    assert_eq!(bytes, [18, 17 + 18]);
}

#[test]
fn typed_envelopes_are_told_by_type_and_id() {
    let script = Script::of(&["envelope"])
        .host("{\"id\":\"1\",\"type\":\"start\"}\n{\"id\":\"2\",\"type\":\"prompt\"}\n")
        .agent("{\"type\":\"ready\"}\n{\"id\":\"1\",\"type\":\"ok\"}\n{\"id\":\"2\",\"type\":\"error\"}\n")
        .agent("{\"type\":\"error\"}\n{\"id\":\"3\",\"type\":\"ok\"}\n{\"id\":\"4\"}\n[{\"type\":\"x\"}]\n");
    assert_eq!(
        script.methods(),
        (
            vec![
                "request prompt 1 answered 1".to_owned(),
                "request start 1 answered 1".to_owned()
            ],
            [
                "notification error 1",
                "notification ready 1",
                "result ? 1",
                "result start 1",
                "error prompt 1"
            ]
            .map(str::to_owned)
            .to_vec(),
        )
    );
    assert_eq!(script.messages().inbound.unnamed, 2);
}

#[test]
fn stream_json_is_told_by_type_and_subtype() {
    let script = Script::of(&["stream"])
        .host("{\"type\":\"control_request\",\"request_id\":\"a\",\"request\":{\"subtype\":\"initialize\"}}\n")
        .host("{\"type\":\"control_request\",\"request_id\":\"b\",\"request\":{\"subtype\":\"interrupt\"}}\n")
        .host("{\"type\":\"user\",\"message\":{\"type\":\"x\"}}\n")
        .agent("{\"type\":\"system\",\"subtype\":\"init\"}\n{\"type\":\"assistant\"}\n{\"subtype\":\"x\"}\n")
        .agent("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"a\"}}\n")
        .agent("{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\",\"request_id\":\"b\"}}\n")
        .agent("{\"type\":\"control_request\",\"request_id\":\"a\",\"request\":{\"subtype\":\"can_use_tool\"}}\n")
        .agent("{\"type\":\"control_request\",\"request_id\":\"c\",\"request\":1}\n")
        .host("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"a\"}}\n");
    assert_eq!(
        script.methods(),
        (
            [
                "request initialize 1 answered 1",
                "request interrupt 1 answered 1",
                "notification user 1",
                "result can_use_tool 1",
            ]
            .map(str::to_owned)
            .to_vec(),
            [
                "request can_use_tool 1 answered 1",
                "request control_request 1 answered 0",
                "notification assistant 1",
                "notification system/init 1",
                "result initialize 1",
                "error interrupt 1",
            ]
            .map(str::to_owned)
            .to_vec(),
        )
    );
    assert_eq!(script.messages().inbound.unnamed, 1);
}

#[test]
fn messages_are_put_together_from_chunks_of_their_stream() {
    let script = Script::of(&["rpc", "rpc"])
        .host("{\"method\":")
        .chunk(2, ChunkKind::Outbound, "{\"method\":\"second\"}\n")
        .chunk(1, ChunkKind::Stderr, "\"stderr\"}\n")
        .agent("{\"method\":\"in")
        .chunk(1, ChunkKind::named("resize"), "x\n")
        .host("\"first\"}\n")
        .agent("bound\"}\n");
    assert_eq!(
        script.methods(),
        (
            vec!["notification first 1".to_owned()],
            vec!["notification inbound 1".to_owned()]
        )
    );
}

#[test]
fn a_header_says_how_long_a_message_is() {
    let script = Script::of(&["lsp"])
        .host("Content-Length: 18\r\n\r\n{\"method\":\n\"tell\"}Content-Len")
        .host("gth: 17\r\n\r\n{\"method\":\"tell\"}Content-Length: 9\r\n\r\n{}");
    assert_eq!(script.methods().0, ["notification tell 2"]);
    let found = script.messages().outbound;
    let unfinished = "Content-Length: 9\r\n\r\n{}".len() as u64;
    assert_eq!(
        oddities(&found),
        BTreeMap::from([("messages", 2), ("unfinished bytes", unfinished)])
    );
}

#[test]
fn a_stream_that_lost_its_framing_is_read_by_lines() {
    let script = Script::of(&["lsp"])
        .host("Content-Length: 17\r\n\r\n{\"method\":\"tell\"}")
        .host("oops\n{\"method\":\"tell\"}\nContent-Length: 2\n");
    let found = script.messages().outbound;
    assert_eq!(
        oddities(&found),
        BTreeMap::from([("messages", 4), ("not JSON", 2), ("lost framings", 1)])
    );
    assert_eq!(script.methods().0, ["notification tell 2"]);
}

#[test]
fn each_chunk_is_a_message_where_there_is_no_framing() {
    let script = Script::of(&["pieces"])
        .host("{\"method\":\"tell\"}")
        .host("")
        .host("{\"method\":\n\"tell\"}");
    assert_eq!(script.methods().0, ["notification tell 2"]);
    assert_eq!(script.messages().outbound.messages, 2);
}

#[test]
fn the_last_line_counts_without_line_feed_if_it_is_whole() {
    let whole = Script::of(&["rpc"]).agent("{\"method\":\"tell\"}");
    assert_eq!(whole.methods().1, ["notification tell 1"]);
    assert_eq!(
        oddities(&whole.messages().inbound),
        BTreeMap::from([("messages", 1)])
    );
    let cut = Script::of(&["rpc"]).agent("{}\n{\"method\":\"tell\"");
    let expected = BTreeMap::from([("messages", 1), ("unnamed", 1), ("unfinished bytes", 16)]);
    assert_eq!(oddities(&cut.messages().inbound), expected);
}

#[test]
fn connections_whose_messages_are_not_known_say_so_and_are_counted() {
    let script = Script::of(&["nobody", "opaque", "rpc"])
        .host("{\"method\":\"tell\"}\n")
        .chunk(2, ChunkKind::Outbound, "{\"method\":\"tell\"}\n")
        .chunk(3, ChunkKind::Outbound, "{\"method\":\"tell\"}\n");
    let summary = script.summary();
    let told: Vec<_> = summary
        .connections
        .iter()
        .map(|it| (it.dialect, it.messages.is_some(), it.total.frame_count))
        .collect();
    assert_eq!(
        told,
        [
            (None, false, 1),
            (Some(Dialect::Opaque), false, 1),
            (Some(Dialect::JsonRpc), true, 1)
        ]
    );
    assert_eq!(summary.messages.outbound.messages, 1);
}

#[test]
fn a_provider_is_known_however_it_is_spelled() {
    let summary = Script::of(&[" RPC "])
        .host("{\"method\":\"tell\"}\n")
        .summary();
    assert_eq!(summary.connections[0].dialect, Some(Dialect::JsonRpc));
}
