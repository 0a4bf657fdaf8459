//! The agent's side: what it says next, and what it waits for.

use cassette_format::json::{Framing, Message};
use cassette_format::process::{Frame, Stamp, frame_from_chunk};
use cassette_format::schema::{Chunk, ChunkKind, ChunkSeq};
use cassette_format::store::UndecodableData;
use tokio::time::Instant;

use super::{Conversation, Moment, Outbound, Prepared, Reply};
use crate::PlayError;
use crate::clock::Due;
use crate::inbound::Change;
use crate::probes::Grace;
use crate::report::described;
use crate::script::Script;

impl Conversation {
    pub(super) fn receive(&mut self, moment: &Moment) -> Reply {
        if self.closed.is_some() {
            return self.last.take().map_or(Reply::End, Reply::Frame);
        }
        // Never inside of a message of the agent.
        let is_between = !self.is_behind_half_message();
        if let Some(answer) = is_between.then(|| self.probes.next_answer()).flatten() {
            let stamp = self.stamp(ChunkSeq::new(0), true);
            let mut frame = Frame::stdout(self.on_its_own_line(answer));
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

    /// An answer, behind the end of a last line that the agent has left open.
    fn on_its_own_line(&mut self, mut answer: Vec<u8>) -> Vec<u8> {
        let is_line = self.matcher.rules().cut() == Framing::Lines;
        if is_line && self.stdout.is_within_line() {
            answer.insert(0, b'\n');
        }
        self.stdout.deliver(&answer);
        answer
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

    /// Plays the agent's exit if nothing else is left: agents end because their hosts
    /// close, so a host that closes need not have received it before.
    pub(super) fn end_by_close(&mut self) {
        let is_last = self.cursor + 1 == self.script.len() && self.script.ends_with_exit();
        if !is_last || self.failure.is_some() || self.is_within_expected() {
            return;
        }
        // An exit that cannot be played has failed the connection.
        if let Ok(Some(last)) = self.frame() {
            self.cursor += 1;
            self.last = Some(Box::new(last));
        }
    }

    /// The host has to send something first: until when that is waited for; `None` if it
    /// was left out.
    fn wait_for_host(&mut self, moment: &Moment) -> Result<Option<Option<Instant>>, PlayError> {
        let (has_ended, is_settled) = match &self.outbound {
            Outbound::Messages(exchange) => {
                let input = &exchange.input;
                let is_settled = !input.waits() && !input.is_within_message();
                (input.has_ended(), is_settled)
            }
            Outbound::Raw(input) => (input.has_ended(), true),
        };
        // What the host sends first tells which connection it means.
        if is_settled && self.tentative.is_none() && self.is_probe_next() {
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
                expected: self.described_next(),
                next: self.script.global_seq(self.cursor),
            };
            return Err(self.fail(error));
        }
        Ok(Some(None))
    }

    /// What the host has to send next.
    fn described_next(&self) -> String {
        match &self.outbound {
            Outbound::Messages(exchange) => {
                let due = exchange.due(self.cursor);
                due.map(|message| described(self.matcher.rules(), &message.content))
            }
            Outbound::Raw(_) => {
                let chunk = self.script.chunk(self.cursor);
                chunk.map(|chunk| format!("{} bytes", chunk.payload_bytes()))
            }
        }
        .unwrap_or_else(|| "more".to_owned())
    }

    fn is_probe_next(&self) -> bool {
        let Outbound::Messages(exchange) = &self.outbound else {
            return false;
        };
        let expected = &exchange.expected;
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
        if kind == ChunkKind::Stdout {
            self.stdout.deliver(&data);
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

    /// Whether nothing of the chunk that comes next is left, since it answered requests
    /// that were left out: a host that sends what comes behind it does not wait for it.
    pub(super) fn is_left_out(&mut self) -> bool {
        let may_be = self.probes.leaves_anything_out() || self.stdout.has_edits();
        if !may_be || !self.script.is(self.cursor, &ChunkKind::Stdout) {
            return false;
        }
        if self.prepared.is_none() {
            let is_behind_half_message = self.stdout.is_within_message();
            // One that cannot be read fails when it is received.
            let Ok(data) = self.data() else {
                return false;
            };
            self.prepared = Some(Prepared {
                data,
                is_behind_half_message,
            });
        }
        let is_empty = self.prepared.as_ref().is_some_and(|it| it.data.is_empty());
        let chunk = self.script.chunk(self.cursor);
        is_empty && chunk.is_some_and(|chunk| chunk.message().is_empty())
    }

    /// Whether what was delivered last is the beginning of a message.
    fn is_behind_half_message(&self) -> bool {
        let prepared = self.prepared.as_ref();
        prepared.map_or_else(
            || self.stdout.is_within_message(),
            |prepared| prepared.is_behind_half_message,
        )
    }

    /// The data of the chunk that comes next, as it is on this side.
    fn data(&mut self) -> Result<Vec<u8>, UndecodableData> {
        if let Some(prepared) = self.prepared.take() {
            return Ok(prepared.data);
        }
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
        let kind = script.chunk(*cursor).map(|chunk| chunk.kind());
        // What the agent logs is no answer.
        let may_answer = kind == Some(ChunkKind::Stdout);
        let stream = match kind {
            Some(ChunkKind::Stdout) if matcher.rules().has_messages() => stdout,
            Some(ChunkKind::Stderr) if matcher.rules().has_messages() => stderr,
            _ => return script.data(*cursor),
        };
        let rules = matcher.shared_rules();
        stream.chunk(script, *cursor, |message: &Message<'_>| {
            let content = message.judged();
            if may_answer && probes.leaves_out(|| rules.envelope(content)) {
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
}
