//! The e-mail in the answer to the account-read request, and in nothing else.

use cassette_format::descriptor::{AccountRead, Dialect};
use cassette_format::portable::{ContentError, Direction, PORTABLE_EMAIL};

use super::side::{Side, sensitive};

type Said<'m> = (Direction, &'m str);

const OUT: Direction = Direction::Outbound;
const IN: Direction = Direction::Inbound;

/// What each message becomes, one after the other.
fn talk(side: &Side, said: &[Said<'_>]) -> Vec<Result<String, ContentError>> {
    let mut projection = side.projection();
    said.iter()
        .map(|(direction, message)| {
            let projected = projection.message(*direction, message.as_bytes())?;
            Ok(String::from_utf8(projected.into_owned()).unwrap())
        })
        .collect()
}

fn side() -> Side {
    Side::new("/work", &[])
}

/// What an answer becomes after a request.
fn answer(request: &str, answer: &str) -> Result<String, ContentError> {
    talk(&side(), &[(OUT, request), (IN, answer)])
        .pop()
        .unwrap()
}

fn replaced(answer: &str) -> Result<String, ContentError> {
    Ok(answer.replace("me@corp.example", PORTABLE_EMAIL))
}

#[test]
fn the_answer_is_known_by_its_id_whatever_kind_of_id() {
    for id in [
        "1",
        "-0",
        "1.50",
        "\"a\"",
        "{\"k\":[1]}",
        "true",
        "1234567890123456789012345678901234567890",
    ] {
        let request = format!(r#"{{"method":"account/read","id":{id}}}"#);
        for text in [
            format!(r#"{{"id":{id},"result":{{"account":{{"email":"me@corp.example"}}}}}}"#),
            format!(
                "{{ \"result\" : {{\"account\":{{\"email\" : \"me@corp.example\"}}}} ,\r\n\"id\":{id}}}"
            ),
        ] {
            assert_eq!(answer(&request, &text), replaced(&text), "{text}");
        }
    }
}

#[test]
fn equal_strings_are_equal_ids_however_they_are_escaped() {
    let text = r#"{"id":"\u0061","result":{"account":{"email":"me\u0040corp.example"}}}"#;
    assert_eq!(
        answer(r#"{"id":"a","method":"account\/read"}"#, text),
        Ok(text.replace(r"me\u0040corp.example", PORTABLE_EMAIL))
    );
}

#[test]
fn other_ids_and_no_id_are_no_answer() {
    let text = |id: &str| format!(r#"{{"id":{id},"result":{{"account":{{"email":"me@x"}}}}}}"#);
    let refused = Err(sensitive("$.result.account.email"));
    for (request, id) in [
        ("1", "2"),
        ("1", "\"1\""),
        ("\"1\"", "1"),
        ("1", "1.0"),
        ("null", "null"),
    ] {
        let request = format!(r#"{{"id":{request},"method":"account/read"}}"#);
        assert_eq!(answer(&request, &text(id)), refused, "{request} {id}");
    }
    let none = r#"{"result":{"account":{"email":"me@x"}}}"#;
    assert_eq!(answer(r#"{"method":"account/read"}"#, none), refused);
    assert_eq!(
        answer(r#"{"id":1,"method":"account/Read"}"#, &text("1")),
        refused
    );
    assert_eq!(
        answer(
            r#"{"id":1,"method":"account/read","method":"x"}"#,
            &text("1")
        ),
        refused
    );
}

#[test]
fn of_duplicate_ids_the_last_one_counts_and_every_duplicate_e_mail_is_replaced() {
    let text = r#"{"id":2,"result":{"account":{"email":"me@corp.example","email":"me@corp.example"},"account":{"email":"me@corp.example"}},"id":1}"#;
    let request = r#"{"id":7,"method":"account/read","id":1}"#;
    assert_eq!(answer(request, text), replaced(text));
    let text = r#"{"result":{"account":{"email":"me@corp.example"}},"id":1,"result":{}}"#;
    assert_eq!(answer(request, text), replaced(text));
}

#[test]
fn the_first_result_or_error_uses_the_request_up() {
    let request = (OUT, r#"{"id":1,"method":"account/read"}"#);
    let result = r#"{"id":1,"result":{"account":{"email":"me@corp.example"}}}"#;
    let refused = Err(sensitive("$.result.account.email"));
    let error = r#"{"error":{"code":-1},"id":1}"#;
    let notice = r#"{"id":1,"params":{}}"#;
    let asked = r#"{"id":1,"method":"item/ask"}"#;
    assert_eq!(
        talk(&side(), &[request, (IN, error), (IN, result)])[1..],
        [Ok(error.into()), refused.clone()]
    );
    assert_eq!(
        talk(
            &side(),
            &[
                request,
                (IN, notice),
                (IN, asked),
                (IN, result),
                (IN, result)
            ]
        )[3..],
        [replaced(result), refused]
    );
}

#[test]
fn a_portable_answer_is_left_as_it_is_spelled() {
    for email in [
        PORTABLE_EMAIL.to_owned(),
        PORTABLE_EMAIL.replace('@', "\\u0040"),
    ] {
        let text =
            format!("{{\"id\":1,\"result\":{{\"account\":{{\"email\" :\"{email}\"}}}}}}\r\n");
        assert_eq!(
            answer(r#"{"id":1,"method":"account/read"}"#, &text),
            Ok(text)
        );
    }
}

#[test]
fn the_other_direction_asks_and_answers_nothing() {
    let request = r#"{"id":1,"method":"account/read"}"#;
    let result = r#"{"id":1,"result":{"account":{"email":"me@x"}}}"#;
    let refused = Err(sensitive("$.result.account.email"));
    assert_eq!(talk(&side(), &[(IN, request), (IN, result)])[1], refused);
    assert_eq!(talk(&side(), &[(OUT, request), (OUT, result)])[1], refused);
    assert_eq!(talk(&side(), &[(IN, request), (OUT, result)])[1], refused);
}

#[test]
fn e_mails_elsewhere_in_the_answer_are_refused() {
    let request = r#"{"id":1,"method":"account/read"}"#;
    let text =
        r#"{"id":1,"result":{"account":{"email":"me@corp.example"},"others":[{"email":"you@x"}]}}"#;
    assert_eq!(
        answer(request, text),
        Err(sensitive("$.result.others[0].email"))
    );
    let no_text = r#"{"id":1,"result":{"account":{"email":null}}}"#;
    assert_eq!(answer(request, no_text), Ok(no_text.into()));
}

#[test]
fn an_answer_that_breaks_off_is_made_portable_as_far_as_it_goes() {
    let request = r#"{"id":1,"method":"account/read"}"#;
    let text = r#"{"id":1,"result":{"account":{"email":"me@corp.example","plan":"#;
    assert_eq!(answer(request, text), replaced(text));
}

#[test]
fn a_provider_without_account_read_has_no_answers() {
    let side = side().described(|descriptor| descriptor.account_read = None);
    let said = [
        (OUT, r#"{"id":1,"method":"account/read"}"#),
        (IN, r#"{"id":1,"result":{"account":{"email":"me@x"}}}"#),
    ];
    assert_eq!(
        talk(&side, &said)[1],
        Err(sensitive("$.result.account.email"))
    );
}

#[test]
fn each_dialect_has_its_own_requests_and_answers() {
    let reading = |dialect, method: &str| {
        side().described(|descriptor| {
            descriptor.dialect = dialect;
            descriptor.account_read = Some(AccountRead {
                method: method.into(),
                pointer: "/account/email".into(),
            });
        })
    };
    let typed = r#"{"payload":{"account":{"email":"me@corp.example"}},"id":"a","type":"ok"}"#;
    let said = [(OUT, r#"{"type":"whoami","id":"a"}"#), (IN, typed)];
    assert_eq!(
        talk(&reading(Dialect::TypedEnvelope, "whoami"), &said)[1],
        replaced(typed)
    );
    let stream = r#"{"response":{"response":{"account":{"email":"me@corp.example"}},"request_id":"r","subtype":"success"},"type":"control_response"}"#;
    let request =
        r#"{"request":{"subtype":"initialize"},"request_id":"r","type":"control_request"}"#;
    let said = [(OUT, request), (IN, stream)];
    assert_eq!(
        talk(&reading(Dialect::StreamJson, "initialize"), &said)[1],
        replaced(stream)
    );
}
