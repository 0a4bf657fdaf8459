//! One connection of a tape as it is played, decided without waiting and without a
//! timer: events come in with the time at which they happen, and what is to be done
//! goes out.

use cassette_format::json::{Framing, Message};
use cassette_format::process::{Frame, Stamp, frame_from_chunk};
use cassette_format::schema::{Chunk, ChunkKind, ChunkSeq, ConnectionId};
use tokio::time::Instant;

use crate::PlayError;
use crate::clock::{Clock, Due, Position};
use crate::expected::{Expected, ExpectedMessage};
use crate::inbound::{Change, Inbound};
use crate::input::Input;
use crate::matching::{Correspondence, Difference, MatchRules, Matched, Matcher};
use crate::probes::{Grace, Probes};
use crate::raw_input::RawInput;
use crate::report::report;
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
    position: Position,
    probes: Probes,
    /// Nothing has bound the launch to this connection yet; another one may be meant.
    tentative: Option<Vec<u8>>,
    /// It is not the one that was launched, and another takes its place.
    is_leaving: bool,
    closed: Option<Result<(), PlayError>>,
    failure: Option<PlayError>,
    /// Grows with everything that whoever waits has to look at again.
    version: u64,
}

/// What the host sends, and what it is expected to send.
#[derive(Debug)]
enum Outbound {
    Messages { input: Input, expected: Expected },
    Raw(RawInput),
}

