//! What the name of a field says of its value: a path, something personal, a
//! signature, nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::descriptor::Descriptor;
use crate::json::{Span, decode_string};

use super::Rules;

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
#[derive(Debug, Clone, Default)]
pub struct FieldClasses {
    /// Beyond the common ones, in lower case.
    further: BTreeMap<String, FieldClass>,
}

/// Longest common name in bytes; no other key needs a look.
const LONGEST: usize = 20;

impl FieldClasses {
    /// The common names, those of a provider and those of the caller.
    #[must_use]
    pub fn new(descriptor: &Descriptor, rules: &Rules) -> Self {
        let paths = descriptor.path_fields.iter().chain(&rules.path_fields);
        let paths = paths.map(|name| (name, FieldClass::Path));
        let sensitive = rules
            .sensitive_fields
            .iter()
            .map(|name| (name, FieldClass::Credential));
        let further = paths.chain(sensitive);
        Self {
            further: further.map(|(name, class)| (folded(name), class)).collect(),
        }
    }

    /// What a name says.
    #[must_use]
    pub fn of(&self, name: &str) -> FieldClass {
        let name = folded(name);
        match common(name.as_bytes()) {
            FieldClass::Plain => self
                .further
                .get(&name)
                .copied()
                .unwrap_or(FieldClass::Plain),
            class => class,
        }
    }

    /// What the key at `span` of `text` says, its quotes included. Most keys are
    /// plain, and told so without being decoded.
    pub(super) fn of_key(&self, text: &[u8], span: Span) -> FieldClass {
        let raw = span.text(text);
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let simple = inner
            .iter()
            .all(|byte| byte.is_ascii_graphic() && *byte != b'\\');
        if !simple {
            return self.of(&decode_string(text, span));
        }
        let mut lower = [0; LONGEST];
        if let Some(lower) = lower.get_mut(..inner.len()) {
            lower.copy_from_slice(inner);
            lower.make_ascii_lowercase();
            let class = common(lower);
            if class != FieldClass::Plain {
                return class;
            }
        }
        if self.further.is_empty() {
            FieldClass::Plain
        } else {
            self.of(&decode_string(text, span))
        }
    }
}

/// The name as it is compared. Lower case as Unicode has it: the Kelvin sign is
/// a `k`.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The class of a common name in lower case.
fn common(name: &[u8]) -> FieldClass {
    match name {
        b"cwd" | b"cwds" | b"path" | b"paths" | b"projectpath" | b"project_path" | b"savedpath"
        | b"savedpaths" | b"workingdirectory" | b"working_directory" | b"statedirectory"
        | b"state_directory" => FieldClass::Path,
        b"email" => FieldClass::Email,
        b"accesstoken" | b"refreshtoken" | b"apikey" | b"authorization" => FieldClass::Credential,
        b"chatgptaccountid" | b"accountid" | b"creatoraccountuserid" => FieldClass::Account,
        b"signature" | b"encrypted_content" => FieldClass::Signature,
        _ => FieldClass::Plain,
    }
}

/// The decoded text of a string value.
pub(super) fn text_of(bytes: &[u8], span: Span) -> Cow<'_, str> {
    decode_string(bytes, span)
}
