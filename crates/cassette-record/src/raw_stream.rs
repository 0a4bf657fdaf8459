//! A stream without messages: its bytes stay as they are, but for secrets, which may
//! lie over any number of chunks.

use std::collections::VecDeque;
use std::sync::Arc;

use cassette_format::schema::GlobalSeq;

use crate::desk::Desk;
use crate::inspector::Refusal;
use crate::secrets::{SecretFilter, SecretStream, Settled, StreamHit};
use crate::stream::Taken;

#[derive(Debug, Default)]
pub(crate) struct RawStream {
    /// Made with the first chunk, and anew when there is more to look for and nothing is
    /// open.
    search: Option<(Arc<SecretFilter>, SecretStream)>,
    /// Bytes of the chunks before the one at hand.
    taken: u64,
    /// Chunks of the backlog that may yet turn out to hold a secret's beginning.
    open: VecDeque<Piece>,
    /// Hits that reach into an open chunk or behind it.
    hits: Vec<StreamHit>,
}

/// Where the data of a chunk is in the stream.
#[derive(Debug, Clone, Copy)]
struct Piece {
    number: GlobalSeq,
    start: u64,
    end: u64,
}

impl RawStream {
    pub(crate) fn take(
        &mut self,
        desk: &mut Desk<'_>,
        (number, data): (GlobalSeq, Vec<u8>),
    ) -> Taken {
        let filter = desk.secrets.filter();
        let outdated = |(known, _): &mut (Arc<SecretFilter>, _)| !Arc::ptr_eq(known, filter);
        if self.open.is_empty() && self.search.as_mut().is_some_and(outdated) {
            *self = Self::default();
        }
        let (_, search) = self
            .search
            .get_or_insert_with(|| (Arc::clone(filter), SecretStream::new(filter)));
        let settled = search.push(&data);
        let piece = Piece {
            number,
            start: self.taken,
            end: self.taken + data.len() as u64,
        };
        let until = settled.until;
        if let Err(refusal) = self.settle(desk, settled) {
            return Taken::until(Vec::new(), refusal);
        }
        self.taken = piece.end;
        if piece.end > until {
            self.open.push_back(piece);
            return Taken {
                data,
                settled: 0,
                refusal: None,
            };
        }
        let changed = desk
            .secrets
            .filter()
            .replace_in_chunk(piece.start, &data, &self.hits);
        Taken::settled(changed.unwrap_or(data))
    }

    /// Says that the stream ends here, or begins anew.
    pub(crate) fn end(&mut self, desk: &mut Desk<'_>) -> Result<(), Refusal> {
        if let Some((_, search)) = self.search.take() {
            self.settle(desk, search.finish())?;
        }
        *self = Self::default();
        Ok(())
    }

    /// Settles the open chunks of which everything is certain.
    fn settle(&mut self, desk: &mut Desk<'_>, settled: Settled) -> Result<(), Refusal> {
        if let Err(refusal) = desk.secrets.note(&settled.hits) {
            self.withdraw(desk, &settled.hits);
            return Err(refusal);
        }
        self.hits.extend(settled.hits);
        while let Some(piece) = self.open.pop_front_if(|piece| piece.end <= settled.until) {
            let data = desk.backlog.data(piece.number);
            let filter = desk.secrets.filter();
            let changed = filter.replace_in_chunk(piece.start, data, &self.hits);
            desk.backlog.settle(piece.number, changed.as_deref());
        }
        let needed = self.open.front().map_or(self.taken, |piece| piece.start);
        self.hits.retain(|hit| hit.end > needed);
        Ok(())
    }

    /// Takes refused secrets out of the open chunks that they began in, with what came
    /// behind; none waits any longer.
    fn withdraw(&mut self, desk: &mut Desk<'_>, refused: &[StreamHit]) {
        let first = refused.iter().map(|hit| hit.start).min();
        for piece in self.open.drain(..) {
            let clean = first.is_none_or(|first| piece.end <= first);
            let instead = if clean { None } else { Some(&b""[..]) };
            desk.backlog.settle(piece.number, instead);
        }
    }
}
