//! A recording and a host, made of the bytes of an input.
//!
//! A message of the table is JSON-RPC; a literal is whatever bytes the input holds.

use cassette_format::schema::ChunkKind;

use crate::cuts::Cuts;

/// Most chunks of a recording, and most actions of a host.
const MOST: u8 = 24;

/// Messages that recordings and hosts have in common.
const MESSAGES: [&str; 16] = [
    r#"{"id":1,"method":"a"}"#,
    r#"{"id":2,"method":"b","params":{"turnId":"t-1"}}"#,
    r#"{"method":"note"}"#,
    r#"{"id":1,"result":{}}"#,
    r#"{"id":2,"result":{"turnId":"t-1","cwd":"${SESSION_CWD:session-1:1}/x"}}"#,
    r#"{"id":"1","method":"ask"}"#,
    r#"{"id":"1","result":null}"#,
    r#"{"id":3,"method":"probe"}"#,
    r#"{"id":3,"result":{"recorded":true}}"#,
    r#"{"id":4,"method":"limits"}"#,
    r#"[{"id":5,"method":"a"},{"method":"note"}]"#,
    r#"{"id":5,"error":{"code":-1,"message":"no"}}"#,
    r#"{"id":1,"id":2,"method":"a","method":"b"}"#,
    r#"{"id":1e0,"method":"turn","params":{"planId":"plan:7"}}"#,
    r#"{"method":"a","params":{"x":"${REDACTED:KEY}"}}"#,
    "no json",
];

/// Those of them that a player neither answers itself nor changes.
const PLAIN: [usize; 8] = [0, 2, 3, 5, 6, 10, 11, 15];

/// One chunk of a recording.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) connection: usize,
    pub(crate) elapsed: u64,
    pub(crate) kind: ChunkKind,
    pub(crate) data: Vec<u8>,
}

/// How messages are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framed {
    Lines,
    ContentLength,
    Raw,
}

/// Reads a recording.
pub(crate) fn recording(choices: &mut Cuts<'_>, framed: Framed) -> Vec<Said> {
    let mut elapsed = 0;
    let mut chunks = Vec::new();
    for _ in 0..choices.byte().min(MOST) {
        let choice = choices.byte();
        elapsed += u64::from(choice >> 6) * 40;
        let kind = match choice >> 1 & 7 {
            0..=2 => ChunkKind::Outbound,
            3..=5 => ChunkKind::Stdout,
            6 => ChunkKind::Stderr,
            _ => ChunkKind::Exit,
        };
        let data = if kind == ChunkKind::Exit {
            Vec::new()
        } else {
            data(choices, framed)
        };
        let connection = usize::from(choice & 1);
        chunks.push(Said {
            connection,
            elapsed,
            kind,
            data,
        });
    }
    chunks
}

/// Reads a recording of whole messages, of which a player changes none. Nothing follows an
/// exit.
pub(crate) fn plain_recording(choices: &mut Cuts<'_>, framed: Framed) -> Vec<Said> {
    let mut chunks = recording(choices, framed);
    let mut has_ended = [false; 2];
    chunks.retain_mut(|chunk| {
        if chunk.kind != ChunkKind::Exit {
            let at = PLAIN[chunk.data.len() % PLAIN.len()];
            chunk.data = terminated(MESSAGES[at].as_bytes(), framed);
        }
        let before = &mut has_ended[chunk.connection];
        !std::mem::replace(before, *before || chunk.kind == ChunkKind::Exit)
    });
    chunks
}

/// Reads what is said at once: a message of the table, or a part of it, or a literal.
pub(crate) fn data(choices: &mut Cuts<'_>, framed: Framed) -> Vec<u8> {
    let choice = choices.byte();
    let message = MESSAGES[usize::from(choice & 15)];
    match choice >> 4 {
        0..=9 => terminated(message.as_bytes(), framed),
        10 => {
            let whole = terminated(message.as_bytes(), framed);
            let at = usize::from(choices.byte()) % whole.len();
            whole[..at].to_vec()
        }
        11 => {
            let whole = terminated(message.as_bytes(), framed);
            let at = usize::from(choices.byte()) % whole.len();
            whole[at..].to_vec()
        }
        12 => [
            terminated(message.as_bytes(), framed),
            data(choices, framed),
        ]
        .concat(),
        13 => {
            let length = usize::from(choices.byte());
            terminated(choices.bytes(length), framed)
        }
        _ => {
            let length = usize::from(choices.byte());
            choices.bytes(length).to_vec()
        }
    }
}

fn terminated(message: &[u8], framed: Framed) -> Vec<u8> {
    match framed {
        Framed::Lines => [message, b"\n"].concat(),
        Framed::ContentLength => {
            let header = format!("Content-Length: {}\r\n\r\n", message.len());
            [header.as_bytes(), message].concat()
        }
        Framed::Raw => message.to_vec(),
    }
}
