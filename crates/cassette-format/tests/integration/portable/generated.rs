//! Values that the host makes anew, and the environment of a start request.

use cassette_format::descriptor::{Dialect, EnvironmentOfStart, GeneratedField};
use cassette_format::portable::{ContentError, Direction};

use super::side::{Side, sensitive};

fn generating(dialect: Dialect) -> Side {
    Side::new("/work", &[]).described(|descriptor| {
        descriptor.dialect = dialect;
        descriptor.generated_fields = vec![GeneratedField {
            method: "turn/start".into(),
            parameter: "client/~Id".into(),
            prefix: "plan:".into(),
            portable: "plan:<made>".into(),
        }];
    })
}

fn excluding() -> Side {
    Side::new("/work", &[]).described(|descriptor| {
        descriptor.dialect = Dialect::TypedEnvelope;
        descriptor.environment_of_start = EnvironmentOfStart::Excluded;
    })
}

#[test]
fn a_generated_value_is_replaced_however_it_and_its_key_are_spelled() {
    let side = generating(Dialect::JsonRpc);
    for (message, projected) in [
        (
            r#"{"method":"turn/start","params":{"client/~Id":"plan:1"}}"#,
            r#"{"method":"turn/start","params":{"client/~Id":"plan:<made>"}}"#,
        ),
        (
            r#"{"params" :{"client\/\u007eId" : "\u0070lan:\/2","x":"plan:3"},"method":"turn\/start"}"#,
            r#"{"params" :{"client\/\u007eId" : "plan:<made>","x":"plan:3"},"method":"turn\/start"}"#,
        ),
        (
            r#"{"method":"turn/start","params":{"client/~Id":"plan:1","client/~Id":"plan:2"},"params":{"client/~Id":"plan:3"}}"#,
            r#"{"method":"turn/start","params":{"client/~Id":"plan:<made>","client/~Id":"plan:<made>"},"params":{"client/~Id":"plan:<made>"}}"#,
        ),
    ] {
        assert_eq!(side.project_text(message).as_deref(), Ok(projected));
        let mut projection = side.projection();
        let outbound = projection.message(Direction::Outbound, message.as_bytes());
        assert_eq!(
            outbound.unwrap(),
            projected.as_bytes(),
            "in both directions"
        );
    }
}

#[test]
fn other_methods_values_and_places_are_not_generated() {
    let side = generating(Dialect::JsonRpc);
    for message in [
        r#"{"method":"turn/Start","params":{"client/~Id":"plan:1"}}"#,
        r#"{"method":"turn/start","params":{"client/~id":"plan:1"}}"#,
        r#"{"method":"turn/start","params":{"client/~Id":"Plan:1"}}"#,
        r#"{"method":"turn/start","params":{"client/~Id":["plan:1"]}}"#,
        r#"{"method":"turn/start","params":[{"client/~Id":"plan:1"}]}"#,
        r#"{"method":"turn/start","params":{"x":{"client/~Id":"plan:1"}}}"#,
        r#"{"method":"turn/start","client/~Id":"plan:1"}"#,
        r#"{"method":"turn/start","params":{"client/~Id":"plan:\u003cmade>"}}"#,
    ] {
        assert_eq!(side.project_text(message).as_deref(), Ok(message));
    }
}

#[test]
fn the_parameters_stand_where_the_dialect_has_them() {
    for (dialect, message) in [
        (
            Dialect::TypedEnvelope,
            r#"{"payload":{"client/~Id":"plan:1"},"type":"turn/start"}"#,
        ),
        (
            Dialect::StreamJson,
            r#"{"request":{"client/~Id":"plan:1","subtype":"turn/start"},"type":"control_request"}"#,
        ),
    ] {
        let expected = message.replace("plan:1", "plan:<made>");
        assert_eq!(generating(dialect).project_text(message), Ok(expected));
    }
}

