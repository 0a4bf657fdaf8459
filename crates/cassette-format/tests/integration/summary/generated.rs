//! Any tape: sums are those of the manifest, messages those that were said, however
//! they are cut.

use std::collections::BTreeMap;

use cassette_format::schema::{ChunkKind, ElapsedMs, KindStats};
use cassette_format::store::{RawTape, ReadOptions};
use cassette_format::summary::{DirectionSummary, Summary};
use proptest::prelude::*;
use proptest::sample::Index;

use super::script::{Script, registry};
use crate::random_tapes::tape;

/// One step of a conversation.
#[derive(Debug, Clone)]
struct Step {
    speaker: usize,
    says: Says,
    method: usize,
    /// Milliseconds after the step before.
    later: u64,
    /// Where what is said is cut.
    cuts: Vec<Index>,
}

#[derive(Debug, Clone)]
enum Says {
    Request,
    Notification,
    /// An answer to one of the requests that wait, with this member.
    Answer(Index, &'static str),
    /// A request and a notification.
    Batch,
    Noise(&'static str),
}

/// What should be counted of a method: messages, answered requests, sum of times.
type Expected = BTreeMap<(&'static str, Option<String>), (u64, u64, u64)>;

/// A conversation of one connection, and what was said in it.
#[derive(Debug, Default)]
struct Model {
    /// Speaker, time and text of each step.
    said: Vec<(usize, u64, String)>,
    expected: [Expected; 2],
    not_json: [u64; 2],
    unnamed: [u64; 2],
    /// Id, method and time of the requests of each side that wait.
    waiting: [Vec<(usize, String, u64)>; 2],
    ids: usize,
}

fn step() -> impl Strategy<Value = Step> {
    let answer = (any::<Index>(), prop_oneof![Just("result"), Just("error")]);
    let noise = prop_oneof![
        Just("{"),
        Just("starting"),
        Just(""),
        Just("{}"),
        Just("7"),
        Just("\"é\u{1f600}\""),
    ];
    let says = prop_oneof![
        4 => Just(Says::Request),
        2 => Just(Says::Notification),
        4 => answer.prop_map(|(which, member)| Says::Answer(which, member)),
        1 => Just(Says::Batch),
        1 => noise.prop_map(Says::Noise),
    ];
    let cuts = proptest::collection::vec(any::<Index>(), 0..4);
    (0..2_usize, says, 0..3_usize, 0..50_u64, cuts).prop_map(
        |(speaker, says, method, later, cuts)| Step {
            speaker,
            says,
            method,
            later,
            cuts,
        },
    )
}

impl Model {
    fn of(steps: &[Step]) -> Self {
        let mut model = Self::default();
        let mut now = 0;
        for step in steps {
            now += step.later;
            let text = model.say(step, now);
            model.said.push((step.speaker, now, text));
        }
        model
    }

    fn say(&mut self, step: &Step, now: u64) -> String {
        let speaker = step.speaker;
        let method = format!("method/{}", step.method);
        match &step.says {
            Says::Request => self.request(speaker, method, now),
            Says::Notification => self.notification(speaker, &method),
            Says::Batch => {
                let request = self.request(speaker, method.clone(), now);
                format!("[{request}, {}]", self.notification(speaker, &method))
            }
            Says::Answer(which, member) => self.answer(speaker, (which, member), now),
            Says::Noise(noise) => {
                let is_json = serde_json::from_str::<serde_json::Value>(noise).is_ok();
                self.unnamed[speaker] += u64::from(is_json);
                self.not_json[speaker] += u64::from(!is_json);
                (*noise).to_owned()
            }
        }
    }

    fn request(&mut self, speaker: usize, method: String, now: u64) -> String {
        self.ids += 1;
        let id = self.ids;
        self.count(speaker, "request", Some(&method)).0 += 1;
        let text = format!("{{\"id\":{id},\"method\":\"{method}\"}}");
        self.waiting[speaker].push((id, method, now));
        text
    }

    fn notification(&mut self, speaker: usize, method: &str) -> String {
        self.count(speaker, "notification", Some(method)).0 += 1;
        format!("{{\"method\":\"{method}\"}}")
    }

    fn answer(
        &mut self,
        speaker: usize,
        (which, member): (&Index, &'static str),
        now: u64,
    ) -> String {
        let asker = 1 - speaker;
        if self.waiting[asker].is_empty() {
            self.count(speaker, member, None).0 += 1;
            return format!("{{\"id\":\"nobody's\",\"{member}\":{{}}}}");
        }
        let which = which.index(self.waiting[asker].len());
        let (id, method, asked) = self.waiting[asker].remove(which);
        self.count(speaker, member, Some(&method)).0 += 1;
        let request = self.count(asker, "request", Some(&method));
        request.1 += 1;
        request.2 += now - asked;
        format!("{{\"id\":{id},\"{member}\":{{}}}}")
    }

    fn count(&mut self, of: usize, kind: &'static str, name: Option<&str>) -> &mut (u64, u64, u64) {
        let key = (kind, name.map(str::to_owned));
        self.expected[of].entry(key).or_default()
    }

    /// The tape, each message cut into pieces, or not.
    fn script(&self, provider: &'static str, cuts: &[&[Index]]) -> Script {
        let mut script = Script::of(&[provider]);
        for ((speaker, now, text), cuts) in self.said.iter().zip(cuts) {
            let framed = match provider {
                "lsp" => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
                _ => format!("{text}\n"),
            };
            let kind = [ChunkKind::Outbound, ChunkKind::Stdout][*speaker].clone();
            let mut ends: Vec<usize> = cuts.iter().map(|it| it.index(framed.len())).collect();
            ends.push(framed.len());
            ends.sort_unstable();
            let mut start = 0;
            for end in ends {
                let piece = &framed.as_bytes()[start..end];
                script = script.at(*now).chunk(1, kind.clone(), piece);
                start = end;
            }
        }
        script
    }
}

/// What was counted, in the form of the model.
fn counted(direction: &DirectionSummary) -> Expected {
    let methods = direction.methods.iter().map(|it| {
        let answers = it.answers.unwrap_or_default();
        let counts = (it.count, answers.count, answers.total_ms);
        ((it.kind.as_str(), it.name.clone()), counts)
    });
    methods.collect()
}

fn added<'k>(stats: impl IntoIterator<Item = &'k KindStats>) -> KindStats {
    let mut sum = KindStats::default();
    for stats in stats {
        sum.frame_count += stats.frame_count;
        sum.payload_bytes += stats.payload_bytes;
        sum.stored_bytes += stats.stored_bytes;
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn sums_of_any_tape_are_those_of_its_manifest(draft in tape(0, 0, 40)) {
        let disk = draft.on_disk();
        let tape = disk.open().unwrap();
        let mut registry = registry();
        // The random tapes are of these two.
        for (id, like) in [("codex", "rpc"), ("claude-code", "envelope")] {
            let mut descriptor = registry.by_provider(&like.parse().unwrap()).unwrap().clone();
            (descriptor.id, descriptor.target) = (id.parse().unwrap(), id.parse().unwrap());
            registry.register(descriptor).unwrap();
        }
        let summary = Summary::of(&tape, &registry);
        let manifest = tape.manifest();

        prop_assert_eq!(summary.total.frame_count, manifest.frame_count);
        prop_assert_eq!(summary.total.payload_bytes, manifest.payload_bytes);
        let lacks_line_feed = !draft.ends_with_line_feed && !tape.is_empty();
        prop_assert_eq!(summary.total.stored_bytes, manifest.stored_bytes + u64::from(lacks_line_feed));
        prop_assert_eq!(&summary.frames_by_kind, &manifest.frames_by_kind);
        prop_assert_eq!(added(summary.frames_by_kind.values()), summary.total);
        prop_assert_eq!(added(summary.connections.iter().map(|it| &it.total)), summary.total);
        for connection in &summary.connections {
            prop_assert_eq!(added(connection.frames_by_kind.values()), connection.total);
            prop_assert!(connection.messages.is_some());
        }
        let last = tape.chunks().last().map_or(ElapsedMs::default(), |chunk| chunk.elapsed());
        prop_assert_eq!(summary.duration, last);

        let raw = RawTape::open(disk.dir(), &ReadOptions::default()).unwrap();
        prop_assert_eq!(&Summary::of_raw(&raw, &registry), &summary);
        if !lacks_line_feed {
            prop_assert_eq!(&Summary::of_prefix(&disk.prefix(), &registry), &summary);
        }
        prop_assert!(serde_json::to_string(&summary).is_ok());
    }

    #[test]
    fn messages_are_counted_as_they_were_said_however_they_are_cut(steps in proptest::collection::vec(step(), 0..40)) {
        let model = Model::of(&steps);
        let cuts: Vec<&[Index]> = steps.iter().map(|step| &step.cuts[..]).collect();
        let uncut = vec![&[][..]; steps.len()];
        for provider in ["rpc", "lsp"] {
            let messages = model.script(provider, &uncut).messages();
            for (of, direction) in [&messages.outbound, &messages.inbound].into_iter().enumerate() {
                prop_assert_eq!(&counted(direction), &model.expected[of]);
                prop_assert_eq!(direction.not_json, model.not_json[of]);
                prop_assert_eq!(direction.unnamed, model.unnamed[of]);
                let said = model.said.iter().filter(|(speaker, ..)| *speaker == of);
                prop_assert_eq!(direction.messages, said.count() as u64);
                prop_assert_eq!(direction.unfinished_bytes, 0);
            }
            let script = model.script(provider, &cuts);
            prop_assert_eq!(&script.messages(), &messages);
            prop_assert_eq!(&script.summary().messages, &messages);
        }
    }
}
