//! Finding secrets in a byte stream, however it is cut into chunks.

use std::fmt;
use std::sync::Arc;

use super::matcher::{Cursor, Matcher};
use super::overlaps::{Found, Overlaps};
use super::{SecretFilter, StreamHit};

/// Finds secrets in a stream of bytes.
///
/// It keeps none of the bytes: whoever pushes chunks keeps them until
/// [`Settled::until`] has passed their end, which it does with the next bytes
/// that rule out that a secret has begun. [`SecretFilter::replace_in_chunk`]
/// then takes the hits out of each chunk.
///
/// At most three times the longest form of a secret stays unsettled. Linear in
/// the bytes, one byte a push too.
///
/// ```
/// use cassette_record::{SecretFilter, SecretStream, Secrets};
///
/// let mut secrets = Secrets::new();
/// secrets.add("API_KEY", "s3cret-value")?;
/// let filter = SecretFilter::new(&secrets)?;
/// let mut stream = SecretStream::new(&filter);
///
/// let settled = stream.push(b"key: s3cr");
/// assert_eq!((settled.until, settled.hits.len()), (5, 0));
/// let settled = stream.push(b"et-value.");
/// assert_eq!((settled.until, settled.hits.len()), (18, 1));
/// let hits = settled.hits;
/// assert_eq!(filter.replace_in_chunk(0, b"key: s3cr", &hits).unwrap(), b"key: ");
/// assert_eq!(
///     filter.replace_in_chunk(9, b"et-value.", &hits).unwrap(),
///     b"${REDACTED:API_KEY}."
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SecretStream {
    search: Option<Search>,
    /// Bytes pushed so far.
    pushed: u64,
}

/// What is certain of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Offset in the stream before which everything is certain: a byte there
    /// lies in a hit that was given, or in none.
    pub until: u64,
    /// The hits that became certain, in order; none ends behind `until`.
    pub hits: Vec<StreamHit>,
}

/// Where a stream with something to look for has come to.
struct Search {
    matcher: Arc<Matcher>,
    cursor: Cursor,
    /// Hits that later bytes may still join with others.
    open: Overlaps,
}

impl SecretStream {
    /// A stream before its first byte.
    #[must_use]
    pub fn new(filter: &SecretFilter) -> Self {
        let search = filter.matcher().map(|matcher| Search {
            matcher: Arc::clone(matcher),
            cursor: matcher.start(),
            open: Overlaps::default(),
        });
        Self { search, pushed: 0 }
    }

    /// Goes on with `bytes`, and says what is certain now.
    pub fn push(&mut self, bytes: &[u8]) -> Settled {
        let before = self.pushed;
        self.pushed += bytes.len() as u64;
        match &mut self.search {
            Some(search) => search.push(before, bytes),
            None => self.settle_all(),
        }
    }

    /// Ends the stream: everything is certain.
    #[must_use]
    pub fn finish(mut self) -> Settled {
        self.settle_all()
    }

    fn settle_all(&mut self) -> Settled {
        let until = self.pushed;
        let hits = match &mut self.search {
            Some(search) => search.take_until(until),
            None => Vec::new(),
        };
        Settled { until, hits }
    }
}

impl Search {
    fn push(&mut self, before: u64, bytes: &[u8]) -> Settled {
        let Self {
            matcher,
            cursor,
            open,
        } = self;
        *cursor = matcher.advance(*cursor, bytes, |end, needle| {
            let end = before + end as u64;
            let start = end - needle.length as u64;
            open.add(Found {
                start,
                end,
                name: needle.name,
            });
        });
        // No hit that is still to come begins before this.
        let end = before + bytes.len() as u64;
        let reached = end - self.matcher.depth(self.cursor) as u64;
        let mut hits = self.take_until(reached);
        let until = match self.open.as_slice().first() {
            Some(open) if open.start < reached => self.cut(*open, reached, &mut hits),
            _ => reached,
        };
        Settled { until, hits }
    }

    /// Where everything is certain up to, if a hit is open that began before
    /// `reached`. One that became too long is given up to there, and its rest
    /// is a hit of its own: a stream of one letter must not be held for ever.
    fn cut(&mut self, open: Found, reached: u64, hits: &mut Vec<StreamHit>) -> u64 {
        if reached - open.start < 2 * self.matcher.longest() as u64 {
            return open.start;
        }
        if let Some(rest) = self.open.first_mut() {
            rest.start = reached;
        }
        hits.push(self.hit(Found {
            end: reached,
            ..open
        }));
        reached
    }

    fn take_until(&mut self, end: u64) -> Vec<StreamHit> {
        let taken = self.open.take_until(end);
        taken.into_iter().map(|found| self.hit(found)).collect()
    }

    fn hit(&self, found: Found) -> StreamHit {
        StreamHit {
            name: self.matcher.name(found.name).clone(),
            start: found.start,
            end: found.end,
        }
    }
}

impl fmt::Debug for SecretStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretStream")
            .field("pushed", &self.pushed)
            .finish_non_exhaustive()
    }
}
