//! Fields of a manifest that this version does not know. They are kept as they
//! were written, so that tools of today do not lose what newer ones added.

/// One field: its decoded key and its value as JSON text, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    key: String,
    json: String,
}

impl UnknownField {
    /// A field whose value is already valid JSON text. The store makes these
    /// from what it has scanned.
    pub(crate) const fn from_scanned(key: String, json: String) -> Self {
        Self { key, json }
    }

    /// The decoded key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The value as it was written.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}

/// The unknown fields of one object, in the order of the file.
pub type UnknownFields = Vec<UnknownField>;
