//! The host's side: what it sends, and whether that is what was recorded.

use cassette_format::schema::ChunkKind;

use super::{Conversation, Moment, Outbound, Reply, Verdict};
use crate::PlayError;
use crate::expected::{Expected, ExpectedMessage};
use crate::matching::{Difference, MatchRules, Matched};
use crate::report::{described, report};

impl Conversation {
    /// Takes what was sent, as far as it is the host's turn.
    pub(super) fn go_on(&mut self, moment: &Moment) -> Reply {
        if let Some(closed) = &self.closed {
            return Reply::Closed(closed.clone());
        }
        let taken = match &self.outbound {
            Outbound::Messages(_) => self.take_messages(moment),
            Outbound::Raw(_) => self.take_bytes(moment),
        };
        match taken {
            Ok(Verdict::Taken) => Reply::Taken,
            Ok(Verdict::Blocked) => Reply::Blocked,
            Ok(Verdict::Elsewhere) => {
                self.is_leaving = true;
                if let Outbound::Messages(exchange) = &mut self.outbound {
                    exchange.input.restart();
                }
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
            let Outbound::Messages(exchange) = &mut self.outbound else {
                return Ok(Verdict::Taken);
            };
            let message = match exchange.input.take() {
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
                    if let Outbound::Messages(exchange) = &mut self.outbound {
                        exchange.input.put_back(message);
                    }
                    return Ok(Verdict::Blocked);
                }
                Verdict::Elsewhere => return Ok(Verdict::Elsewhere),
            }
        }
    }

