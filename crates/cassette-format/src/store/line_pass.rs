//! One pass over the lines of a tape that comes in pieces.

use std::collections::HashMap;

use super::indexer::{Indexer, LateError};
use super::line_reader::{Line, recorded_line};
use super::open_error::OpenError;

/// The first error of each late check.
#[derive(Default)]
pub(super) struct Late {
    pub(super) sequences: HashMap<usize, OpenError>,
    pub(super) unlisted: Option<OpenError>,
    pub(super) too_large: Option<OpenError>,
    pub(super) elapsed: Option<OpenError>,
}

/// The beginning of a line that goes on in the next piece. What is longer than a
/// line may be is counted and not kept.
struct Begun {
    text: Vec<u8>,
    bytes: usize,
    most: usize,
}

/// Reads and checks every line of `pieces`, which are the whole file, up to the
/// first error that ends a load at once. The last line may lack its line feed.
pub(super) fn index_all<'b>(
    pieces: impl Iterator<Item = &'b [u8]>,
    indexer: &mut Indexer<'_>,
) -> Result<Late, OpenError> {
    let mut late = Late::default();
    let mut begun = Begun::new(indexer.longest_line());
    let mut start = 0;
    for mut rest in pieces {
        if begun.bytes > 0 {
            let feed = memchr::memchr(b'\n', rest);
            let (end, next) = rest.split_at(feed.unwrap_or(rest.len()));
            begun.push(end);
            if feed.is_none() {
                continue;
            }
            start += begun.take(start, indexer, &mut late)? + 1;
            rest = &next[1..];
        }
        while let Some(bytes) = late.take_next(rest, start, indexer)? {
            (start, rest) = (start + bytes, &rest[bytes..]);
        }
        begun.push(rest);
    }
    if begun.bytes > 0 {
        begun.take(start, indexer, &mut late)?;
    }
    Ok(late)
}

impl Late {
    /// Takes the line at the start of `rest`, which starts at `start` of the file; how many
    /// bytes it has, `None` if it has no line feed.
    fn take_next(
        &mut self,
        rest: &[u8],
        start: usize,
        indexer: &mut Indexer<'_>,
    ) -> Result<Option<usize>, OpenError> {
        // By reference: a line is too large to be moved from hand to hand.
        if let Some(line) = &recorded_line(rest) {
            indexer.check_length(line.text.len())?;
            self.take(line, start, indexer)?;
            return Ok(Some(line.text.len() + 1));
        }
        let Some(line) = &indexer.read_any(rest)? else {
            return Ok(None);
        };
        self.take(line, start, indexer)?;
        Ok(Some(line.text.len() + 1))
    }

    /// Takes the line that starts at `start` of the file, and keeps what is wrong
    /// with it if that can wait.
    fn take(
        &mut self,
        line: &Line<'_>,
        start: usize,
        indexer: &mut Indexer<'_>,
    ) -> Result<(), OpenError> {
        match indexer.take(line, start)? {
            None => {}
            Some(LateError::ChunkSequence(connection, error)) => {
                self.sequences.entry(connection).or_insert(error);
            }
            Some(LateError::Unlisted(error)) => _ = self.unlisted.get_or_insert(error),
            Some(LateError::FrameTooLarge(error)) => _ = self.too_large.get_or_insert(error),
            Some(LateError::Elapsed(error)) => _ = self.elapsed.get_or_insert(error),
        }
        Ok(())
    }
}

impl Begun {
    const fn new(most: usize) -> Self {
        Self {
            text: Vec::new(),
            bytes: 0,
            most,
        }
    }

    fn push(&mut self, more: &[u8]) {
        self.bytes += more.len();
        if self.bytes <= self.most {
            self.text.extend_from_slice(more);
        }
    }

