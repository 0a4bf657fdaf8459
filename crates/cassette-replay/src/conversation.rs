//! One connection of a tape as it is played, decided without waiting and without a
//! timer: events come in with the time at which they happen, and what is to be done
//! goes out.

mod agent;
mod host;
#[cfg(test)]
mod model;
mod turns;

use cassette_format::json::Framing;
use cassette_format::process::Frame;
use cassette_format::schema::{ChunkKind, ConnectionId};
use tokio::time::Instant;

use self::turns::Turns;
use crate::PlayError;
use crate::clock::{Clock, Position};
use crate::expected::{Expected, ExpectedMessage};
use crate::inbound::Inbound;
use crate::input::Input;
use crate::matching::{Correspondence, MatchRules, Matcher};
use crate::probes::Probes;
use crate::raw_input::RawInput;
use crate::script::Script;

/// What is played of one recorded connection, and how far.
#[derive(Debug)]
pub(crate) struct Conversation {
    script: Script,
    matcher: Matcher,
    known: Correspondence,
    outbound: Outbound,
    stdout: Inbound,
    stderr: Inbound,
    /// Index of the chunk that comes next.
    cursor: usize,
    /// The data of that chunk, where it had to be looked at before it is delivered.
    prepared: Option<Prepared>,
    position: Position,
    probes: Probes,
    /// Nothing has bound the launch to this connection yet; another one may be meant.
    tentative: Option<Vec<u8>>,
    /// It is not the one that was launched, and another takes its place.
    is_leaving: bool,
    closed: Option<Result<(), PlayError>>,
    /// The agent's end, if closing made it; to be received yet.
    last: Option<Box<Frame>>,
    failure: Option<PlayError>,
    /// Grows with everything that whoever waits has to look at again.
    version: u64,
}

/// What the host sends, and what it is expected to send.
#[derive(Debug)]
enum Outbound {
    Messages(Box<Exchange>),
    Raw(RawInput),
}

/// The data of a chunk on this side, before it is delivered.
#[derive(Debug)]
struct Prepared {
    data: Vec<u8>,
    /// What was delivered before it ended inside of a message.
    is_behind_half_message: bool,
}

/// The messages that the host sends and those that were recorded.
#[derive(Debug)]
struct Exchange {
    input: Input,
    expected: Expected,
    turns: Turns,
}

impl Exchange {
    /// The message that is expected now, if it is the host's turn.
    fn due(&self, cursor: usize) -> Option<&ExpectedMessage> {
        let first = self.expected.messages().front()?;
        (first.first <= cursor).then_some(first)
    }
}

/// Something that happens to a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event<'a> {
    /// The host sends.
    Send(&'a [u8]),
    /// The host still waits for what it sent to be taken.
    GoOn,
    /// The host ends its input.
    EndInput,
    /// The host asks for the next frame.
    Receive,
    /// Somebody asks for the verdict: a last message that only lacks its line end
    /// counts as ended.
    Judge,
    /// The host closes the connection.
    Close,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Reply {
    /// What was sent is taken, or the input has ended.
    Taken,
    /// The agent speaks first: ask again after a change.
    Blocked,
    /// The next frame.
    Frame(Box<Frame>),
    /// Nothing yet: ask again at this time, if there is one, and after a change.
    Wait(Option<Instant>),
    /// There are no more frames.
    End,
    /// The connection is closed; whether all had been played when it was.
    Closed(Result<(), PlayError>),
    /// The connection has failed.
    Failed(PlayError),
    /// This is not the connection that was launched; these bytes were sent to it.
    Elsewhere(Vec<u8>),
}

/// The time at which something happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) clock: Clock,
    pub(crate) now: Instant,
}

/// What becomes of a message that the host has sent.
enum Verdict {
    Taken,
    Blocked,
    Elsewhere,
}

impl Conversation {
    pub(crate) fn new(script: Script, rules: MatchRules, position: Position) -> Self {
        let framing = rules.cut();
        let outbound = match framing {
            Framing::Raw => Outbound::Raw(RawInput::default()),
            _ => Outbound::Messages(Box::new(Exchange {
                input: Input::new(framing, rules.skips_blanks()),
                expected: Expected::new(framing, rules.skips_blanks()),
                turns: Turns::default(),
            })),
        };
        Self {
            script,
            matcher: Matcher::new(rules),
            known: Correspondence::default(),
            outbound,
            stdout: Inbound::new(ChunkKind::Stdout, framing),
            stderr: Inbound::new(ChunkKind::Stderr, Framing::Lines),
            cursor: 0,
            prepared: None,
            position,
            probes: Probes::default(),
            tentative: None,
            is_leaving: false,
            closed: None,
            last: None,
            failure: None,
            version: 0,
        }
    }

