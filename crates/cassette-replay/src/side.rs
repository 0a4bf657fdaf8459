//! This side of a launch: its directories, and the values that stand for what was taken
//! out of the tape.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsStr;

use cassette_format::descriptor::Descriptor;
use cassette_format::portable::RootSources;
use cassette_format::process::{EffectiveEnvironment, Inheritance, Launch, SessionContext};
use cassette_format::schema::{ConnectionRecord, Manifest};

use crate::PlayOptions;
use crate::matching::{MatchRules, Side};

/// What is known of a launch that is played.
#[derive(Debug, Clone)]
pub(crate) struct LaunchSide {
    pub(crate) session: SessionContext,
    cwd: Option<String>,
    protocol_cwd: Option<String>,
    environment: EffectiveEnvironment,
}

impl LaunchSide {
    /// That of a launch that serves a session; `None` if it serves none.
    pub(crate) fn of(launch: &Launch) -> Option<Self> {
        let spec = &launch.spec;
        let mut environment: EffectiveEnvironment = match spec.inheritance {
            Inheritance::Inherit => std::env::vars_os().collect(),
            Inheritance::Clear => EffectiveEnvironment::empty(),
        };
        for (name, value) in &spec.environment {
            environment.set(name, value);
        }
        let cwd = spec.cwd.as_ref();
        Some(Self {
            session: launch.session.clone()?,
            cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            protocol_cwd: launch.protocol_cwd(),
            environment,
        })
    }

    /// Whether there is a working directory.
    pub(crate) fn has_cwd(&self) -> bool {
        let given = [&self.cwd, &self.protocol_cwd];
        given
            .into_iter()
            .flatten()
            .any(|cwd| !cwd.trim().is_empty())
    }

    /// The rules of a connection that this launch takes.
    pub(crate) fn rules(
        &self,
        (descriptor, record): (&Descriptor, &ConnectionRecord),
        (manifest, options): (&Manifest, &PlayOptions),
    ) -> MatchRules {
        let variables: Vec<(Cow<'_, str>, Cow<'_, str>)> = self
            .environment
            .iter()
            .map(|(name, value)| (text(name), text(value)))
            .collect();
        let variables: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        let home = options.fallback_home.clone().or_else(own_home);
        let side = Side {
            sources: RootSources {
                variables: &variables,
                cwd: self.cwd.as_deref(),
                protocol_cwd: self.protocol_cwd.as_deref(),
                cwd_roots: &self.session.cwd_roots,
                home_roots: &self.session.home_roots,
            },
            cwd_token: record.cwd_token.as_str(),
            fallback_home: home.as_deref().unwrap_or_default(),
            rules: &options.rules,
            secrets: &secrets(manifest, options, &variables),
        };
        MatchRules::new(descriptor, &side)
    }
}

/// The values of the variables that the tape says it has tokens of, the caller's first.
fn secrets<'a>(
    manifest: &Manifest,
    options: &'a PlayOptions,
    variables: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let redactions = manifest.annotations.redactions.as_ref();
    let rules = redactions.into_iter().flat_map(|it| &it.rules);
    let named: BTreeSet<&str> = rules.map(String::as_str).collect();
    let own = options
        .secrets
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let of_launch = variables
        .iter()
        .copied()
        .filter(|(name, _)| named.contains(name) && !options.secrets.contains_key(*name));
    own.chain(of_launch).collect()
}

fn own_home() -> Option<String> {
    let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
    Some(home.to_string_lossy().into_owned())
}

fn text(value: &OsStr) -> Cow<'_, str> {
    value.to_string_lossy()
}
