//! The core beside a model of it, which knows whose turn it is and nothing else.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming};
use cassette_format::portable::Rules;
use cassette_format::process::FrameEvent;
use cassette_format::schema::{
    AgentSessionId, CaptureOrigin, CassetteStatus, Chunk, ChunkKind, ChunkSeq, ConnectionId,
    ConnectionRecord, CwdToken, ElapsedMs, FramesDigest, GlobalSeq, LaunchOrdinal, Manifest,
    TapeLimits,
};
use cassette_format::store::{CassetteDir, ReadOptions, Tape, replace_manifest, write_line};
use proptest::prelude::*;
use proptest::sample::Index;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::{Conversation, Event, Moment, Reply};
use crate::clock::{Clock, Position};
use crate::matching::{MatchRules, Side};
use crate::script::Script;

/// A recorded chunk: who spoke, and what.
type Spoken = (ChunkKind, Vec<u8>);

fn told(chunks: &[Spoken]) -> Vec<(&str, std::borrow::Cow<'_, str>)> {
    let text = |data| String::from_utf8_lossy(data);
    chunks
        .iter()
        .map(|(kind, data)| (kind.as_str(), text(data)))
        .collect()
}

/// What is on a tape, and what is to come of it.
struct Model {
    chunks: Vec<Spoken>,
    /// Of each message of the host the chunks in which it begins and ends, and where it
    /// ends in what is sent.
    messages: Vec<(usize, usize, usize)>,
    /// Index of the chunk that comes next of the agent's.
    delivered: usize,
    sent: usize,
}

impl Model {
    fn new(chunks: Vec<Spoken>) -> Self {
        let (mut messages, mut first, mut end) = (Vec::new(), None, 0);
        for (index, (kind, data)) in chunks.iter().enumerate() {
            for byte in data.iter().filter(|_| *kind == ChunkKind::Outbound) {
                let first_chunk = *first.get_or_insert(index);
                end += 1;
                if *byte == b'\n' {
                    messages.push((first_chunk, index, end));
                    first = None;
                }
            }
        }
        Self {
            chunks,
            messages,
            delivered: 0,
            sent: 0,
        }
    }

    /// The next chunk of the agent, if nothing of the host is waited for.
    fn next(&mut self) -> Option<usize> {
        let is_of_agent = |chunk: &Spoken| chunk.0 != ChunkKind::Outbound && !chunk.1.is_empty();
        while self.delivered < self.chunks.len() && !is_of_agent(&self.chunks[self.delivered]) {
            self.delivered += 1;
        }
        let next = self.delivered;
        let (mut begins, is_over) = (0, next == self.chunks.len());
        let is_awaited = self.messages.iter().any(|(first, last, end)| {
            let is_begun = self.sent > begins;
            begins = *end;
            let is_enough = self.sent >= *end || (*last > next && is_begun);
            *first < next && !is_enough
        });
        (!is_over && !is_awaited).then_some(next)
    }

    /// Whether what was sent is all the host's turn.
    fn is_taken(&mut self) -> bool {
        let heard = |index: usize| {
            let before = self.chunks[..index].iter().enumerate();
            let mut unheard = before.filter(|(at, (kind, data))| {
                *at >= self.delivered && *kind != ChunkKind::Outbound && !data.is_empty()
            });
            unheard.next().is_none()
        };
        let mut whole = self.messages.iter().filter(|(.., end)| *end <= self.sent);
        whole.all(|(first, ..)| heard(*first))
    }
}

fn tape(chunks: &[Spoken]) -> Tape {
    let scratch = tempfile::tempdir().unwrap();
    let dir = CassetteDir::new(scratch.path().join("tape"));
    let session = AgentSessionId::from_recorded("session-1");
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.connections.push(ConnectionRecord {
        connection_id: ConnectionId::numbered(1),
        provider: "test".parse().unwrap(),
        cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
        root_agent_session: session.clone(),
        agent_session: session,
        launch_ordinal: LaunchOrdinal::FIRST,
        capture_origin: CaptureOrigin::ProcessStart,
        unknown: Vec::new(),
    });
    let mut lines = Vec::new();
    for (number, (kind, data)) in (1..).zip(chunks) {
        let before = lines.len();
        let chunk = Chunk {
            connection_id: ConnectionId::numbered(1),
            chunk_seq: ChunkSeq::new(number),
            global_seq: GlobalSeq::new(number),
            elapsed: ElapsedMs::new(0),
            kind: kind.clone(),
            data: data.clone(),
            exit_code: None,
            message: String::new(),
        };
        write_line(&mut lines, &chunk).unwrap();
        let stats = manifest.frames_by_kind.entry(kind.clone()).or_default();
        stats.add(chunk.payload_bytes(), (lines.len() - before) as u64);
        manifest.payload_bytes += chunk.payload_bytes();
        manifest.frame_count += 1;
    }
    manifest.stored_bytes = lines.len() as u64;
    (&dir.create_frames().unwrap()).write_all(&lines).unwrap();
    manifest.status = CassetteStatus::Complete;
    manifest.frames_sha256 = FramesDigest::from_bytes(Sha256::digest(&lines).into());
    replace_manifest(&dir, &manifest).unwrap();
    Tape::open(dir.path(), &ReadOptions::default()).unwrap()
}