/// Something that happens to a connection.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// The host sends.
    Send(&'a [u8]),
    /// The host still waits for what it sent to be taken.
    GoOn,
    /// The host ends its input.
    EndInput,
    /// The host asks for the next frame.
    Receive,
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
            _ => Outbound::Messages {
                input: Input::new(framing, rules.skips_blanks()),
                expected: Expected::new(framing, rules.skips_blanks()),
            },
        };
        Self {
            script,
            matcher: Matcher::new(rules),
            known: Correspondence::default(),
            outbound,
            stdout: Inbound::new(ChunkKind::Stdout, framing),
            stderr: Inbound::new(ChunkKind::Stderr, Framing::Lines),
            cursor: 0,
            position,
            probes: Probes::default(),
            tentative: None,
            is_leaving: false,
            closed: None,
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

    /// Whether everything was played, and why not. A last message that only lacks its
    /// line end counts as ended.
    pub(crate) fn verify(&mut self, moment: &Moment) -> Result<(), PlayError> {
        if self.failure.is_none() && !self.is_closed() {
            if let Outbound::Messages { input, .. } = &mut self.outbound {
                input.end_whole_message();
            }
            self.go_on(moment);
        }
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None if self.is_played() => Ok(()),
            None => Err(self.unconsumed()),
        }
    }

    fn is_played(&self) -> bool {
        let is_begun = match &self.outbound {
            Outbound::Messages { expected, .. } => {
                let first = expected.messages().front();
                first.is_some_and(|message| message.first < self.cursor)
            }
            Outbound::Raw(_) => false,
        };
        self.cursor == self.script.len() && !is_begun
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
            Outbound::Messages { input, .. } => input.push(bytes),
            Outbound::Raw(input) => input.push(bytes),
        }
        self.go_on(moment)
    }

    fn end_input(&mut self) {
        self.version += 1;
        match &mut self.outbound {
            Outbound::Messages { input, .. } => input.end(),
            Outbound::Raw(input) => input.end(),
        }
    }

    fn close(&mut self, moment: &Moment) -> Reply {
        if self.closed.is_none() {
            self.version += 1;
            self.end_input();
            self.go_on(moment);
            let played = self.cursor == self.script.len() && self.is_played();
            self.closed = Some(if played {
                Ok(())
            } else {
                Err(self.unconsumed())
            });
        }
        Reply::Closed(self.closed.clone().unwrap_or(Ok(())))
    }

    /// Takes what was sent, as far as it is the host's turn.
    fn go_on(&mut self, moment: &Moment) -> Reply {
        if let Some(closed) = &self.closed {
            return Reply::Closed(closed.clone());
        }
        let taken = match &self.outbound {
            Outbound::Messages { .. } => self.take_messages(moment),
            Outbound::Raw(_) => self.take_bytes(moment),
        };
        match taken {
            Ok(Verdict::Taken) => Reply::Taken,
            Ok(Verdict::Blocked) => Reply::Blocked,
            Ok(Verdict::Elsewhere) => {
                self.is_leaving = true;
                Reply::Elsewhere(self.tentative.take().unwrap_or_default())
            }
            Err(error) => Reply::Failed(error),
        }
    }

    fn take_messages(&mut self, moment: &Moment) -> Result<Verdict, PlayError> {
        loop {
            if let Some(failure) = &self.failure {
                return Err(failure.clone());
            }
            self.pass_outbound(moment)?;
            let Outbound::Messages { input, .. } = &mut self.outbound else {
                return Ok(Verdict::Taken);
            };
            let message = match input.take() {
                Ok(Some(message)) => message,
                Ok(None) => return Ok(Verdict::Taken),
                Err(source) => {
                    let connection_id = self.connection_id().clone();
                    return Err(self.fail(PlayError::Framing {
                        connection_id,
                        source,
                    }));
                }
            };
            match self.judge(&message, moment)? {
                Verdict::Taken => {}
                Verdict::Blocked => {
                    if let Outbound::Messages { input, .. } = &mut self.outbound {
                        input.put_back(message);
                    }
                    return Ok(Verdict::Blocked);
                }
                Verdict::Elsewhere => return Ok(Verdict::Elsewhere),
            }
        }
    }

    /// Goes over outbound chunks of which nothing is waited for any more.
    fn pass_outbound(&mut self, moment: &Moment) -> Result<(), PlayError> {
        while self.script.is(self.cursor, &ChunkKind::Outbound) {
            let Outbound::Messages { input, expected } = &mut self.outbound else {
                return self.take_bytes(moment).map(drop);
            };
            expected.read_to(&self.script, self.cursor);
            if let Some(error) = expected.broken_at(self.cursor) {
                let error = error.clone().into();
                return Err(self.fail(error));
            }
            let cursor = self.cursor;
            let mut open = expected.messages().iter().filter(|it| it.first == cursor);
            match (open.next(), open.next()) {
                (None, _) => {}
                // One that is begun: the rest may come after what the agent says meanwhile.
                (Some(only), None) if only.last > cursor && input.is_within_message() => {
                    let played = moment.clock.played(moment.now);
                    let elapsed = self.script.elapsed(cursor);
                    self.position.advance_to(elapsed, played);
                }
                _ => return Ok(()),
            }
            self.cursor += 1;
            self.version += 1;
        }
        Ok(())
    }

    /// What becomes of a whole message of the host.
    fn judge(&mut self, actual: &[u8], moment: &Moment) -> Result<Verdict, PlayError> {
        loop {
            self.pass_outbound(moment)?;
            let Some(next) = self.next_expected() else {
                if self.absorb(actual) {
                    return Ok(Verdict::Taken);
                }
                if self.cursor < self.script.len() {
                    return Ok(Verdict::Blocked);
                }
                let error = PlayError::AfterEnd {
                    connection_id: self.connection_id().clone(),
                    bytes: actual.len(),
                    sent: crate::report::described(self.matcher.rules(), actual),
                };
                return Err(self.fail(error));
            };
            let difference = match self.matcher.judge(&next.content, actual, &self.known) {
                Ok(matched) => {
                    self.accept(0, (&matched, actual), moment);
                    return Ok(Verdict::Taken);
                }
                Err(difference) => difference,
            };
            if let Some((at, matched)) = self.match_in_any_order(actual) {
                self.accept(at, (&matched, actual), moment);
                return Ok(Verdict::Taken);
            }
            if self.skip_probe(moment) {
                continue;
            }
            if self.absorb(actual) {
                return Ok(Verdict::Taken);
            }
            if self.tentative.is_some() {
                return Ok(Verdict::Elsewhere);
            }
            return Err(self.mismatch(actual, *difference));
        }
    }

    /// The message that is expected now, if it is the host's turn.
    fn next_expected(&self) -> Option<ExpectedMessage> {
        let Outbound::Messages { expected, .. } = &self.outbound else {
            return None;
        };
        let first = expected.messages().front()?;
        (first.first <= self.cursor).then(|| first.clone())
    }

    /// Of messages that the host sent without waiting, another one that this is.
    fn match_in_any_order(&mut self, actual: &[u8]) -> Option<(usize, Matched)> {
        let Outbound::Messages { expected, .. } = &mut self.outbound else {
            return None;
        };
        if !self.matcher.rules().takes_any_order() {
            return None;
        }
        let mut last = self.cursor;
        while self.script.is(last + 1, &ChunkKind::Outbound) {
            last += 1;
        }
        expected.read_to(&self.script, last);
        let others = expected.messages().iter().enumerate().skip(1);
        others
            .filter(|(_, other)| other.first <= last)
            .find_map(|(at, other)| {
                let matched = self.matcher.judge(&other.content, actual, &self.known);
                Some((at, matched.ok()?))
            })
    }

    /// The host has sent the expected message at this place of those to come.
    fn accept(&mut self, at: usize, (matched, actual): (&Matched, &[u8]), moment: &Moment) {
        self.version += 1;
        self.known.learn(matched);
        self.tentative = None;
        self.probes.end_run();
        let Outbound::Messages { expected, .. } = &mut self.outbound else {
            return;
        };
        let Some(message) = expected.take(at) else {
            return;
        };
        let played = moment.clock.played(moment.now);
        let elapsed = self.script.elapsed(message.first);
        self.position.advance_to(elapsed, played);
        let rules = self.matcher.shared_rules();
        if rules.answers_at_once()
            && let Some(request) = rules.request(actual)
        {
            let on_tape = (&self.script, message.number, &mut self.matcher, &self.known);
            self.probes.answer_at_once(&request, on_tape);
        }
    }

    /// Leaves out the expected message, if it is a probe.
    fn skip_probe(&mut self, moment: &Moment) -> bool {
        let rules = self.matcher.shared_rules();
        let Outbound::Messages { expected, .. } = &mut self.outbound else {
            return false;
        };
        let first = expected.messages().front().filter(|it| it.is_alone);
        let request = first.and_then(|first| rules.request(&first.content));
        let Some(id) = request
            .filter(|request| request.optional_probe.is_some())
            .and_then(|request| request.id)
        else {
            return false;
        };
        if let Some(skipped) = expected.take(0) {
            let played = moment.clock.played(moment.now);
            let elapsed = self.script.elapsed(skipped.first);
            self.position.advance_to(elapsed, played);
        }
        self.version += 1;
        self.probes.skip(id);
        true
    }

    fn absorb(&mut self, actual: &[u8]) -> bool {
        let rules = self.matcher.shared_rules();
        let Some(request) = rules.request(actual) else {
            return false;
        };
        let Outbound::Messages { expected, .. } = &self.outbound else {
            return false;
        };
        let next = expected.messages().front();
        let at = next.map_or(u64::MAX, |next| next.number);
        let on_tape = (&self.script, at, &mut self.matcher, &self.known);
        let absorbed = self.probes.absorb(&request, actual, on_tape).is_some();
        self.version += u64::from(absorbed);
        absorbed
    }

    fn take_bytes(&mut self, moment: &Moment) -> Result<Verdict, PlayError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let Outbound::Raw(input) = &mut self.outbound else {
            return Ok(Verdict::Taken);
        };
        let mut reached = None;
        let taken = input.take(&self.script, &mut self.cursor, &mut reached);
        if let Some(index) = reached {
            self.version += 1;
            let played = moment.clock.played(moment.now);
            let elapsed = self.script.elapsed(index);
            self.position.advance_to(elapsed, played);
        }
        match taken {
            Ok(true) => Ok(Verdict::Taken),
            Ok(false) => Ok(Verdict::Blocked),
            Err(error) => Err(self.fail(error)),
        }
    }

    fn receive(&mut self, moment: &Moment) -> Reply {
        if self.closed.is_some() {
            return Reply::End;
        }
        // Never inside of a message of the agent.
        let is_between = !self.stdout.is_within_message();
        if let Some(answer) = is_between.then(|| self.probes.next_answer()).flatten() {
            let stamp = self.stamp(ChunkSeq::new(0), true);
            let mut frame = Frame::stdout(answer);
            frame.stamp = Some(stamp);
            return Reply::Frame(Box::new(frame));
        }
        if let Some(failure) = &self.failure {
            return Reply::Failed(failure.clone());
        }
        if self.is_leaving {
            return Reply::Wait(None);
        }
        loop {
            match self.next_frame(moment) {
                Ok(Some(reply)) => return reply,
                Ok(None) => {}
                Err(error) => return Reply::Failed(error),
            }
        }
    }

    /// The next frame or what is waited for; `None` if something was passed over.
    fn next_frame(&mut self, moment: &Moment) -> Result<Option<Reply>, PlayError> {
        self.pass_outbound(moment)?;
        let Some(chunk) = self.script.chunk(self.cursor) else {
            let is_over = self.script.ends_with_exit() && self.is_played();
            return Ok(Some(if is_over {
                Reply::End
            } else {
                Reply::Wait(None)
            }));
        };
        if chunk.kind() == ChunkKind::Outbound {
            return self.wait_for_host(moment).map(|wait| wait.map(Reply::Wait));
        }
        let elapsed = chunk.elapsed();
        match self.position.due(elapsed, (&moment.clock, moment.now)) {
            Due::Now => {}
            Due::At(time) => return Ok(Some(Reply::Wait(Some(time)))),
            Due::Unknown => return Ok(Some(Reply::Wait(None))),
        }
        let frame = self.frame()?;
        let played = moment.clock.played(moment.now);
        self.position.advance_to(elapsed, played);
        self.cursor += 1;
        self.version += 1;
        if frame.is_some() {
            self.tentative = None;
            self.probes.end_run();
            // What waited for the agent may be taken now; a failure is told next time.
            self.go_on(moment);
        }
        Ok(frame.map(|frame| Reply::Frame(Box::new(frame))))
    }

    /// The host has to send something first: until when that is waited for; `None` if it
    /// was left out.
    fn wait_for_host(&mut self, moment: &Moment) -> Result<Option<Option<Instant>>, PlayError> {
        let (has_ended, is_settled) = match &self.outbound {
            Outbound::Messages { input, .. } => (
                input.has_ended(),
                !input.waits() && !input.is_within_message(),
            ),
            Outbound::Raw(input) => (input.has_ended(), true),
        };
        if is_settled && self.is_probe_next() {
            if let Grace::Until(time) = self.probes.grace(moment.now) {
                return Ok(Some(Some(time)));
            }
            self.skip_probe(moment);
            return Ok(None);
        }
        if has_ended && is_settled {
            let error = PlayError::InputEnded {
                connection_id: self.connection_id().clone(),
                consumed: self.cursor,
                total: self.script.len(),
            };
            return Err(self.fail(error));
        }
        Ok(Some(None))
    }

    fn is_probe_next(&self) -> bool {
        let Outbound::Messages { expected, .. } = &self.outbound else {
            return false;
        };
        let first = expected.messages().front().filter(|it| it.is_alone);
        let request = first.and_then(|first| self.matcher.rules().request(&first.content));
        request.is_some_and(|request| request.optional_probe.is_some() && request.id.is_some())
    }

    /// The frame of the chunk that comes next; `None` if nothing of it is left.
    fn frame(&mut self) -> Result<Option<Frame>, PlayError> {
        let data = self.data();
        let Some(view) = self.script.chunk(self.cursor) else {
            return Ok(None);
        };
        let message = view.message();
        let data = match data {
            Ok(data) => data,
            Err(error) => return Err(self.fail(error.into())),
        };
        let kind = view.kind();
        let is_stream = matches!(kind, ChunkKind::Stdout | ChunkKind::Stderr);
        if is_stream && data.is_empty() && message.is_empty() {
            return Ok(None);
        }
        let stamp = self.stamp(Script::chunk_seq(self.cursor), false);
        let chunk = Chunk {
            connection_id: stamp.connection_id.clone(),
            chunk_seq: stamp.chunk_seq,
            global_seq: view.global_seq(),
            elapsed: view.elapsed(),
            kind,
            data,
            exit_code: view.exit_code(),
            message,
        };
        match frame_from_chunk(chunk) {
            Ok(mut frame) => {
                frame.stamp = Some(stamp);
                Ok(Some(frame))
            }
            Err(error) => Err(self.fail(error.into())),
        }
    }

    /// The data of the chunk that comes next, as it is on this side.
    fn data(&mut self) -> Result<Vec<u8>, cassette_format::store::UndecodableData> {
        let Self {
            script,
            matcher,
            known,
            probes,
            stdout,
            stderr,
            cursor,
            ..
        } = self;
        let stream = match script.chunk(*cursor).map(|chunk| chunk.kind()) {
            Some(ChunkKind::Stdout) if matcher.rules().has_messages() => stdout,
            Some(ChunkKind::Stderr) if matcher.rules().has_messages() => stderr,
            _ => return script.data(*cursor),
        };
        let rules = matcher.shared_rules();
        stream.chunk(script, *cursor, |message: &Message<'_>| {
            let content = message.judged();
            if probes.leaves_out(|| rules.envelope(content)) {
                return Change::Vanishes;
            }
            let Some(edits) = matcher.rewrite(content, known) else {
                return Change::Stays;
            };
            match edits.apply(content) {
                Ok(spliced) => Change::Becomes(spliced.bytes.into_owned(), spliced.landings),
                Err(_) => Change::Stays,
            }
        })
    }

    fn stamp(&self, chunk_seq: ChunkSeq, synthetic: bool) -> Stamp {
        Stamp {
            recording_id: None,
            connection_id: self.connection_id().clone(),
            chunk_seq,
            synthetic,
        }
    }

    fn mismatch(&mut self, actual: &[u8], difference: Difference) -> PlayError {
        let Some(expected) = self.next_expected() else {
            let error = self.unconsumed();
            return self.fail(error);
        };
        let mismatch = report(
            &self.script,
            (&mut self.matcher, &self.known),
            (&expected, actual),
            difference,
        );
        self.fail(PlayError::Mismatch(Box::new(mismatch)))
    }

    /// The first failure is kept.
    fn fail(&mut self, error: PlayError) -> PlayError {
        self.version += 1;
        self.failure.get_or_insert(error).clone()
    }
}
