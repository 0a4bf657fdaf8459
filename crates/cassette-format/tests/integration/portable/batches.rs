//! Messages in lists.

use cassette_format::descriptor::{Dialect, EnvironmentOfStart, GeneratedField};
use cassette_format::portable::Direction;

use super::side::{Side, TOKEN, credential_method, sensitive};

fn side() -> Side {
    Side::new("/work", &["/home/ada"])
}

#[test]
fn paths_in_a_batch_are_rewritten() {
    let message = r#"[{"cwd":"/work/a"}, {"params":{"paths":["/home/ada"]}}]"#;
    let expected =
        format!(r#"[{{"cwd":"{TOKEN}/a"}}, {{"params":{{"paths":["${{REPLAY_HOME}}"]}}}}]"#);
    assert_eq!(side().project_text(message), Ok(expected));
}

#[test]
fn credential_methods_in_a_batch_are_refused_in_either_direction() {
    let message = r#"[{"method":"x"},{"id":1,"method":" ACCOUNT\/login/start "}]"#;
    for direction in [Direction::Inbound, Direction::Outbound] {
        let mut projection = side().projection();
        let refused = projection.message(direction, message.as_bytes());
        assert_eq!(refused, Err(credential_method("$[1].method")));
    }
    assert_eq!(
        side().audit(message.as_bytes()),
        Err(credential_method("$[1].method"))
    );
}

#[test]
fn only_the_objects_of_the_outermost_list_are_messages() {
    for message in [
        r#"[[{"method":"account/login/start"}]]"#,
        r#"[{"params":{"method":"account/login/start"}}]"#,
        r#"{"params":[{"method":"account/login/start"}]}"#,
        r#"[["account/login/start"]]"#,
    ] {
        assert_eq!(side().project_text(message).as_deref(), Ok(message));
    }
}

#[test]
fn a_batch_is_told_from_the_values_beside_it() {
    let message = r#"[{"a":1}] {"params":[{"method":"account/login/start"}]} [{"method":"account/login/start"}]"#;
    assert_eq!(
        side().project_text(message),
        Err(credential_method("$#3[0].method"))
    );
}

#[test]
fn generated_values_in_a_batch_are_kept() {
    let side = side().described(|descriptor| {
        descriptor.generated_fields = vec![GeneratedField {
            method: "turn/start".into(),
            parameter: "id".into(),
            prefix: "plan:".into(),
            portable: "plan:<made>".into(),
        }];
    });
    let message = r#"[{"method":"turn/start","params":{"id":"plan:1"}}]"#;
    assert_eq!(side.project_text(message).as_deref(), Ok(message));
}

#[test]
fn the_environment_of_a_start_request_in_a_batch_is_kept() {
    let side = side().described(|descriptor| {
        descriptor.dialect = Dialect::TypedEnvelope;
        descriptor.environment_of_start = EnvironmentOfStart::Excluded;
    });
    let message = r#"[{"type":"start","payload":{"env":{"K":"v"}}}]"#;
    assert_eq!(side.project_text(message).as_deref(), Ok(message));
}

#[test]
fn account_requests_in_a_batch_are_not_recognised_so_their_answers_are_refused() {
    let mut projection = side().projection();
    let request = br#"[{"id":1,"method":"account/read"}]"#;
    projection.message(Direction::Outbound, request).unwrap();
    let answer = br#"[{"id":1,"result":{"account":{"email":"me@x"}}}]"#;
    assert_eq!(
        projection.message(Direction::Inbound, answer),
        Err(sensitive("$[0].result.account.email"))
    );
}

#[test]
fn violations_in_a_batch_are_named_by_their_position() {
    for (message, path) in [
        (r#"[{},{"apiKey":"s"}]"#, "$[1].apiKey"),
        (r#"[{},[0,{"email":["me@x"]}]]"#, "$[1][1].email[0]"),
    ] {
        assert_eq!(side().project_text(message), Err(sensitive(path)));
    }
}
