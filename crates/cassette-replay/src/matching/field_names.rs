//! What the name of a field says to matching: its class, and whether it holds an
//! identity.

use cassette_format::descriptor::IdentityFields;
use cassette_format::json::{Span, decode_string};
use cassette_format::portable::FieldClasses;

/// The names that matter to matching.
#[derive(Debug, Clone)]
pub(super) struct FieldNames {
    pub(super) classes: FieldClasses,
    /// In lower case, with what they hold.
    identities: Vec<(String, IdentityKind)>,
    /// The lengths of those names, a bit each.
    lengths: u64,
}

/// Who makes an identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdentityKind {
    /// The host: also what the agent says is mapped.
    Generated,
    /// Somebody else: it is only compared.
    MatchOnly,
}

const LONGEST: usize = 63;

impl FieldNames {
    pub(super) fn new(classes: FieldClasses, fields: &IdentityFields) -> Self {
        let named = |names: &[String], kind| -> Vec<(String, IdentityKind)> {
            names
                .iter()
                .map(|name| (name.to_lowercase(), kind))
                .collect()
        };
        let mut identities = named(&fields.generated, IdentityKind::Generated);
        identities.extend(named(&fields.match_only, IdentityKind::MatchOnly));
        let lengths = identities
            .iter()
            .fold(0, |lengths, (name, _)| lengths | bit(name.len()));
        Self {
            classes,
            identities,
            lengths,
        }
    }

    /// Whether no field holds an identity.
    pub(super) const fn has_no_identities(&self) -> bool {
        self.identities.is_empty()
    }

    /// What the field whose key is at `span` holds, its quotes included.
    pub(super) fn identity(&self, bytes: &[u8], span: Span) -> Option<IdentityKind> {
        if self.identities.is_empty() {
            return None;
        }
        let raw = span.text(bytes);
        let name = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        if self.lengths & bit(name.len()) != 0
            && let Some(kind) = self.named(name)
        {
            return Some(kind);
        }
        let is_plain = |byte: &u8| byte.is_ascii() && *byte != b'\\';
        if name.iter().fold(true, |all, byte| all & is_plain(byte)) {
            return None;
        }
        self.named(decode_string(bytes, span).to_lowercase().as_bytes())
    }

    fn named(&self, name: &[u8]) -> Option<IdentityKind> {
        let mut fields = self.identities.iter();
        let is = |(field, _): &&(String, IdentityKind)| field.as_bytes().eq_ignore_ascii_case(name);
        fields.find(is).map(|(_, kind)| *kind)
    }
}

const fn bit(len: usize) -> u64 {
    1 << if len < LONGEST { len } else { LONGEST }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_named_without_case_and_however_escaped() {
        let fields = IdentityFields {
            generated: vec!["turnId".into(), "Straße".into()],
            match_only: vec!["sessionId".into()],
        };
        let names = FieldNames::new(FieldClasses::default(), &fields);
        let kind = |key: &str| names.identity(key.as_bytes(), Span::whole(key.as_bytes()));
        assert_eq!(kind(r#""TURNID""#), Some(IdentityKind::Generated));
        assert_eq!(kind(r#""turn\u0049d""#), Some(IdentityKind::Generated));
        assert_eq!(kind(r#""STRAße""#), Some(IdentityKind::Generated));
        assert_eq!(kind(r#""sessionid""#), Some(IdentityKind::MatchOnly));
        assert_eq!(kind(r#""turnIds""#), None);
        assert_eq!(kind(r#""turnId ""#), None);
    }
}