    /// Goes over outbound chunks of which nothing is waited for any more, and over what
    /// the agent does not say.
    pub(super) fn pass_outbound(&mut self, moment: &Moment) -> Result<(), PlayError> {
        loop {
            if self.script.is_blank(self.cursor) {
                self.cursor += 1;
                self.version += 1;
                continue;
            }
            if self.is_left_out() {
                let played = moment.clock.played(moment.now);
                let elapsed = self.script.elapsed(self.cursor);
                self.position.advance_to(elapsed, played);
                self.prepared = None;
                self.cursor += 1;
                self.version += 1;
                continue;
            }
            if !self.script.is(self.cursor, &ChunkKind::Outbound) {
                return Ok(());
            }
            let Outbound::Messages(exchange) = &mut self.outbound else {
                return self.take_bytes(moment).map(drop);
            };
            let (input, expected) = (&exchange.input, &mut exchange.expected);
            expected.read_to(&self.script, self.cursor);
            if let Some(error) = expected.broken_at(self.cursor) {
                let error = error.clone().into();
                return Err(self.fail(error));
            }
            let cursor = self.cursor;
            let open = expected.messages().iter();
            let mut open = open.take_while(|it| it.first <= cursor);
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
    }

    /// What becomes of a whole message of the host.
    fn judge(&mut self, actual: &[u8], moment: &Moment) -> Result<Verdict, PlayError> {
        loop {
            self.pass_outbound(moment)?;
            let judged = match &self.outbound {
                Outbound::Messages(exchange) => exchange
                    .due(self.cursor)
                    .map(|next| self.matcher.judge(&next.content, actual, &self.known)),
                Outbound::Raw(_) => None,
            };
            let difference = match judged {
                None => return self.judge_out_of_turn(actual, moment),
                Some(Ok(matched)) => {
                    self.accept(0, (&matched, actual), moment);
                    return Ok(Verdict::Taken);
                }
                Some(Err(difference)) => difference,
            };
            if let Some((at, matched)) = self.match_in_any_order(actual) {
                self.accept(at, (&matched, actual), moment);
                return Ok(Verdict::Taken);
            }
            if self.tentative.is_none() && self.skip_probe(moment) {
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

    /// What becomes of a message that is sent while the agent speaks, or after the end.
    fn judge_out_of_turn(&mut self, actual: &[u8], moment: &Moment) -> Result<Verdict, PlayError> {
        if !moment.clock.is_paused() && self.has_a_turn_for(actual) {
            return Ok(Verdict::Blocked);
        }
        if self.absorb(actual) {
            return Ok(Verdict::Taken);
        }
        if self.cursor < self.script.len() {
            return Ok(Verdict::Blocked);
        }
        let error = PlayError::AfterEnd {
            connection_id: self.connection_id().clone(),
            bytes: actual.len(),
            sent: described(self.matcher.rules(), actual),
        };
        Err(self.fail(error))
    }

    /// Whether the host's next turn has this message, where a client does not wait for one
    /// thing before it says another: an answer before that turn would have it say sooner
    /// what it said after it.
    fn has_a_turn_for(&mut self, actual: &[u8]) -> bool {
        if !self.matcher.rules().takes_any_order() {
            return false;
        }
        let next = self.script.next_of(&ChunkKind::Outbound, self.cursor);
        let (Some(next), Outbound::Messages(exchange)) = (next, &mut self.outbound) else {
            return false;
        };
        let last = exchange.turns.end_of(&self.script, next);
        let expected = &mut exchange.expected;
        expected.read_to(&self.script, last);
        let mut turn = probably_first(expected, &self.matcher.shared_rules(), actual);
        turn.any(|(_, message)| {
            let (matcher, known) = (&mut self.matcher, &self.known);
            message.first <= last && matcher.judge(&message.content, actual, known).is_ok()
        })
    }

    /// Of messages that the host sent without waiting, another one that this is.
    fn match_in_any_order(&mut self, actual: &[u8]) -> Option<(usize, Matched)> {
        let Outbound::Messages(exchange) = &mut self.outbound else {
            return None;
        };
        let expected = &mut exchange.expected;
        if !self.matcher.rules().takes_any_order() {
            return None;
        }
        let last = exchange.turns.end_of(&self.script, self.cursor);
        expected.read_to(&self.script, last);
        let candidates = probably_first(expected, &self.matcher.shared_rules(), actual);
        // The one that is due was tried before.
        candidates
            .filter(|(at, other)| *at > 0 && other.first <= last)
            .find_map(|(at, other)| {
                let matched = self.matcher.judge(&other.content, actual, &self.known);
                Some((at, matched.ok()?))
            })
    }

    /// The host has sent the expected message at this place of those to come.
    fn accept(&mut self, at: usize, (matched, actual): (&Matched, &[u8]), moment: &Moment) {
        self.version += 1;
        self.known.learn(matched);
        for (recorded, _) in &matched.request_ids {
            self.probes.keep_answer(recorded);
        }
        self.tentative = None;
        self.probes.end_run();
        let Outbound::Messages(exchange) = &mut self.outbound else {
            return;
        };
        let expected = &mut exchange.expected;
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
    pub(super) fn skip_probe(&mut self, moment: &Moment) -> bool {
        let rules = self.matcher.shared_rules();
        let Outbound::Messages(exchange) = &mut self.outbound else {
            return false;
        };
        let expected = &mut exchange.expected;
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
        let Outbound::Messages(exchange) = &self.outbound else {
            return false;
        };
        let expected = &exchange.expected;
        let next = expected.messages().front();
        let at = next.map_or(u64::MAX, |next| next.number);
        let on_tape = (&self.script, at, &mut self.matcher, &self.known);
        let absorbed = self.probes.absorb(&request, actual, on_tape).is_some();
        if absorbed && let Some(sent) = &mut self.tentative {
            // It is answered, and not sent again to another connection.
            sent.drain(..sent.len().saturating_sub(exchange.input.pending()));
        }
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

    fn mismatch(&mut self, actual: &[u8], difference: Difference) -> PlayError {
        let expected = match &self.outbound {
            Outbound::Messages(exchange) => exchange.due(self.cursor).cloned(),
            Outbound::Raw(_) => None,
        };
        let Some(expected) = expected else {
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
}

/// The messages that were read, with their places: first one that says what is sent, if there
/// is one, so that it need not be sought among many, then all in their order.
fn probably_first<'e>(
    expected: &'e mut Expected,
    rules: &MatchRules,
    actual: &[u8],
) -> impl Iterator<Item = (usize, &'e ExpectedMessage)> + use<'e> {
    let hash = |content: &[u8]| rules.hash_without_id(content);
    let at = expected.find(hash(&rules.portable(actual)), hash);
    let messages = expected.messages();
    let equal = at.and_then(|at| Some((at, messages.get(at)?)));
    equal.into_iter().chain(messages.iter().enumerate())
}