/// The payload of a start request after projection.
fn left_of(payload: &str) -> String {
    let message = |payload: &str| format!(r#"{{"type":"start","payload":{payload},"id":1}}"#);
    let projected = excluding().project_text(&message(payload)).unwrap();
    let behind = format!(r#"{{"payload":{payload},"type":"start"}}"#);
    let (start, end) = (r#"{"type":"start","payload":"#, r#","id":1}"#);
    let left = &projected[start.len()..projected.len() - end.len()];
    assert_eq!(
        excluding().project_text(&behind).unwrap(),
        format!(r#"{{"payload":{left},"type":"start"}}"#),
        "a type behind the payload"
    );
    left.to_owned()
}

#[test]
fn the_environment_is_cut_out_with_one_comma_and_nothing_else() {
    for (payload, left) in [
        (r#"{"env":{"K":"v"}}"#, "{}"),
        ("{ \"env\" : {} }", "{  }"),
        ("{\"a\":1 ,\r\n\t\"env\":[1] \n}", "{\"a\":1 \n}"),
        ("{ \"env\":{} , \"a\":1 }", "{ \"a\":1 }"),
        (r#"{"\u0065n\u0076":{"K":"v"},"a":1}"#, r#"{"a":1}"#),
        (
            r#"{"a":1,"env":1,"b":{"env":2},"env":3,"env":4}"#,
            r#"{"a":1,"b":{"env":2}}"#,
        ),
        (r#"{"env":1,"env":2,"a":3}"#, r#"{"a":3}"#),
        (r#"{"env":1,"env":2}"#, "{}"),
        (
            r#"{"Env":1,"environment":2}"#,
            r#"{"Env":1,"environment":2}"#,
        ),
        ("[{\"env\":1}]", "[{\"env\":1}]"),
        ("null", "null"),
    ] {
        assert_eq!(left_of(payload), left, "{payload}");
    }
}

#[test]
fn what_is_cut_out_is_neither_judged_nor_rewritten() {
    let payload = r#"{"a":"x","env":{"apiKey":"s","cwd":"/work/a","path":"/etc","email":"me@x"},"cwd":"/work/b"}"#;
    assert_eq!(
        left_of(payload),
        r#"{"a":"x","cwd":"${SESSION_CWD:session-1:1}/b"}"#
    );
}

#[test]
fn every_payload_of_a_start_request_loses_its_environment() {
    let message = r#"{"payload":{"env":{"K":"v"}},"type":"start","payload":{"a":1,"env":2}}"#;
    assert_eq!(
        excluding().project_text(message).as_deref(),
        Ok(r#"{"payload":{},"type":"start","payload":{"a":1}}"#)
    );
}

#[test]
fn a_start_request_that_breaks_off_keeps_nothing_of_its_environment() {
    for (message, left) in [
        (
            r#"{"type":"start","payload":{"env":{"KEY":"secr"#,
            r#"{"type":"start","payload":{"#,
        ),
        (
            r#"{"type":"start","payload":{"a":1,"env":"KEY=secr"#,
            r#"{"type":"start","payload":{"a":1"#,
        ),
        (
            r#"{"type":"start","payload":{"a":1,"env":{"K":"v"},"b":"#,
            r#"{"type":"start","payload":{"a":1,"b":"#,
        ),
        (
            r#"{"type":"start","payload":{"a":1,"env":{"K":"v" x "L":"w"}}}"#,
            r#"{"type":"start","payload":{"a":1"#,
        ),
        (
            r#"{"type":"start","payload":{"env":"K="secret":"v"","a":1}}"#,
            r#"{"type":"start","payload":{"#,
        ),
        // The type is lost with what breaks off, or may be.
        (
            r#"{"payload":{"env":{"K":"v"}},"ty"#,
            r#"{"payload":{},"ty"#,
        ),
        (
            r#"{"payload":{"env":{"K":"v"}},"type":"st"#,
            r#"{"payload":{},"type":"st"#,
        ),
    ] {
        assert_eq!(excluding().project_text(message).as_deref(), Ok(left));
    }
}

#[test]
fn a_start_request_that_breaks_elsewhere_loses_its_environment_alone() {
    for (message, left) in [
        (
            r#"{"payload":{"env":{"K":"v"},"x":tru},"type":"start"}"#,
            r#"{"payload":{"x":tru},"type":"start"}"#,
        ),
        (
            r#"{"payload":{"x":tru {"a":1},"env":{"K":"v"}},"type":"start"}"#,
            r#"{"payload":{"x":tru {"a":1},},"type":"start"}"#,
        ),
        (
            r#"{"type":"start" "payload":{"x":1,"env":{"K":"v"}}"#,
            r#"{"type":"start" "payload":{"x":1}"#,
        ),
        (
            r#"log [x {"type":"start","payload":{"x":1,"env":{"K":"v"}}}"#,
            r#"log [x {"type":"start","payload":{"x":1}}"#,
        ),
    ] {
        assert_eq!(excluding().project_text(message).as_deref(), Ok(left));
    }
    let bytes =
        b"{\"type\":\"start\",\"payload\":{\"x\":\"\xff\",\"env\":{\"K\":\"\xff\"},\"y\":1}}";
    assert_eq!(
        excluding().project(bytes).as_deref(),
        Ok(b"{\"type\":\"start\",\"payload\":{\"x\":\"\xff\",\"y\":1}}".as_slice())
    );
}

/// What the host's message becomes.
fn sent(message: &str) -> Result<String, ContentError> {
    let mut projection = excluding().projection();
    let projected = projection.message(Direction::Outbound, message.as_bytes())?;
    Ok(String::from_utf8(projected.into_owned()).unwrap())
}

#[test]
fn an_environment_that_cannot_be_cut_out_is_refused() {
    for message in [
        r#"{oops {"type":"start","payload":{"env":{"K":"v"}}}"#,
        r#"{"a":tru {"payload":{"env":{"K":"v"}},"type":"start"}}"#,
        r#"{"type":"start","payload" {"env":{"K":"v"}}}"#,
        r#""type":"start","payload":{"env":{"K":"v"}}}"#,
    ] {
        let refused = sent(message).unwrap_err();
        assert!(refused.to_string().contains("secret content"), "{refused}");
    }
    let sound = r#"{"env":1} {"type":"status","payload":{"env":"x"}}"#;
    assert_eq!(sent(sound).as_deref(), Ok(sound));
    let logged = r#"[x] {"env":"production"}"#;
    assert_eq!(excluding().project_text(logged).as_deref(), Ok(logged));
}

#[test]
fn other_requests_and_other_providers_keep_theirs() {
    for message in [
        r#"{"type":"restart","payload":{"env":{"K":"v"}}}"#,
        r#"{"type":"start","type":"x","payload":{"env":{"K":"v"}}}"#,
        r#"{"type":"start","env":{"K":"v"}}"#,
    ] {
        assert_eq!(excluding().project_text(message).as_deref(), Ok(message));
    }
    let kept = excluding().described(|it| it.environment_of_start = EnvironmentOfStart::Kept);
    let message = r#"{"type":"start","payload":{"env":{"apiKey":"s"}}}"#;
    assert_eq!(
        kept.project_text(message),
        Err(sensitive("$.payload.env.apiKey"))
    );
}

#[test]
fn many_start_requests_in_one_message_are_all_rewritten() {
    let one = r#"{"type":"start","payload":{"env":0,"a":"/x"}}"#;
    let projected = excluding().project_text(&one.repeat(50_000)).unwrap();
    assert_eq!(
        projected,
        r#"{"type":"start","payload":{"a":"/x"}}"#.repeat(50_000)
    );
}

#[test]
fn no_damaged_byte_keeps_an_environment_on_the_tape() {
    let message = r#"{"id":"a","type":"start","payload":{"cwd":"rel","env":{"KEY":"SECRET","P":"/x"},"x":[1,{"y":"z"}]}}"#;
    let names = [r#""type":"start""#, r#""payload""#, r#""env""#];
    let is_name = |at: usize| {
        names.iter().any(|name| {
            let start = message.find(name).unwrap();
            (start..start + name.len()).contains(&at)
        })
    };
    let mut leaks = Vec::new();
    for at in (0..message.len()).filter(|at| !is_name(*at)) {
        for piece in [
            "", "\"", "\\", "{", "}", "[", "]", ",", ":", "x", "\u{1}", "\"\"", "{\"", "\",\"",
            "\":\"",
        ] {
            for end in [at, at + 1, message.len()] {
                let damaged = [&message[..at], piece, &message[end..]].concat();
                let left = sent(&damaged);
                if left.as_ref().is_ok_and(|left| left.contains("SECR")) {
                    leaks.push(format!("{damaged} -> {}", left.unwrap()));
                }
            }
        }
    }
    assert!(leaks.is_empty(), "{}: {}", leaks.len(), leaks.join("\n"));
}
