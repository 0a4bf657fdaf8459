//! How values are written down in these files.

use cassette_format::descriptor::{IgnoredField, SyntheticAnswer};

pub(super) fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}

/// A request, and the result that stands in for an answer that was not recorded.
pub(super) fn answer(method: &str, result: &str) -> SyntheticAnswer {
    SyntheticAnswer {
        method: method.into(),
        result: result.into(),
    }
}

/// A field, by its RFC 6901 pointer from the message, that matching overlooks.
pub(super) fn ignored(method: &str, pointer: &str) -> IgnoredField {
    IgnoredField {
        method: method.into(),
        pointer: pointer.into(),
    }
}
