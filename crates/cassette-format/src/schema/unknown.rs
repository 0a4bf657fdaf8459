//! Fields of a manifest that this version does not know. They are kept as they
//! were written, so that tools of today do not lose what newer ones added.

/// One field: its decoded key, and key and value as JSON text, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    key: String,
    /// The key with its quotes as it was written, where that says more than
    /// `key`: half of a surrogate pair, for instance, is lost in decoding.
    escaped_key: Option<String>,
    json: String,
}

impl UnknownField {
    /// A field of `key`, written as `escaped_key`, whose value is valid JSON
    /// text. The store makes these from what it has scanned.
    pub(crate) fn from_scanned(key: String, escaped_key: String, json: String) -> Self {
        let escaped_key = Some(escaped_key).filter(|escaped| escaped.contains('\\'));
        Self {
            key,
            escaped_key,
            json,
        }
    }

    /// The decoded key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key as it was written, with its quotes, if it holds escapes.
    pub(crate) fn escaped_key(&self) -> Option<&str> {
        self.escaped_key.as_deref()
    }

    /// The value as it was written.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// The unknown fields of one object, in the order of the file.
pub type UnknownFields = Vec<UnknownField>;
