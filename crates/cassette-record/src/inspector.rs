//! What becomes of one message on its way to the tape: portable, or refused.

use std::borrow::Cow;
use std::ffi::OsStr;

use cassette_format::descriptor::{Descriptor, MessageFraming};
use cassette_format::json::Framing;
use cassette_format::portable::{ContentError, Direction, Projection, RootSources, Roots, Rules};
use cassette_format::schema::CwdToken;

use crate::secrets::SecretName;
use crate::surroundings::Surroundings;

/// Judges and rewrites the messages of one connection, in the order in which they
/// end.
#[derive(Debug)]
pub(crate) struct Inspector {
    projection: Projection,
    framing: Framing,
}

/// Why something may not be on the tape.
#[derive(Debug)]
pub(crate) enum Refusal {
    Content(ContentError),
    Secret(SecretName),
    /// It no longer continues what is stored of its message.
    WentOn,
}

impl From<ContentError> for Refusal {
    fn from(error: ContentError) -> Self {
        Self::Content(error)
    }
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
    ) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(match self.projection.message(direction, content)? {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(changed),
        })
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
