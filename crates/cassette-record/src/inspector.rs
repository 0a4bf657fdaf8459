//! What becomes of one message on its way to the tape: portable, or refused.

use std::borrow::Cow;
use std::ffi::OsStr;

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming};
use cassette_format::json::{Framing, Scanner};
use cassette_format::portable::{ContentError, Direction, Projection, RootSources, Roots, Rules};
use cassette_format::schema::CwdToken;
use cassette_format::summary::MessageHead;

use crate::secrets::SecretName;
use crate::surroundings::Surroundings;

/// Judges and rewrites the messages of one connection, in the order in which they
/// end.
#[derive(Debug)]
pub(crate) struct Inspector {
    projection: Projection,
    framing: Framing,
    dialect: Dialect,
}

/// Why something may not be on the tape.
#[derive(Debug)]
pub(crate) enum Refusal {
    Content {
        /// The method of the message.
        method: Option<String>,
        source: ContentError,
    },
    Secret(SecretName),
    /// It no longer continues what is stored of its message.
    WentOn,
}

impl Inspector {
    pub(crate) fn new(
        descriptor: &Descriptor,
        surroundings: &Surroundings,
        cwd_token: &CwdToken,
        rules: &Rules,
    ) -> Self {
        let variables: Vec<(Cow<'_, str>, Cow<'_, str>)> = surroundings
            .environment
            .iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        let variables: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let sources = RootSources {
            variables: &variables,
            cwd: surroundings.cwd.as_deref(),
            protocol_cwd: surroundings.protocol_cwd.as_deref(),
            cwd_roots: &surroundings.session.cwd_roots,
            home_roots: &surroundings.session.home_roots,
        };
        let roots = Roots::new(descriptor, &sources, cwd_token.as_str(), rules.home_tokens);
        Self {
            projection: Projection::new(descriptor, roots, rules.clone()),
            framing: framing_of(descriptor.framing),
            dialect: descriptor.dialect,
        }
    }

    /// How the connection's protocol is cut into messages.
    pub(crate) const fn framing(&self) -> Framing {
        self.framing
    }

    /// The portable form of a message's content; `None` if it is portable as it is.
    pub(crate) fn portable(
        &mut self,
        direction: Direction,
        content: &[u8],
    ) -> Result<Option<Vec<u8>>, ContentError> {
        Ok(match self.projection.message(direction, content)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(changed),
        })
    }

    /// The method of a message, if it is a name as protocols give them.
    pub(crate) fn method(&self, content: &[u8]) -> Option<String> {
        let value = Scanner::new(content).skip_value().ok()??;
        let method = MessageHead::read(self.dialect, content, value)?.name(content);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_.$-".contains(&byte);
        (!method.is_empty() && method.bytes().all(is_plain)).then_some(method)
    }
}

fn text(value: &OsStr) -> Cow<'_, str> {
    value.to_string_lossy()
}

pub(crate) const fn framing_of(framing: MessageFraming) -> Framing {
    match framing {
        MessageFraming::ContentLength => Framing::ContentLength,
        MessageFraming::Raw => Framing::Raw,
        _ => Framing::Lines,
    }
}