fn conversation(chunks: &[Spoken]) -> Conversation {
    let descriptor = Descriptor::new(
        "test".parse().unwrap(),
        "local:test".parse().unwrap(),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    );
    let rules = MatchRules::new(&descriptor, &Side::new(&Rules::default()));
    let script = Script::new(Arc::new(tape(chunks)), ConnectionId::numbered(1));
    Conversation::new(script, rules, Position::new(Duration::ZERO, None))
}

/// Lines of one side after the other, cut into chunks; and empty chunks.
fn recorded() -> impl Strategy<Value = Vec<Spoken>> {
    let kind = prop_oneof![
        Just(ChunkKind::Outbound),
        Just(ChunkKind::Stdout),
        Just(ChunkKind::Stderr)
    ];
    let turn = (
        kind,
        0..4_usize,
        prop::collection::vec(any::<Index>(), 0..3),
    );
    prop::collection::vec(turn, 0..8).prop_map(|turns| {
        let mut chunks: Vec<Spoken> = Vec::new();
        let mut number = 0;
        let mut late: Option<Spoken> = None;
        for (kind, lines, cuts) in turns {
            let mut text = Vec::new();
            for _ in 0..lines {
                number += 1;
                text.extend(format!("{{\"id\":{number},\"method\":\"m{number}\"}}\n").bytes());
            }
            let mut ends: Vec<usize> = cuts.iter().map(|it| it.index(text.len() + 1)).collect();
            ends.sort_unstable();
            let mut start = 0;
            let mut parts = Vec::new();
            for end in ends.into_iter().chain([text.len()]) {
                parts.push((kind.clone(), text[start..end].to_vec()));
                start = end;
            }
            // The last piece of one side may come behind the first ones of the other.
            if late.as_ref().is_some_and(|(before, _)| *before != kind) {
                chunks.append(&mut parts);
                chunks.extend(late.take());
            } else {
                chunks.extend(late.take());
                late = parts.pop();
                chunks.append(&mut parts);
            }
        }
        chunks.extend(late);
        chunks
    })
}

proptest! {


    #[test]
    fn whose_turn_it_is_is_what_the_model_says(
        chunks in recorded(),
        moves in prop::collection::vec((any::<bool>(), 1..40_usize), 0..200),
    ) {
        let mut core = conversation(&chunks);
        let mut model = Model::new(chunks.clone());
        let outbound = chunks.iter().filter(|(kind, _)| *kind == ChunkKind::Outbound);
        let outbound: Vec<u8> = outbound.flat_map(|(_, data)| data.clone()).collect();
        // Other ids are as good.
        let outbound = String::from_utf8(outbound).unwrap();
        let now = Instant::now();
        let mut clock = Clock::new(now);
        clock.set_fast_forward(true, now);
        let moment = Moment { clock, now };
        let mut is_blocked = false;
        let moves = moves.into_iter().chain([(true, 4000), (false, 1)].into_iter().cycle().take(80));
        for (sends, count) in moves {
            let before = core.version();
            if sends {
                let to = (model.sent + count).min(outbound.len());
                let event = if is_blocked {
                    Event::GoOn
                } else {
                    let piece = &outbound.as_bytes()[model.sent..to];
                    model.sent = to;
                    Event::Send(piece)
                };
                let reply = core.step(event, &moment);
                let is_taken = model.is_taken();
                prop_assert!(
                    matches!((&reply, is_taken), (Reply::Taken, true) | (Reply::Blocked, false)),
                    "{reply:?} {is_taken} {} sent {:?}", model.sent, told(&chunks)
                );
                if is_blocked && !is_taken {
                    // Or it would wake itself for ever.
                    prop_assert_eq!(core.version(), before);
                }
                is_blocked = !is_taken;
            } else {
                match (core.step(Event::Receive, &moment), model.next()) {
                    (Reply::Frame(frame), Some(next)) => {
                        let bytes = match &frame.event {
                            FrameEvent::Stdout(bytes) | FrameEvent::Stderr(bytes) => bytes,
                            other => panic!("{other:?}"),
                        };
                        prop_assert_eq!(bytes, &chunks[next].1);
                        let stamp = frame.stamp.unwrap();
                        prop_assert_eq!(stamp.chunk_seq, ChunkSeq::new(next as u64 + 1));
                        model.delivered = next + 1;
                    }
                    (Reply::Wait(None), None) => {}
                    (reply, next) => prop_assert!(false, "{reply:?} {next:?} {} sent {:?}", model.sent, told(&chunks)),
                }
                is_blocked = !model.is_taken();
            }
        }
        prop_assert_eq!(core.verdict(), Ok(()));
        prop_assert!(core.is_drained());
    }
}
