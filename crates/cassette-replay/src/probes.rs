//! Requests that a client may make at any time, or not at all.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use crate::matching::{Correspondence, Envelope, MatchRules, Matcher, MessageId, Request};
use crate::recorded_probes::RecordedProbes;
use crate::script::Script;

/// How long a recorded probe is waited for before the agent goes on without it.
const GRACE: Duration = Duration::from_millis(50);

/// What becomes of the probes of one connection.
#[derive(Debug, Default)]
pub(crate) struct Probes {
    /// Until when the probe that comes next is waited for.
    grace: Option<Instant>,
    /// The one before was left out, so this one is not waited for.
    is_run: bool,
    /// Recorded ids of requests whose answers are not delivered, and how many.
    skipped: HashMap<MessageId, usize>,
    /// Answers that do not come from the tape in their turn, framing included.
    answers: VecDeque<Vec<u8>>,
    recorded: Option<RecordedProbes>,
}

/// Whether a recorded probe is still waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grace {
    Over,
    Until(Instant),
}

impl Probes {
    /// Whether the probe that comes next is still waited for.
    pub(crate) fn grace(&mut self, now: Instant) -> Grace {
        let until = *self.grace.get_or_insert_with(|| now + GRACE);
        if self.is_run || now >= until {
            Grace::Over
        } else {
            Grace::Until(until)
        }
    }

    /// A recorded probe is left out: its answer is not delivered.
    pub(crate) fn skip(&mut self, id: MessageId) {
        *self.skipped.entry(id).or_default() += 1;
        self.is_run = true;
        self.grace = None;
    }

    /// Something else came: the next probe is waited for again.
    pub(crate) const fn end_run(&mut self) {
        self.is_run = false;
        self.grace = None;
    }

    /// Whether answers are still to come that are not delivered.
    pub(crate) fn leaves_anything_out(&self) -> bool {
        !self.skipped.is_empty()
    }

    /// Whether an answer of the agent is not delivered; each is left out once.
    pub(crate) fn leaves_out(&mut self, envelope: impl FnOnce() -> Envelope) -> bool {
        if self.skipped.is_empty() {
            return false;
        }
        match envelope() {
            Envelope::Answer { id: Some(id), .. } => self.leave_out(&id),
            _ => false,
        }
    }

    fn leave_out(&mut self, id: &MessageId) -> bool {
        match self.skipped.get_mut(id) {
            Some(count) if *count > 1 => *count -= 1,
            Some(_) => drop(self.skipped.remove(id)),
            None => return false,
        }
        true
    }

    /// A recorded request was sent: its answer is delivered, whoever had its id before.
    pub(crate) fn keep_answer(&mut self, id: &MessageId) {
        if !self.skipped.is_empty() {
            self.skipped.remove(id);
        }
    }

    pub(crate) fn next_answer(&mut self) -> Option<Vec<u8>> {
        self.answers.pop_front()
    }

    /// Takes over the answers of another connection.
    pub(crate) fn take_answers(&mut self, other: &mut Self) {
        self.answers.append(&mut other.answers);
    }

    pub(crate) fn has_answer(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Answers a request that is a probe and was not recorded here; `None` if it is no
    /// probe. A notification needs no answer.
    pub(crate) fn absorb(
        &mut self,
        request: &Request<'_>,
        actual: &[u8],
        (script, at, matcher, known): (&Script, u64, &mut Matcher, &Correspondence),
    ) -> Option<()> {
        let declared = request.optional_probe?;
        let Some(id) = &request.id else {
            return Some(());
        };
        let rules = matcher.shared_rules();
        let recorded = self.recorded(script, &rules);
        let own = recorded
            .answer_to((request, actual), at, (matcher, known))
            .map(|answer| readdressed(matcher, answer, (id, known)));
        let answer = match own {
            Some(content) => Some(rules.framed(&content)),
            None => rules.synthetic_answer(request, &declared.result),
        };
        self.answers.extend(answer);
        Some(())
    }

    /// A request was matched that is answered at once: with what the tape has as its
    /// answer, else with what is declared.
    pub(crate) fn answer_at_once(
        &mut self,
        request: &Request<'_>,
        (script, number, matcher, known): (&Script, u64, &mut Matcher, &Correspondence),
    ) {
        let (Some(declared), Some(id)) = (request.startup_metadata, &request.id) else {
            return;
        };
        let rules = matcher.shared_rules();
        let recorded = self.recorded(script, &rules).with_number(number);
        let recorded = recorded.and_then(|probe| {
            let answer = probe.answer.clone()?;
            Some((probe.id.clone(), answer))
        });
        let answer = match recorded {
            Some((recorded_id, answer)) => {
                self.skipped.insert(recorded_id, 1);
                let content = readdressed(matcher, &answer, (id, known));
                Some(rules.framed(&content))
            }
            None => rules.synthetic_answer(request, &declared.result),
        };
        self.answers.extend(answer);
    }

    /// The probes of the tape and their answers, found when first needed.
    fn recorded(&mut self, script: &Script, rules: &MatchRules) -> &RecordedProbes {
        self.recorded
            .get_or_insert_with(|| RecordedProbes::find(script, rules))
    }
}

/// An answer of the tape as the answer to the request with this id.
fn readdressed(
    matcher: &mut Matcher,
    answer: &[u8],
    (id, known): (&MessageId, &Correspondence),
) -> Vec<u8> {
    let edits = matcher.readdress(answer, id, known);
    let spliced = edits.as_ref().and_then(|edits| edits.apply(answer).ok());
    spliced.map_or_else(|| answer.to_vec(), |spliced| spliced.bytes.into_owned())
}
