//! Replacing secrets by tokens.

use cassette_format::json::Span;

use super::filter::span;
use super::overlaps::{Found, Overlaps};
use super::redaction_token::ANONYMOUS_TOKEN;
use super::whole_escapes::whole_escapes;
use super::{SecretFilter, SecretName, StreamHit, redaction_token};

/// Bytes with tokens in the place of secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The bytes; no secret is found in them.
    pub bytes: Vec<u8>,
    /// How many places were replaced.
    pub count: usize,
    /// The secrets that were in them, in order, each once.
    pub names: Vec<SecretName>,
}

impl SecretFilter {
    /// `bytes` with a token in the place of each secret; `None` if there is
    /// none.
    ///
    /// No byte outside of the places changes, but that an escape of JSON or a
    /// UTF-8 character which a place cuts goes with it: what is valid JSON
    /// stays so if the secrets lie inside of strings.
    #[must_use]
    pub fn replace(&self, bytes: &[u8]) -> Option<Replaced> {
        let found = self.search(bytes);
        if found.is_empty() {
            return None;
        }
        let mut places = self.widened(bytes, found);
        let mut draft = Draft::new(self, bytes, &places);
        // A token and the bytes beside it may happen to make up a secret, if
        // its value looks like a token. Each round takes in such bytes, or
        // joins two places, so the rounds end.
        loop {
            let chance = self.search(&draft.bytes);
            if chance.is_empty() {
                break;
            }
            let grown = chance.as_slice().iter().map(|found| draft.origin(*found));
            let all = places.into_vec().into_iter().chain(grown).collect();
            places = self.widened(bytes, Overlaps::of(all));
            draft = Draft::new(self, bytes, &places);
        }
        let mut names: Vec<SecretName> = Vec::new();
        for place in places.as_slice() {
            let name = self.name(*place)?;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Some(Replaced {
            bytes: draft.bytes,
            count: places.as_slice().len(),
            names,
        })
    }

    /// A chunk of a stream, which begins at `start` of it, without the bytes of
    /// `hits`, and with a token where one ends. `None` if no hit lies in it.
    ///
    /// The hits are those of the stream up to the end of the chunk at least,
    /// in order.
    #[must_use]
    pub fn replace_in_chunk(
        &self,
        start: u64,
        chunk: &[u8],
        hits: &[StreamHit],
    ) -> Option<Vec<u8>> {
        let first = hits.partition_point(|hit| hit.end <= start);
        let end = start + chunk.len() as u64;
        let inside = hits[first..].iter().take_while(|hit| hit.start < end);
        let mut output = Vec::with_capacity(chunk.len());
        let mut written = 0;
        let mut any = false;
        for hit in inside {
            any = true;
            let part = hit.within(start, chunk.len());
            output.extend_from_slice(&chunk[written..part.start]);
            if hit.end <= end {
                output.extend_from_slice(self.token(&hit.name).as_bytes());
            }
            written = part.end;
        }
        output.extend_from_slice(&chunk[written..]);
        any.then_some(output)
    }

    /// The token of `name`, or one that holds no secret itself.
    pub(super) fn token(&self, name: &SecretName) -> String {
        let token = redaction_token(name.as_str());
        if self.search(token.as_bytes()).is_empty() {
            token
        } else {
            ANONYMOUS_TOKEN.to_owned()
        }
    }

    fn name(&self, found: Found) -> Option<&SecretName> {
        self.name_at(found.name)
    }

    /// The places with what they cut.
    fn widened(&self, bytes: &[u8], places: Overlaps) -> Overlaps {
        let widened = places.into_vec().into_iter().map(|found| {
            let whole = whole_escapes(bytes, span(found));
            Found {
                start: whole.start as u64,
                end: whole.end as u64,
                name: found.name,
            }
        });
        Overlaps::of(widened.collect())
    }
}

/// Bytes with tokens in them, and where the tokens came from.
struct Draft {
    bytes: Vec<u8>,
    tokens: Vec<Token>,
}

/// A token in a draft.
struct Token {
    span: Span,
    origin: Span,
}

impl Draft {
    fn new(filter: &SecretFilter, bytes: &[u8], places: &Overlaps) -> Self {
        let mut draft = Self {
            bytes: Vec::with_capacity(bytes.len()),
            tokens: Vec::with_capacity(places.as_slice().len()),
        };
        let mut written = 0;
        for place in places.as_slice() {
            let origin = span(*place);
            draft.bytes.extend_from_slice(&bytes[written..origin.start]);
            let start = draft.bytes.len();
            if let Some(name) = filter.name(*place) {
                draft.bytes.extend_from_slice(filter.token(name).as_bytes());
            }
            let span = Span::new(start, draft.bytes.len());
            draft.tokens.push(Token { span, origin });
            written = origin.end;
        }
        draft.bytes.extend_from_slice(&bytes[written..]);
        draft
    }

    /// What of the original bytes a find in the draft covers, tokens whole.
    fn origin(&self, found: Found) -> Found {
        let place = span(found);
        let first = self
            .tokens
            .partition_point(|token| token.span.end <= place.start);
        let start = match self.tokens.get(first) {
            Some(token) if token.span.start <= place.start => token.origin.start,
            _ => self.copied(first, place.start),
        };
        let after = self
            .tokens
            .partition_point(|token| token.span.start < place.end);
        let end = match after.checked_sub(1).map(|last| &self.tokens[last]) {
            Some(token) if token.span.end >= place.end => token.origin.end,
            _ => self.copied(after, place.end),
        };
        Found {
            start: start as u64,
            end: end as u64,
            name: found.name,
        }
    }

    /// The original offset of a copied byte that stands behind `tokens` tokens.
    fn copied(&self, tokens: usize, offset: usize) -> usize {
        match tokens.checked_sub(1).map(|last| &self.tokens[last]) {
            Some(token) => token.origin.end + (offset - token.span.end),
            None => offset,
        }
    }
}
