//! What is told of a mismatch: where, what, what else it could be, and no secret.

use cassette_format::descriptor::MessageFraming;
use cassette_format::portable::Rules;
use cassette_format::schema::{Annotations, Redactions};
use cassette_replay::{Elsewhere, Mismatch, PlayError, PlayOptions, Player};

use super::host::{CWD, Connection, TOKEN, connect, descriptor, launch, player, registry};
use super::tape::Recording;

fn request(id: usize, method: &str, params: &str) -> String {
    format!("{{\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
}

async fn mismatch(connection: &Connection, sent: impl AsRef<[u8]>) -> Mismatch {
    match connection.refused(sent).await {
        PlayError::Mismatch(mismatch) => *mismatch,
        other => panic!("{other:?}"),
    }
}

fn three_requests() -> Recording {
    Recording::new()
        .outbound(request(1, "a", "{\"x\":1}"))
        .stdout("{\"id\":1,\"result\":{}}\n")
        .outbound(request(2, "b", "{\"x\":2}").split_at(9).0)
        .outbound(request(2, "b", "{\"x\":2}").split_at(9).1)
        .outbound(request(3, "c", "{}"))
        .outbound(request(4, "a", "{\"x\":1}"))
}

#[tokio::test(start_paused = true)]
async fn a_message_that_stands_elsewhere_is_told_with_its_place() {
    let later = player(three_requests());
    let connection = connect(&later);
    let told = mismatch(&connection, request(9, "c", "{}")).await;
    let place = (
        told.place.message,
        told.place.chunk_seq.get(),
        told.place.global_seq.get(),
    );
    assert_eq!(place, (1, 1, 1));
    let Some(Elsewhere::Later(place)) = told.elsewhere else {
        panic!("{told:?}");
    };
    assert_eq!((place.message, place.chunk_seq.get()), (3, 5));

    let before = player(three_requests());
    let connection = connect(&before);
    connection.send(request(7, "a", "{\"x\":1}")).await;
    connection.text().await;
    let told = mismatch(&connection, request(8, "a", "{\"x\":1}")).await;
    assert_eq!((told.place.message, told.place.chunk_seq.get()), (2, 3));
    assert_eq!(told.expected, "request \"b\" with id 2");
    // The next place counts, not the one that was played.
    let Some(Elsewhere::Later(place)) = told.elsewhere else {
        panic!("{told:?}");
    };
    assert_eq!(place.message, 4);

    let played = player(three_requests());
    let connection = connect(&played);
    connection.send(request(7, "a", "{\"x\":1}")).await;
    connection.text().await;
    connection.send(request(8, "b", "{\"x\":2}")).await;
    let told = mismatch(&connection, request(8, "b", "{\"x\":2}")).await;
    let Some(Elsewhere::Before(place)) = told.elsewhere else {
        panic!("{told:?}");
    };
    assert_eq!(place.message, 2);
    let text = told.to_string();
    assert!(
        text.starts_with("message 3 to connection-1 is not the recorded one (chunk 5, line 5"),
        "{text}"
    );
    assert!(text.ends_with("which was played already"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_report_shows_no_secret_wherever_it_stands() {
    let secret = "a-secret-of-this-side";
    let recorded = format!(
        "{{\"accessToken\":\"rec-0\",\"note\":\"${{REDACTED:API_KEY}}\",\"unset\":\"${{REDACTED:OTHER}}\",\"cwd\":\"{TOKEN}\",\"mine\":\"rec-1\",\"a\":\"rec-2\"}}"
    );
    let annotations = Annotations {
        redactions: Some(Redactions {
            rules: vec!["API_KEY".into(), "OTHER".into()],
            ..Redactions::default()
        }),
        ..Annotations::default()
    };
    let recording = || {
        Recording::new()
            .outbound(request(1, "work", &recorded))
            .annotated(annotations.clone())
    };
    let mut options = PlayOptions::fast_forward();
    options.rules = Rules {
        sensitive_fields: vec!["mine".into()],
        ..Rules::default()
    };
    let play = || {
        let registry = registry([descriptor(MessageFraming::Lines)]);
        let player = Player::new(recording().tape(), registry, options.clone()).unwrap();
        let mut launch = launch("session-1");
        launch.spec = launch.spec.with_variable("API_KEY", secret);
        Connection(player.launch(&launch).unwrap())
    };
    let sent = format!(
        "{{\"accessToken\":\"SENT-0\",\"note\":\"{secret}\",\"unset\":\"SENT-1\",\"cwd\":\"{CWD}\",\"mine\":\"SENT-2\",\"a\":\"in {secret} it\"}}"
    );
    let connection = play();
    let told = mismatch(&connection, request(1, "work", &sent)).await;
    let text = format!("{told} {told:?}");
    for hidden in [secret, "SENT-0", "SENT-1", "SENT-2", "rec-0", "rec-1"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    // Also where a value is another than the one the variable has,
    let other = sent.replace(&format!("\"note\":\"{secret}\""), "\"note\":\"SENT-3\"");
    let told = mismatch(&play(), request(1, "work", &other)).await;
    let text = format!("{told} {told:?}");
    assert!(!text.contains(secret), "{text}");
    // where it is no value of a field,
    for sent in [
        format!("{{\"id\":\"{secret}\",\"method\":\"{secret}\"}}\n"),
        format!("{{\"id\":1,\"result\":\"{secret}\"}}\n"),
        format!("{{\"id\":\"{secret}\",\"result\":\"\"}}\n"),
        format!("no JSON {secret}\n"),
        format!("{{\"id\":1,\"method\":\"work\",\"params\":{{\"{secret}\":1}}}}\n"),
    ] {
        let told = mismatch(&play(), &sent).await;
        let text = format!("{told} {told:?}");
        assert!(!text.contains(secret), "{text}");
    }
    // and after the end.
    let connection = play();
    let fits = sent
        .replace("SENT-0", "rec-0")
        .replace("SENT-2", "rec-1")
        .replace(&format!("in {secret} it"), "rec-2");
    connection.send(request(1, "work", &fits)).await;
    let failure = connection
        .refused(format!("{{\"method\":\"{secret}\"}}\n"))
        .await;
    let text = format!("{failure} {failure:?}");
    assert!(!text.contains(secret), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_report_of_long_messages_is_short() {
    let long = "x".repeat(4_000_000);
    let many: String = (0..100_000).map(|n| format!("\"m{n}\":{n},")).collect();
    let recorded = format!("{{{many}\"text\":\"{long}\"}}");
    let other = recorded.replace(":1", ":2").replace("xxx", "y");
    for sent in [
        request(1, "work", &other),
        request(1, "work", &format!("{{\"{long}\":1}}")),
        format!("{{\"id\":\"{long}\",\"method\":\"{long}\"}}\n"),
        format!("{long}\n"),
        format!("{}\n", "[".repeat(4_000_000)),
    ] {
        let player = player(Recording::new().outbound(request(1, "work", &recorded)));
        let told = mismatch(&connect(&player), sent).await;
        let text = format!("{told} {told:?}");
        assert!(text.len() < 20_000, "{} bytes", text.len());
    }
}

#[tokio::test(start_paused = true)]
async fn a_report_is_text_of_a_line_for_each_thing() {
    let player = player(three_requests());
    let sent = "{\"id\":\"\\u202e\u{202e}\u{9b}2J\",\"method\":\"[2J\u{202e}\\n\\u001b\"}\n";
    let told = mismatch(&connect(&player), sent).await.to_string();
    let moves = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
    assert!(!told.contains(moves), "{told:?}");
}
