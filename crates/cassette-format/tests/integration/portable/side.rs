//! A side of a connection to test with: a made-up provider, directories, rules.

use std::collections::BTreeSet;

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, MessageFraming, Spelling, TargetId,
};
use cassette_format::portable::{
    Audit, ContentError, Direction, HomeTokens, Projection, Resolution, RootSources, Roots, Rules,
};
use cassette_format::schema::ProviderId;

pub(crate) const TOKEN: &str = "${SESSION_CWD:session-1:1}";

#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) descriptor: Descriptor,
    pub(crate) cwd: Option<String>,
    pub(crate) homes: Vec<String>,
    pub(crate) rules: Rules,
}

impl Side {
    /// A JSON-RPC provider in `cwd` with these homes.
    pub(crate) fn new(cwd: &str, homes: &[&str]) -> Self {
        let descriptor = Descriptor {
            credential_methods: vec!["Account/Login/Start".into()],
            account_read: Some(AccountRead {
                method: "account/read".into(),
                pointer: "/account/email".into(),
            }),
            ..Descriptor::new(
                ProviderId::from_recorded("made-up"),
                TargetId::named("local:made-up"),
                MessageFraming::Lines,
                Dialect::JsonRpc,
            )
        };
        Self {
            descriptor,
            cwd: Some(cwd.to_owned()).filter(|cwd| !cwd.is_empty()),
            homes: homes.iter().map(|home| (*home).to_owned()).collect(),
            rules: Rules {
                home_tokens: HomeTokens::Numbered,
                ..Rules::default()
            },
        }
    }

    pub(crate) fn spelling(mut self, spellings: &[Spelling]) -> Self {
        self.descriptor.spellings = spellings.iter().copied().collect::<BTreeSet<_>>();
        self
    }

    pub(crate) fn ruled(mut self, change: impl FnOnce(&mut Rules)) -> Self {
        change(&mut self.rules);
        self
    }

    pub(crate) fn described(mut self, change: impl FnOnce(&mut Descriptor)) -> Self {
        change(&mut self.descriptor);
        self
    }

    pub(crate) fn roots(&self) -> Roots {
        let sources = RootSources {
            cwd: self.cwd.as_deref(),
            home_roots: &self.homes,
            ..RootSources::default()
        };
        Roots::new(&self.descriptor, &sources, TOKEN, self.rules.home_tokens)
    }

    pub(crate) fn projection(&self) -> Projection {
        Projection::new(&self.descriptor, self.roots(), self.rules.clone())
    }

    pub(crate) fn resolution(&self) -> Resolution {
        let roots = self.roots();
        Resolution::new(&self.descriptor, &roots, (TOKEN, "/fallback"), &self.rules)
    }

    /// One inbound message, made portable by itself.
    pub(crate) fn project(&self, message: &[u8]) -> Result<Vec<u8>, ContentError> {
        let mut projection = self.projection();
        let projected = projection.message(Direction::Inbound, message);
        projected.map(std::borrow::Cow::into_owned)
    }

    pub(crate) fn project_text(&self, message: &str) -> Result<String, ContentError> {
        let projected = self.project(message.as_bytes())?;
        Ok(String::from_utf8(projected).unwrap())
    }

    pub(crate) fn resolve(&self, message: &[u8]) -> Vec<u8> {
        self.resolution().message(message).bytes.into_owned()
    }

    pub(crate) fn resolve_text(&self, message: &str) -> String {
        String::from_utf8(self.resolve(message.as_bytes())).unwrap()
    }

    pub(crate) fn audit(&self, message: &[u8]) -> Result<(), ContentError> {
        Audit::new(&self.descriptor, &self.rules).message(message)
    }
}

pub(crate) fn credential_method(path: &str) -> ContentError {
    let path = path.to_owned();
    ContentError::CredentialMethod { path }
}

pub(crate) fn sensitive(path: &str) -> ContentError {
    let path = path.to_owned();
    ContentError::SensitiveField { path }
}

pub(crate) fn non_portable(path: &str) -> ContentError {
    let path = path.to_owned();
    ContentError::NonPortablePath { path }
}