    /// Takes the line, which is whole now; how many bytes it has.
    fn take(
        &mut self,
        start: usize,
        indexer: &mut Indexer<'_>,
        late: &mut Late,
    ) -> Result<usize, OpenError> {
        indexer.check_length(self.bytes)?;
        self.text.push(b'\n');
        if let Some(line) = indexer.read(&self.text)? {
            late.take(&line, start, indexer)?;
        }
        self.text.clear();
        Ok(std::mem::take(&mut self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::read_options::ReadLimits;
    use super::*;
    use crate::schema::{
        AgentSessionId, CaptureOrigin, ConnectionId, ConnectionRecord, CwdToken, LaunchOrdinal,
        Manifest, ProviderId, TapeLimits,
    };

    const TEXT: &[u8] = b"{\"connectionId\":\"connection-1\",\"chunkSeq\":1,\"globalSeq\":1,\
        \"elapsedMs\":0,\"kind\":\"stdout\",\"data\":\"QUJDRA==\"}\n\
        { \"connectionId\": \"connection-1\", \"chunkSeq\": 2, \"globalSeq\": 2, \"kind\": \"stderr\" }\r\n\
        {\"connectionId\":\"connection-1\",\"chunkSeq\":3,\"globalSeq\":3,\
        \"elapsedMs\":0,\"kind\":\"exit\",\"exitCode\":-1}";

    fn manifest() -> Manifest {
        let session = AgentSessionId::from_recorded("session-1");
        let mut manifest = Manifest::incomplete(TapeLimits::default());
        manifest.connections.push(ConnectionRecord {
            connection_id: ConnectionId::numbered(1),
            provider: ProviderId::from_recorded("codex"),
            cwd_token: CwdToken::new(&session, LaunchOrdinal::FIRST),
            root_agent_session: session.clone(),
            agent_session: session,
            launch_ordinal: LaunchOrdinal::FIRST,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        });
        manifest
    }

    /// The lines that are found in pieces of so many bytes, or the error.
    fn lines_in(text: &[u8], piece: usize, limits: &ReadLimits) -> Result<Vec<Vec<u8>>, String> {
        let manifest = manifest();
        let mut indexer = Indexer::new(Path::new("frames"), limits, &manifest, text.len());
        index_all(text.chunks(piece), &mut indexer).map_err(|error| error.to_string())?;
        let (index, _) = indexer.finish(text.to_vec());
        Ok(index.chunks().map(|chunk| chunk.line().to_vec()).collect())
    }

    #[test]
    fn lines_are_found_wherever_the_pieces_end() {
        let limits = ReadLimits::default();
        let expected: Vec<&[u8]> = TEXT.split(|byte| *byte == b'\n').collect();
        for piece in 1..=TEXT.len() {
            assert_eq!(lines_in(TEXT, piece, &limits).unwrap(), expected, "{piece}");
            let whole = [TEXT, b"\n"].concat();
            assert_eq!(lines_in(&whole, piece, &limits).unwrap(), expected);
        }
    }

    #[test]
    fn errors_are_the_same_wherever_the_pieces_end() {
        let long = TEXT.split(|byte| *byte == b'\n').map(<[u8]>::len).max();
        let limits = ReadLimits {
            max_line_bytes: long.unwrap() as u64,
            ..ReadLimits::default()
        };
        let splice = [TEXT, b"}\n{\n"].concat();
        for (text, limits) in [
            (TEXT, &limits),
            (&splice, &ReadLimits::default()),
            (b"\n", &ReadLimits::default()),
            (&TEXT[10..], &ReadLimits::default()),
        ] {
            let expected = lines_in(text, text.len(), limits).unwrap_err();
            for piece in 1..text.len() {
                let found = lines_in(text, piece, limits).unwrap_err();
                assert_eq!(found, expected, "{piece}");
            }
        }
    }

    #[test]
    fn of_a_line_that_is_too_long_only_so_much_is_held_as_a_line_may_have() {
        let mut begun = Begun::new(100);
        (0..50).for_each(|_| begun.push(&[b'x'; 10]));
        assert_eq!((begun.bytes, begun.text.len()), (500, 100));
    }
}
