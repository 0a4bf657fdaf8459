//! Values of a message that are not compared as they are: request ids, fields that
//! may differ, that are made anew, that are never recorded.

use cassette_format::descriptor::{Descriptor, Dialect, EnvironmentOfStart};
use cassette_format::json::ValueKind;

use super::header::{Header, HeaderKind, text};
use super::rules::MatchRules;
use super::tree::{Role, Tree};

/// A field that may differ.
#[derive(Debug, Clone)]
pub(super) struct IgnoredPlace {
    /// The method, trimmed.
    method: String,
    /// The keys that lead to it from the message.
    keys: Vec<String>,
}

/// The release and the title of a client are no part of a conversation, whatever
/// the provider.
const CLIENT_FIELDS: [&str; 2] = ["version", "title"];

impl IgnoredPlace {
    pub(super) fn all(descriptor: &Descriptor) -> Vec<Self> {
        let declared = descriptor.ignored_fields.iter().map(|field| Self {
            method: field.method.trim().to_owned(),
            keys: keys(&field.pointer),
        });
        let client = CLIENT_FIELDS.into_iter().map(|field| Self {
            method: "initialize".to_owned(),
            keys: ["params", "clientInfo", field].map(str::to_owned).to_vec(),
        });
        declared.chain(client).collect()
    }
}

/// The unescaped segments of an RFC 6901 pointer.
fn keys(pointer: &str) -> Vec<String> {
    let segments = pointer.split('/').skip(1);
    let plain = |segment: &str| segment.replace("~1", "/").replace("~0", "~");
    segments.map(plain).collect()
}

impl MatchRules {
    /// Marks the values of the message at `top` that are not compared as they are.
    pub(super) fn exempt(&self, bytes: &[u8], tree: &mut Tree, top: u32) {
        let header = Header::read(self.dialect(), bytes, tree.members(top));
        if header.kind == HeaderKind::Request
            && let Some(id) = header.id
        {
            let mut members = tree.children(top);
            let is_id = |at: &u32| tree.node(*at).is_some_and(|node| node.span() == id.span);
            if let Some(at) = members.find(is_id) {
                tree.set_role(at, Role::RequestId);
            }
        }
        self.exempt_ignored(bytes, tree, (top, &header));
        self.exempt_generated(bytes, tree, (top, &header));
        if self.leaves_environment_out() && text(bytes, header.method).as_deref() == Some("start") {
            mark(bytes, tree, (top, &[header.params, "env"]), Role::Excluded);
        }
    }

    fn exempt_ignored(&self, bytes: &[u8], tree: &mut Tree, (top, header): (u32, &Header)) {
        let methods = [header.method, header.rpc_method].map(|method| text(bytes, method));
        for place in &self.ignored {
            let mut named = methods.iter().flatten();
            if named.any(|method| method.trim() == place.method) {
                mark(bytes, tree, (top, &place.keys), Role::Ignored);
            }
        }
    }

    fn exempt_generated(&self, bytes: &[u8], tree: &mut Tree, (top, header): (u32, &Header)) {
        if self.generated_fields().is_empty() {
            return;
        }
        let Some(method) = text(bytes, header.method) else {
            return;
        };
        for field in self.generated_fields() {
            if field.method == method {
                let keys = [header.params, field.parameter.as_str()];
                mark(bytes, tree, (top, &keys), Role::Generated);
            }
        }
    }

    fn leaves_environment_out(&self) -> bool {
        self.descriptor.environment_of_start == EnvironmentOfStart::Excluded
            && self.dialect() == Dialect::TypedEnvelope
    }
}

/// Gives the value that keys lead to a role.
fn mark<K: AsRef<str>>(bytes: &[u8], tree: &mut Tree, (top, keys): (u32, &[K]), role: Role) {
    let mut at = Some(top);
    for key in keys {
        at = at.and_then(|at| step(bytes, tree, (at, key.as_ref())));
    }
    if let Some(at) = at.filter(|at| *at != top) {
        tree.set_role(at, role);
    }
}

fn step(bytes: &[u8], tree: &Tree, (at, key): (u32, &str)) -> Option<u32> {
    if tree.node(at)?.kind == ValueKind::Array {
        return tree.children(at).nth(key.parse().ok()?);
    }
    tree.named(bytes, at, key)
}
