//! The probes of a tape and their answers, to be found by what is asked.

use std::collections::HashMap;

use cassette_format::json::{Framer, FramingLimits};
use cassette_format::schema::ChunkKind;

use crate::expected::Expected;
use crate::matching::{Correspondence, Envelope, MatchRules, Matcher, MessageId, Request};
use crate::script::Script;

/// The similarity of what matches.
const MATCHES: u16 = 1000;

/// The requests of one connection that are probes, or are answered at once.
#[derive(Debug, Default)]
pub(crate) struct RecordedProbes {
    /// In the order of their numbers.
    probes: Vec<RecordedProbe>,
    questions: Vec<Question>,
    /// Questions by their text without the id.
    by_text: HashMap<Vec<u8>, usize>,
}

/// A request on the tape that is a probe, or is answered at once.
#[derive(Debug)]
pub(crate) struct RecordedProbe {
    /// Its number among the messages of the host.
    number: u64,
    /// Index of the chunk in which it ends.
    last: usize,
    pub(crate) id: MessageId,
    /// The content of its answer, if there is one.
    pub(crate) answer: Option<Vec<u8>>,
}

/// Probes that are equal but for their ids.
#[derive(Debug)]
struct Question {
    method: String,
    /// The first of them.
    content: Vec<u8>,
    /// Those of them that have an answer, in order.
    answered: Vec<usize>,
}

impl RecordedProbes {
    /// Those of a connection.
    pub(crate) fn find(script: &Script, rules: &MatchRules) -> Self {
        let mut expected = Expected::new(rules.cut(), rules.skips_blanks());
        let mut found = Self::default();
        while let Some(message) = expected.next_message(script) {
            let request = rules.request(&message.content);
            let Some(request) =
                request.filter(|it| it.optional_probe.is_some() || it.startup_metadata.is_some())
            else {
                continue;
            };
            let Some(id) = request.id else {
                continue;
            };
            let probe = RecordedProbe {
                number: message.number,
                last: message.last,
                id,
                answer: None,
            };
            found.add(probe, (request.method, message.content), rules);
        }
        if !found.probes.is_empty() {
            found.find_answers(script, rules);
        }
        let has_answer = |at: &usize| found.probes.get(*at).is_some_and(|it| it.answer.is_some());
        for question in &mut found.questions {
            question.answered.retain(has_answer);
        }
        found
    }

    /// The one that is this message of the host.
    pub(crate) fn with_number(&self, number: u64) -> Option<&RecordedProbe> {
        let at = self.probes.binary_search_by_key(&number, |it| it.number);
        self.probes.get(at.ok()?)
    }

    /// The answer to the same question: of several the nearest before the message with
    /// this number, else the first after it. Of questions that match, the one that is
    /// asked in the same words.
    pub(crate) fn answer_to(
        &self,
        (request, actual): (&Request<'_>, &[u8]),
        number: u64,
        (matcher, known): (&mut Matcher, &Correspondence),
    ) -> Option<&[u8]> {
        let text = matcher.rules().without_id(actual);
        let same = text.and_then(|text| self.by_text.get(&text));
        if let Some(question) = same.and_then(|at| self.questions.get(*at))
            && matcher.judge(&question.content, actual, known).is_ok()
            && let Some(probe) = self.nearest(question, number)
        {
            return probe.answer.as_deref();
        }
        let mut search = matcher.search(actual, known);
        let questions = self.questions.iter();
        let matching = questions
            .filter(|question| question.method == request.method)
            .filter(|question| search.similarity(&question.content) == MATCHES)
            .filter_map(|question| self.nearest(question, number));
        let nearest = matching.min_by_key(|probe| distance(probe, number))?;
        nearest.answer.as_deref()
    }

    /// Of the probes that ask this the nearest.
    fn nearest(&self, question: &Question, number: u64) -> Option<&RecordedProbe> {
        let number_of = |at: &usize| self.probes.get(*at).map(|probe| probe.number);
        let answered = &question.answered;
        let behind = answered.partition_point(|at| number_of(at) < Some(number));
        let (before, after) = answered.split_at(behind);
        self.probes.get(*before.last().or_else(|| after.first())?)
    }

    fn add(
        &mut self,
        probe: RecordedProbe,
        (method, content): (String, Vec<u8>),
        rules: &MatchRules,
    ) {
        let index = self.probes.len();
        self.probes.push(probe);
        let text = rules
            .without_id(&content)
            .unwrap_or_else(|| content.clone());
        let at = *self.by_text.entry(text).or_insert(self.questions.len());
        match self.questions.get_mut(at) {
            Some(question) => question.answered.push(index),
            None => self.questions.push(Question {
                method,
                content,
                answered: vec![index],
            }),
        }
    }

    /// Gives each probe the first answer with its id that comes behind it.
    fn find_answers(&mut self, script: &Script, rules: &MatchRules) {
        let mut framer = Framer::new(rules.cut(), FramingLimits::new(usize::MAX));
        let mut waiting: HashMap<MessageId, Vec<usize>> = HashMap::new();
        let (mut next, mut made) = (0, 0);
        while let Some(index) = script.next_of(&ChunkKind::Stdout, next) {
            next = index + 1;
            let Ok(data) = script.data(index) else {
                return;
            };
            while let Some(probe) = self.probes.get(made).filter(|it| it.last < index) {
                waiting.entry(probe.id.clone()).or_default().push(made);
                made += 1;
            }
            framer.push(&data);
            loop {
                match framer.next_message() {
                    Ok(Some(message)) => {
                        let content = message.judged();
                        let answered = answered(rules, content).and_then(|id| waiting.get_mut(&id));
                        // Of several that wait for it, the one that was made last.
                        let answered = answered.and_then(Vec::pop);
                        if let Some(probe) = answered.and_then(|at| self.probes.get_mut(at)) {
                            probe.answer = Some(content.to_vec());
                        }
                    }
                    Ok(None) => break,
                    Err(_) => framer.fall_back_to_lines(),
                }
            }
        }
    }
}

/// The id of the request that a message answers.
fn answered(rules: &MatchRules, content: &[u8]) -> Option<MessageId> {
    memchr::memmem::find(content, b"id")?;
    match rules.envelope(content) {
        Envelope::Answer { id, .. } => id,
        _ => None,
    }
}

/// How far a probe is from a message: those before it are nearer than those behind it.
const fn distance(probe: &RecordedProbe, number: u64) -> (bool, u64) {
    (probe.number >= number, probe.number.abs_diff(number))
}
