//! Finding secrets in whole messages.

use std::fmt;
use std::sync::Arc;

use cassette_format::json::Span;

use super::matcher::Matcher;
use super::overlaps::{Found, Overlaps};
use super::{Hit, SecretName, Secrets};

/// Finds the values of secrets in bytes. Cheap to clone; `Debug` shows names
/// only.
///
/// Linear in the bytes; where there is no secret most bytes are passed over
/// unread.
///
/// ```
/// use cassette_record::{SecretFilter, Secrets};
///
/// let mut secrets = Secrets::new();
/// secrets.add("API_KEY", "s3cret-value")?;
/// let filter = SecretFilter::new(&secrets)?;
///
/// let message = br#"{"header":"Bearer s3cret-value"}"#;
/// let hits: Vec<_> = filter.find(message).collect();
/// assert_eq!(hits[0].name.as_str(), "API_KEY");
/// assert_eq!(hits[0].span.text(message), b"s3cret-value");
///
/// let replaced = filter.replace(message).unwrap();
/// assert_eq!(replaced.bytes, br#"{"header":"Bearer ${REDACTED:API_KEY}"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is found
///
/// Each value, and of a value of several lines each line of at least 16 bytes
/// (the boundary lines of PEM excepted), in each of these forms:
///
/// - as it is;
/// - as the text of a JSON string, written by escapers that escape only what
///   they must (serde_json, JavaScript), all but printable ASCII (Python), `/`
///   (PHP), `<`, `>`, `&` (Go) and `=`, `'` (Gson), `"`, `'`, `+`, `` ` ``
///   (.NET), or everything but letters and digits; with hexadecimal digits in
///   lower or upper case;
/// - as such a text inside of a JSON string again, and that inside of one more
///   whose escaper escapes only what it must;
/// - base64, standard and URL alphabet, wherever the value begins in a group
///   of three bytes; also with `/` or `+` escaped by JSON;
/// - hexadecimal, lower or upper case;
/// - percent-encoded, lower or upper case, whichever of the usual sets of
///   characters is kept; form-encoded with `+` for a blank.
///
/// [`StreamedTexts`](super::StreamedTexts) looks at decoded strings: every other spelling of a JSON
/// escape is found there too.
///
/// # What is not found
///
/// - base64 that is wrapped at columns, hexadecimal with blanks or colons
///   between the digits;
/// - compressed, encrypted or hashed values; UTF-16 and UTF-32; base32,
///   base58, base85; base64 of base64, of hexadecimal, of JSON;
/// - values reversed, in another case, or with characters put in between;
/// - a part of a value, prefixes too;
/// - values of less than 8 bytes: [`Secrets::add`] refuses them, and so it does
///   those of more than 16 KiB;
/// - escapes that are not of JSON or URLs: HTML entities, quoting of shells,
///   `\x41`, octal; single characters escaped that no escaper above escapes
///   (`\u0061`), but for [`StreamedTexts`](super::StreamedTexts);
/// - values split over different places of messages, over object keys, over lines that
///   are wrapped or prefixed, over two streams (standard output and standard error) or
///   two connections;
/// - values split over messages of which each encodes its piece by itself, be it as
///   base64 with padding, or half a character (one half of a surrogate pair each);
/// - values split over messages that come in turns with others, if nothing tells them
///   apart but some of several ids (two of three), or that a key is there once in some
///   and twice in others;
/// - the characters at both ends of a base64 form that hold bits of the
///   neighbours too: replacing leaves them, up to 6 bits of the value at each
///   end;
/// - what a program made of a value that is not UTF-8 by replacing or escaping
///   bytes;
/// - secrets in a variable whose name does not say so, such as a password in
///   `DATABASE_URL`: add the name ([`SecretNames::with`](super::SecretNames::with)).
#[derive(Clone, Default)]
pub struct SecretFilter {
    /// `None` where there is nothing to look for.
    matcher: Option<Arc<Matcher>>,
}

/// The secrets have too many forms for one automaton, which takes some two
/// thousand million bytes of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("secrets are too many or too long to be looked for")]
#[non_exhaustive]
pub struct FilterTooLarge;

impl SecretFilter {
    /// A filter of all `secrets`.
    ///
    /// # Errors
    /// If all their forms together are too large.
    pub fn new(secrets: &Secrets) -> Result<Self, FilterTooLarge> {
        if secrets.is_empty() {
            return Ok(Self::default());
        }
        // The automaton's error says nothing that a caller could act on.
        let matcher = Matcher::new(secrets).map_err(|_| FilterTooLarge)?;
        Ok(Self {
            matcher: Some(Arc::new(matcher)),
        })
    }

    /// Whether nothing is looked for.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.matcher.is_none()
    }

    /// The places of secrets in `bytes`, in order. Secrets that overlap are one
    /// place.
    pub fn find(&self, bytes: &[u8]) -> impl Iterator<Item = Hit> + use<> {
        let matcher = self.matcher.clone();
        let found = self.search(bytes).into_vec().into_iter();
        found.filter_map(move |found| {
            Some(Hit {
                name: matcher.as_ref()?.name(found.name).clone(),
                span: span(found),
            })
        })
    }

    /// The finds in `bytes`, joined.
    pub(super) fn search(&self, bytes: &[u8]) -> Overlaps {
        let mut overlaps = Overlaps::default();
        if let Some(matcher) = &self.matcher {
            matcher.search(bytes, |end, needle| {
                overlaps.add(Found {
                    start: (end - needle.length) as u64,
                    end: end as u64,
                    name: needle.name,
                });
            });
        }
        overlaps
    }

    pub(super) const fn matcher(&self) -> Option<&Arc<Matcher>> {
        self.matcher.as_ref()
    }

    /// The name with this index.
    pub(super) fn name_at(&self, index: usize) -> Option<&SecretName> {
        self.names().get(index)
    }

    fn names(&self) -> &[SecretName] {
        self.matcher.as_ref().map_or(&[], |matcher| matcher.names())
    }
}

impl fmt::Debug for SecretFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SecretFilter").field(&self.names()).finish()
    }
}

/// A find in a message as a span of it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the offsets are of bytes in memory"
)]
pub(super) const fn span(found: Found) -> Span {
    Span::new(found.start as usize, found.end as usize)
}
