//! What the name of a field says of its value: a path, something personal, a
//! signature, nothing.

use std::collections::BTreeMap;

use crate::descriptor::{Descriptor, Dialect};
use crate::json::Span;

use super::Rules;
use super::raw_text::text_of;

/// What the name of a field says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldClass {
    /// Nothing.
    Plain,
    /// A path, or a list of paths at any depth.
    Path,
    /// An e-mail address.
    Email,
    /// A credential: no text, object or list may stand there.
    Credential,
    /// The identity of an account: nothing but blank and null may stand there.
    Account,
    /// A signature or ciphertext, which is never altered.
    Signature,
}

/// The names of fields and what they say. They compare after trimming, without
/// case.
///
/// The common names of e-mails, accounts and credentials always are what they
/// are; the caller's secrets go before signatures and paths, and signatures
/// before further paths. Where the dialect is not known there are no fields: of
/// the common names only those of signatures count there, beside the names that
/// the provider or the caller lists.
#[derive(Debug, Clone)]
pub struct FieldClasses {
    dialect: Dialect,
    /// Beyond the common ones, in lower case.
    further: BTreeMap<String, FieldClass>,
    /// With which bytes names of each length begin: a bit for each, modulo 64.
    /// What is longer than the last has the last one's length.
    begin: [u64; LENGTHS],
    /// How long the longest name is, in bytes.
    longest: usize,
}

/// Lengths that are told apart.
const LENGTHS: usize = 64;

impl FieldClasses {
    /// The common names, those of a provider and those of the caller.
    #[must_use]
    pub fn new(descriptor: &Descriptor, rules: &Rules) -> Self {
        let paths = descriptor.path_fields.iter().chain(&rules.path_fields);
        let paths = paths.map(|name| (folded(name), FieldClass::Path));
        let sensitive = rules.sensitive_fields.iter();
        let sensitive = sensitive.map(|name| (folded(name), FieldClass::Credential));
        Self::of_names(descriptor.dialect, paths.chain(sensitive).collect())
    }

    /// What the messages are that have these fields.
    pub(super) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What a name says.
    #[must_use]
    pub fn of(&self, name: &str) -> FieldClass {
        // In lower case a character has a third of its length at the least.
        if name.trim().len() > self.longest * 3 {
            return FieldClass::Plain;
        }
        self.of_folded(&folded(name))
    }

    /// What the key at `span` of `text` says, its quotes included. Most keys are
    /// plain, and told so without being decoded.
    #[must_use]
    pub fn of_key(&self, text: &[u8], span: Span) -> FieldClass {
        let raw = span.text(text);
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let simple = |byte: &u8| byte.is_ascii_graphic() && *byte != b'\\';
        if !inner.iter().fold(true, |all, byte| all & simple(byte)) {
            return self.of(&text_of(text, span));
        }
        let first = inner.first().map(u8::to_ascii_lowercase);
        if self.begin[length(inner)] & bit(first) == 0 {
            return FieldClass::Plain;
        }
        let mut lower = [0; LENGTHS];
        let Some(lower) = lower.get_mut(..inner.len()) else {
            return self.of(&text_of(text, span));
        };
        lower.copy_from_slice(inner);
        lower.make_ascii_lowercase();
        std::str::from_utf8(lower).map_or(FieldClass::Plain, |name| self.of_folded(name))
    }

    fn of_names(dialect: Dialect, further: BTreeMap<String, FieldClass>) -> Self {
        let (mut begin, mut longest) = ([0; LENGTHS], 0);
        let common = COMMON.iter().map(|(name, _)| *name);
        for name in common.chain(further.keys().map(String::as_str)) {
            begin[length(name.as_bytes())] |= bit(name.bytes().next());
            longest = longest.max(name.len());
        }
        Self {
            dialect,
            further,
            begin,
            longest,
        }
    }

    fn of_folded(&self, name: &str) -> FieldClass {
        let further = self.further.get(name).copied();
        let common = match (common(name), self.dialect) {
            (class, Dialect::Opaque) if class != FieldClass::Signature => FieldClass::Plain,
            (class, _) => class,
        };
        match (common, further) {
            (FieldClass::Plain, Some(further)) => further,
            (FieldClass::Path | FieldClass::Signature, Some(FieldClass::Credential)) => {
                FieldClass::Credential
            }
            (common, _) => common,
        }
    }
}

impl Default for FieldClasses {
    /// The common names alone.
    fn default() -> Self {
        Self::of_names(Dialect::JsonRpc, BTreeMap::new())
    }
}

fn length(name: &[u8]) -> usize {
    name.len().min(LENGTHS - 1)
}

fn bit(first: Option<u8>) -> u64 {
    1 << (first.unwrap_or_default() % 64)
}

/// The common names, in lower case.
const COMMON: [(&str, FieldClass); 28] = [
    ("cwd", FieldClass::Path),
    ("cwds", FieldClass::Path),
    ("path", FieldClass::Path),
    ("paths", FieldClass::Path),
    ("projectpath", FieldClass::Path),
    ("project_path", FieldClass::Path),
    ("savedpath", FieldClass::Path),
    ("savedpaths", FieldClass::Path),
    ("workingdirectory", FieldClass::Path),
    ("working_directory", FieldClass::Path),
    ("statedirectory", FieldClass::Path),
    ("state_directory", FieldClass::Path),
    ("email", FieldClass::Email),
    ("accesstoken", FieldClass::Credential),
    ("access_token", FieldClass::Credential),
    ("refreshtoken", FieldClass::Credential),
    ("refresh_token", FieldClass::Credential),
    ("apikey", FieldClass::Credential),
    ("api_key", FieldClass::Credential),
    ("authorization", FieldClass::Credential),
    ("chatgptaccountid", FieldClass::Account),
    ("chatgpt_account_id", FieldClass::Account),
    ("accountid", FieldClass::Account),
    ("account_id", FieldClass::Account),
    ("creatoraccountuserid", FieldClass::Account),
    ("creator_account_user_id", FieldClass::Account),
    ("signature", FieldClass::Signature),
    ("encrypted_content", FieldClass::Signature),
];

/// The class of a common name in lower case.
fn common(name: &str) -> FieldClass {
    let mut named = COMMON.iter().filter(|(common, _)| *common == name);
    named.next().map_or(FieldClass::Plain, |(_, class)| *class)
}

/// The name as it is compared. Lower case as Unicode has it: the Kelvin sign is
/// a `k`.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}