    /// One that may turn out not to be the one that was launched: it is only once its
    /// first message was matched or its first frame delivered.
    pub(crate) fn tentative(mut self) -> Self {
        self.tentative = Some(Vec::new());
        self
    }

    /// Takes the place of another one, whose answers are still to be delivered.
    pub(crate) fn replace(&mut self, other: &mut Self) {
        self.version = other.version + 1;
        self.probes.take_answers(&mut other.probes);
    }

    /// It is the one that was launched after all: there is no other.
    pub(crate) fn stay(&mut self) {
        self.is_leaving = false;
        self.tentative = None;
    }

    /// What happens, and what is to be done. Whatever else waits looks again after it.
    pub(crate) fn step(&mut self, event: Event<'_>, moment: &Moment) -> Reply {
        match event {
            Event::Send(bytes) => self.send(bytes, moment),
            Event::GoOn => self.go_on(moment),
            Event::EndInput => {
                self.end_input();
                self.go_on(moment)
            }
            Event::Receive => self.receive(moment),
            Event::Judge => {
                if let Outbound::Messages(exchange) = &mut self.outbound
                    && self.failure.is_none()
                    && self.closed.is_none()
                {
                    exchange.input.end_whole_message();
                }
                self.go_on(moment)
            }
            Event::Close => self.close(moment),
        }
    }

    pub(crate) const fn connection_id(&self) -> &ConnectionId {
        self.script.connection_id()
    }

    /// Changes whenever whoever waits has to look again.
    pub(crate) const fn version(&self) -> u64 {
        self.version
    }

    pub(crate) const fn failure(&self) -> Option<&PlayError> {
        self.failure.as_ref()
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// Whether an answer waits that does not come from the tape in its turn.
    pub(crate) fn has_synthetic(&self) -> bool {
        self.probes.has_answer()
    }

    /// Whether everything was played.
    pub(crate) fn is_drained(&self) -> bool {
        self.failure.is_none() && self.is_played()
    }

    /// Whether everything was played, and why not.
    pub(crate) fn verdict(&self) -> Result<(), PlayError> {
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None if self.is_played() => Ok(()),
            None => Err(self.unconsumed()),
        }
    }

    fn is_played(&self) -> bool {
        self.cursor == self.script.len() && !self.is_within_expected()
    }

    /// Whether a message of the host's has begun on the tape and was not sent.
    fn is_within_expected(&self) -> bool {
        match &self.outbound {
            Outbound::Messages(exchange) => {
                let first = exchange.expected.messages().front();
                first.is_some_and(|message| message.first < self.cursor)
            }
            Outbound::Raw(_) => false,
        }
    }

    fn unconsumed(&self) -> PlayError {
        PlayError::Unconsumed {
            connection_id: self.connection_id().clone(),
            consumed: self.cursor,
            total: self.script.len(),
        }
    }

    fn send(&mut self, bytes: &[u8], moment: &Moment) -> Reply {
        if let Some(closed) = &self.closed {
            return Reply::Closed(closed.clone());
        }
        if let Some(failure) = &self.failure {
            return Reply::Failed(failure.clone());
        }
        if let Some(sent) = &mut self.tentative {
            sent.extend_from_slice(bytes);
        }
        match &mut self.outbound {
            Outbound::Messages(exchange) => exchange.input.push(bytes),
            Outbound::Raw(input) => input.push(bytes),
        }
        self.go_on(moment)
    }

    fn end_input(&mut self) {
        self.version += 1;
        match &mut self.outbound {
            Outbound::Messages(exchange) => exchange.input.end(),
            Outbound::Raw(input) => input.end(),
        }
    }

    fn close(&mut self, moment: &Moment) -> Reply {
        if self.closed.is_none() {
            self.version += 1;
            self.end_input();
            let reply = self.go_on(moment);
            if matches!(reply, Reply::Elsewhere(_)) {
                return reply;
            }
            if matches!(reply, Reply::Taken) {
                self.end_by_close();
            }
            self.closed = Some(if self.is_played() {
                Ok(())
            } else {
                Err(self.unconsumed())
            });
        }
        Reply::Closed(self.closed.clone().unwrap_or(Ok(())))
    }

    /// The first failure is kept.
    fn fail(&mut self, error: PlayError) -> PlayError {
        self.version += 1;
        self.failure.get_or_insert(error).clone()
    }
}
