//! Where the host's turns end.

use cassette_format::schema::ChunkKind;

use crate::script::Script;

/// The first and the last chunk of the turn that was asked for last: each of its messages asks.
#[derive(Debug, Default)]
pub(super) struct Turns(Option<(usize, usize)>);

impl Turns {
    /// The last of the host's chunks that stand together from this one on.
    pub(super) fn end_of(&mut self, script: &Script, first: usize) -> usize {
        if let Some((start, end)) = self.0
            && (start..=end).contains(&first)
        {
            return end;
        }
        let mut last = first;
        while script.is(last + 1, &ChunkKind::Outbound) {
            last += 1;
        }
        self.0 = Some((first, last));
        last
    }
}
