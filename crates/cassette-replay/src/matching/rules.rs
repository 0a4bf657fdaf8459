//! What decides about the messages of one connection, made once.

use std::fmt;

use cassette_format::descriptor::{Descriptor, Dialect, GeneratedField, MessageFraming};
use cassette_format::portable::{
    FieldClasses, HOME_TOKEN, Projection, Resolution, RootSources, Roots, Rules, map_path,
};

use super::directories::Directories;
use super::exemptions::IgnoredPlace;
use super::field_names::FieldNames;
use super::redacted::Secrets;

/// This side of a connection: where it works, and what its caller asks for.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Where the directories of this launch are found.
    pub sources: RootSources<'a>,
    /// The token of the recorded connection's working directory.
    pub cwd_token: &'a str,
    /// What `${REPLAY_HOME}` stands for where the launch has no personal directory,
    /// such as the home of the user; empty for nothing.
    pub fallback_home: &'a str,
    /// The caller's rules, as they were in recording: they are applied to what the
    /// host sends before it is compared.
    pub rules: &'a Rules,
    /// Variables whose values may stand for `${REDACTED:NAME}`. They are never shown.
    pub secrets: &'a [(&'a str, &'a str)],
}

impl<'a> Side<'a> {
    /// A side without directories and secrets.
    #[must_use]
    pub fn new(rules: &'a Rules) -> Self {
        Self {
            sources: RootSources::default(),
            cwd_token: "",
            fallback_home: "",
            rules,
            secrets: &[],
        }
    }
}

/// What decides about the messages of one connection.
#[derive(Clone)]
pub struct MatchRules {
    pub(super) descriptor: Descriptor,
    pub(super) names: FieldNames,
    pub(super) projection: Projection,
    pub(super) resolution: Resolution,
    pub(super) directories: Directories,
    pub(super) secrets: Secrets,
    pub(super) ignored: Vec<IgnoredPlace>,
    replay_home: String,
    cwd_token: String,
}

impl MatchRules {
    /// The rules of a connection of `descriptor`'s provider.
    #[must_use]
    pub fn new(descriptor: &Descriptor, side: &Side<'_>) -> Self {
        let roots = |sources: &RootSources<'_>| {
            let tokens = side.rules.home_tokens;
            Roots::new(descriptor, sources, side.cwd_token, tokens)
        };
        let given = roots(&side.sources);
        let first = given.homes().first();
        let replay_home = first.map_or(side.fallback_home, String::as_str).to_owned();
        // A working directory may itself be given below the home.
        let cwd = given.cwd().unwrap_or_default();
        let cwd = map_path(cwd, HOME_TOKEN, &replay_home);
        let sources = RootSources {
            protocol_cwd: cwd.as_deref().or(side.sources.protocol_cwd),
            ..side.sources
        };
        let roots = roots(&sources);
        let tokens = (side.cwd_token, side.fallback_home);
        let classes = FieldClasses::new(descriptor, side.rules);
        Self {
            names: FieldNames::new(classes, &descriptor.identity_fields),
            resolution: Resolution::new(descriptor, &roots, tokens, side.rules),
            directories: Directories::new(&roots, &sources, side.fallback_home),
            secrets: Secrets::new(side.secrets),
            ignored: IgnoredPlace::all(descriptor),
            projection: Projection::new(descriptor, roots, side.rules.clone()),
            descriptor: descriptor.clone(),
            replay_home,
            cwd_token: side.cwd_token.to_owned(),
        }
    }

    /// The directory that `${REPLAY_HOME}` stands for in what the agent says: the
    /// first personal directory of the launch, else the fallback.
    #[must_use]
    pub fn replay_home(&self) -> &str {
        &self.replay_home
    }

    /// The token of the recorded connection's working directory.
    #[must_use]
    pub fn cwd_token(&self) -> &str {
        &self.cwd_token
    }

    pub(super) const fn dialect(&self) -> Dialect {
        self.descriptor.dialect
    }

    pub(super) const fn framing(&self) -> MessageFraming {
        self.descriptor.framing
    }

    pub(super) fn generated_fields(&self) -> &[GeneratedField] {
        &self.descriptor.generated_fields
    }
}

impl fmt::Debug for MatchRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchRules")
            .field("provider", &self.descriptor.id)
            .field("cwd_token", &self.cwd_token)
            .field("replay_home", &self.replay_home)
            .field("secrets", &self.secrets)
            .finish_non_exhaustive()
    }
}
