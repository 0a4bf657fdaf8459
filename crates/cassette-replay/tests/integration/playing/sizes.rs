//! Much of everything: what would not end in a lifetime if it were quadratic.

use cassette_format::schema::ChunkKind;
use cassette_replay::PlayError;

use super::host::{Connection, connect, player};
use super::tape::Recording;

const MANY: usize = 20_000;

fn request(id: usize, method: &str, n: usize) -> String {
    format!("{{\"id\":{id},\"method\":\"{method}\",\"params\":{{\"n\":{n}}}}}\n")
}

fn answer(id: usize) -> Vec<u8> {
    format!("{{\"id\":{id},\"result\":\"own {id}\"}}\n").into_bytes()
}

/// So many probes that were answered, with params that are all alike or all different.
fn probes(count: usize, params: impl Fn(usize) -> usize) -> Vec<(ChunkKind, Vec<u8>)> {
    let mut chunks = Vec::new();
    for id in 0..count {
        let asked = request(id, "probe", params(id)).into_bytes();
        chunks.push((ChunkKind::Outbound, asked));
        chunks.push((ChunkKind::Stdout, answer(id)));
    }
    chunks
}

async fn answers(connection: &Connection, count: usize) {
    for _ in 0..count {
        connection.text().await;
    }
}

#[tokio::test(start_paused = true)]
async fn very_many_probes_are_left_out() {
    let count = MANY;
    let mut chunks = probes(count, |id| id);
    chunks.push((ChunkKind::Stdout, b"{\"method\":\"event\"}\n".to_vec()));
    let player = player(Recording::new().chunks(chunks));
    let connection = connect(&player);
    assert_eq!(connection.text().await, "{\"method\":\"event\"}\n");
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn very_many_probes_are_answered_by_what_the_tape_has_elsewhere() {
    let count = MANY;
    for params in [|_| 0, |id| id] {
        let mut chunks = vec![(ChunkKind::Outbound, request(0, "work", 0).into_bytes())];
        chunks.extend(probes(count, params));
        let player = player(Recording::new().chunks(chunks));
        let connection = connect(&player);
        for id in 0..count {
            connection.send(request(id, "probe", params(id))).await;
        }
        answers(&connection, count).await;
    }
}

#[tokio::test(start_paused = true)]
async fn very_many_probes_are_answered_where_the_tape_answers_none() {
    let unanswered = || (0..MANY).map(|id| (ChunkKind::Outbound, request(id, "probe", 0).into()));
    let first = (ChunkKind::Outbound, request(0, "work", 0).into_bytes());
    let chunks = std::iter::once(first).chain(unanswered());
    let player = player(Recording::new().chunks(chunks));
    let connection = connect(&player);
    for id in 0..MANY {
        connection.send(request(id, "probe", 0)).await;
    }
    answers(&connection, MANY).await;
}

#[tokio::test(start_paused = true)]
async fn a_very_long_conversation_is_played() {
    let mut chunks = Vec::new();
    for id in 0..MANY {
        chunks.push((ChunkKind::Outbound, request(id, "work", id).into_bytes()));
        chunks.push((ChunkKind::Stderr, b"log".to_vec()));
        chunks.push((ChunkKind::Stdout, answer(id)));
    }
    let player = player(Recording::new().chunks(chunks));
    let connection = connect(&player);
    for id in 0..MANY {
        connection.send(request(id + 7, "work", id)).await;
        connection.frame().await;
        connection.text().await;
    }
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_very_long_line_of_both_sides_is_played_in_its_chunks() {
    let line = |kind: ChunkKind| {
        let piece = (kind.clone(), vec![b'x'; 100]);
        std::iter::repeat_n(piece, MANY).chain([(kind, b"\n".to_vec())])
    };
    let chunks = line(ChunkKind::Outbound).chain(line(ChunkKind::Stdout));
    let player = player(Recording::new().chunks(chunks));
    let connection = connect(&player);
    for _ in 0..MANY {
        connection.send([b'x'; 100]).await;
    }
    connection.send("\n").await;
    for _ in 0..MANY {
        assert_eq!(connection.text().await.len(), 100);
    }
    assert_eq!(connection.text().await, "\n");
    player.verify_complete().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_ends_its_line_is_taken_until_it_does() {
    let player = player(Recording::new().outbound("x\n").exit(0));
    let connection = connect(&player);
    let mebibyte = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        connection.send(&mebibyte).await;
    }
    player.verify_complete().unwrap_err();
    let failure = connection.refused("\n").await;
    assert!(failure.to_string().len() < 2000);
    assert!(matches!(failure, PlayError::Mismatch(_)));
}
