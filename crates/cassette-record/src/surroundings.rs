//! Where a recorded process runs: what its directories and secrets are found by.

use cassette_format::process::{EffectiveEnvironment, Inheritance, Launch, SessionContext};

/// What is known of a launch that is recorded.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub(crate) session: SessionContext,
    pub(crate) cwd: Option<String>,
    pub(crate) protocol_cwd: Option<String>,
    pub(crate) environment: EffectiveEnvironment,
}

impl Surroundings {
    /// Those of a launch that serves a session; `None` if it serves none.
    ///
    /// The environment is the one that the process really got, where its connection
    /// knows it; else what the launch says, on top of this process's own unless that
    /// is not inherited.
    pub(crate) fn of(launch: &Launch, effective: Option<&EffectiveEnvironment>) -> Option<Self> {
        let spec = &launch.spec;
        let environment = || {
            let mut environment: EffectiveEnvironment = match spec.inheritance {
                Inheritance::Inherit => std::env::vars_os().collect(),
                Inheritance::Clear => EffectiveEnvironment::empty(),
            };
            for (name, value) in &spec.environment {
                environment.set(name, value);
            }
            environment
        };
        Some(Self {
            session: launch.session.clone()?,
            cwd: spec
                .cwd
                .as_ref()
                .map(|cwd| cwd.to_string_lossy().into_owned()),
            protocol_cwd: launch.protocol_cwd(),
            environment: effective.cloned().unwrap_or_else(environment),
        })
    }
}
