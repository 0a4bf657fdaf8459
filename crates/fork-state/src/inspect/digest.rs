//! SHA-256 of a content and of its beginning.

use std::fmt;

use sha2::{Digest, Sha256};

/// SHA-256 of the content of a transcript; shown in lower-case hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TranscriptDigest([u8; 32]);

impl TranscriptDigest {
    /// The digest of these bytes.
    #[cfg(test)]
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for TranscriptDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TranscriptDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TranscriptDigest({self})")
    }
}

/// Hashes a content and, on the way, its beginning.
#[derive(Debug, Clone)]
pub(super) struct Digests {
    whole: Sha256,
    size: u64,
    /// Lengths of beginnings that are still to come, the longest first.
    lengths: Vec<u64>,
    beginnings: Vec<(u64, TranscriptDigest)>,
}

impl Digests {
    /// Also of beginnings of these lengths.
    pub(super) fn new(mut lengths: Vec<u64>) -> Self {
        lengths.sort_unstable();
        lengths.dedup();
        lengths.reverse();
        let mut digests = Self {
            whole: Sha256::new(),
            size: 0,
            lengths,
            beginnings: Vec::new(),
        };
        digests.take_beginning();
        digests
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(length) = self.lengths.last() {
            let missing = usize::try_from(length - self.size).unwrap_or(usize::MAX);
            let Some((before, behind)) = rest.split_at_checked(missing) else {
                break;
            };
            self.take(before);
            self.take_beginning();
            rest = behind;
        }
        self.take(rest);
    }

    /// How many bytes there were.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// The digest of all of it, and of those beginnings that it has.
    pub(super) fn finish(self) -> (TranscriptDigest, Vec<(u64, TranscriptDigest)>) {
        let whole = TranscriptDigest(self.whole.finalize().into());
        (whole, self.beginnings)
    }

    fn take(&mut self, bytes: &[u8]) {
        self.whole.update(bytes);
        self.size += bytes.len() as u64;
    }

    fn take_beginning(&mut self) {
        if self.lengths.last() == Some(&self.size) {
            self.lengths.pop();
            let digest = TranscriptDigest(self.whole.clone().finalize().into());
            self.beginnings.push((self.size, digest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(bytes: &[u8]) -> TranscriptDigest {
        TranscriptDigest(Sha256::digest(bytes).into())
    }

    #[test]
    fn digests_do_not_depend_on_the_cut() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        for size in [1, 3, 100, 256] {
            let mut digests = Digests::new(vec![100, 0, 257, 1, 256, 100, 101]);
            for part in bytes.chunks(size) {
                digests.push(part);
            }
            let expected = [0, 1, 100, 101, 256].map(|length| {
                let beginning = &bytes[..usize::try_from(length).unwrap()];
                (length, digest(beginning))
            });
            assert_eq!(digests.size(), 256);
            assert_eq!(
                digests.finish(),
                (digest(&bytes), expected.to_vec()),
                "{size}"
            );
        }
    }

    #[test]
    fn digests_are_shown_in_hexadecimal() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(b"").to_string(), empty);
        assert_eq!(
            format!("{:?}", digest(b"")),
            format!("TranscriptDigest({empty})")
        );
    }
}
