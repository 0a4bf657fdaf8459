//! Requests that a client may make at any time, or not at all.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use cassette_format::json::{Framer, FramingLimits};
use cassette_format::schema::ChunkKind;
use tokio::time::Instant;

use crate::expected::Expected;
use crate::matching::{Correspondence, Envelope, MatchRules, Matcher, MessageId, Request};
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
    recorded: Option<Vec<RecordedProbe>>,
}

/// A request on the tape that is a probe, or is answered at once.
#[derive(Debug)]
struct RecordedProbe {
    /// Its number among the messages of the host.
    number: u64,
    method: String,
    id: MessageId,
    content: Vec<u8>,
    /// The content of its answer, if there is one.
    answer: Option<Vec<u8>>,
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
        let alike = |probe: &&RecordedProbe| probe.method == request.method;
        // The nearest before this moment, else the first after it.
        let before = recorded.iter().rev().filter(|probe| probe.number < at);
        let after = recorded.iter().filter(|probe| probe.number >= at);
        let same = before
            .chain(after)
            .filter(alike)
            .filter(|probe| probe.answer.is_some())
            .find(|probe| matcher.judge(&probe.content, actual, known).is_ok());
        let own = same.and_then(|probe| {
            let answer = probe.answer.as_deref()?;
            Some(readdressed(matcher, answer, (id, known)))
        });
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
        let recorded = self.recorded(script, &rules).iter();
        let recorded = recorded
            .filter(|probe| probe.number == number)
            .find_map(|probe| Some((probe.id.clone(), probe.answer.clone()?)));
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
    fn recorded(&mut self, script: &Script, rules: &MatchRules) -> &[RecordedProbe] {
        self.recorded.get_or_insert_with(|| find_all(script, rules))
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

fn find_all(script: &Script, rules: &MatchRules) -> Vec<RecordedProbe> {
    let mut expected = Expected::new(rules.cut(), rules.skips_blanks());
    let mut probes = Vec::new();
    while let Some(message) = expected.next_message(script) {
        let request = rules.request(&message.content);
        let Some(request) =
            request.filter(|it| it.optional_probe.is_some() || it.startup_metadata.is_some())
        else {
            continue;
        };
        if let Some(id) = request.id {
            probes.push((
                message.last,
                RecordedProbe {
                    number: message.number,
                    method: request.method,
                    id,
                    content: message.content,
                    answer: None,
                },
            ));
        }
    }
    if !probes.is_empty() {
        find_answers(script, rules, &mut probes);
    }
    probes.into_iter().map(|(_, probe)| probe).collect()
}

/// Gives each probe the first answer with its id that comes behind it.
fn find_answers(script: &Script, rules: &MatchRules, probes: &mut [(usize, RecordedProbe)]) {
    let mut framer = Framer::new(rules.cut(), FramingLimits::new(usize::MAX));
    let mut next = 0;
    while let Some(index) = script.next_of(&ChunkKind::Stdout, next) {
        next = index + 1;
        let Ok(data) = script.data(index) else {
            return;
        };
        framer.push(&data);
        loop {
            match framer.next_message() {
                Ok(Some(message)) => {
                    let content = message.judged();
                    give_answer(rules, probes, (index, content));
                }
                Ok(None) => break,
                Err(_) => framer.fall_back_to_lines(),
            }
        }
    }
}

fn give_answer(
    rules: &MatchRules,
    probes: &mut [(usize, RecordedProbe)],
    (index, content): (usize, &[u8]),
) {
    if memchr::memmem::find(content, b"id").is_none() {
        return;
    }
    let Envelope::Answer { id: Some(id), .. } = rules.envelope(content) else {
        return;
    };
    // Of several that wait for it, the one that was made last.
    let mut waiting = probes
        .iter_mut()
        .rev()
        .filter(|(last, probe)| *last < index && probe.answer.is_none());
    if let Some((_, probe)) = waiting.find(|(_, probe)| probe.id == id) {
        probe.answer = Some(content.to_vec());
    }
}
