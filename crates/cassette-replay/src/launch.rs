//! Which recorded connection a launch gets.

use std::collections::{HashMap, HashSet};

use cassette_format::process::SessionContext;
use cassette_format::schema::{
    AgentSessionId, ConnectionId, ConnectionRecord, LaunchOrdinal, ProviderId,
};

/// A launch found no recorded connection. Nothing is used up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// Nothing like it was recorded.
    #[error("no connection of `{provider}` is recorded for launch {ordinal} of `{session}`")]
    NoConnection {
        /// The provider.
        provider: ProviderId,
        /// The agent session of the launch.
        session: AgentSessionId,
        /// Which launch of that session it is.
        ordinal: LaunchOrdinal,
    },
    /// The connection belongs to another tree of sessions.
    #[error("{connection_id} belongs to root session `{recorded}`, the launch to `{launched}`")]
    RootMismatch {
        /// The connection.
        connection_id: ConnectionId,
        /// Its recorded root.
        recorded: AgentSessionId,
        /// The launch's root, as recorded if it is known.
        launched: AgentSessionId,
    },
    /// No descriptor for the provider.
    #[error("provider `{provider}` is not registered")]
    UnknownProvider {
        /// The provider.
        provider: ProviderId,
    },
}

/// The launches of a tape that were taken.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    counted: HashMap<(AgentSessionId, ProviderId), LaunchOrdinal>,
    taken: HashSet<ConnectionId>,
    /// The recorded session that stands behind a session of today.
    sessions: HashMap<AgentSessionId, AgentSessionId>,
}

impl Launches {
    /// The recorded connection of a launch, taken.
    pub(crate) fn take<'r>(
        &mut self,
        records: &'r [ConnectionRecord],
        session: &SessionContext,
    ) -> Result<&'r ConnectionRecord, ConnectError> {
        let (agent_session, provider) = (&session.agent_session, &session.provider);
        let key = (agent_session.clone(), provider.clone());
        let ordinal = self.counted.get(&key).copied().unwrap_or_default().next();
        let recorded = self.sessions.get(agent_session).unwrap_or(agent_session);
        let exact = records.iter().find(|record| {
            record.agent_session == *recorded
                && record.provider == *provider
                && record.launch_ordinal == ordinal
        });
        let record = exact
            .or_else(|| self.only_root(records, session, ordinal))
            .ok_or_else(|| ConnectError::NoConnection {
                provider: provider.clone(),
                session: agent_session.clone(),
                ordinal,
            })?;
        let root = session.root();
        let launched = match self.sessions.get(root) {
            Some(recorded) => recorded,
            None if root == agent_session => &record.agent_session,
            None => root,
        };
        let recorded = &record.root_agent_session;
        if !recorded.is_blank() && recorded != launched {
            return Err(ConnectError::RootMismatch {
                connection_id: record.connection_id.clone(),
                recorded: recorded.clone(),
                launched: launched.clone(),
            });
        }
        self.counted.insert(key, ordinal);
        self.taken.insert(record.connection_id.clone());
        self.sessions
            .insert(agent_session.clone(), record.agent_session.clone());
        Ok(record)
    }

    /// Whether this connection was taken.
    pub(crate) fn took(&self, connection_id: &ConnectionId) -> bool {
        self.taken.contains(connection_id)
    }

    /// The one connection of a root session that a root session of another name
    /// may take.
    fn only_root<'r>(
        &self,
        records: &'r [ConnectionRecord],
        session: &SessionContext,
        ordinal: LaunchOrdinal,
    ) -> Option<&'r ConnectionRecord> {
        if session.root() != &session.agent_session {
            return None;
        }
        let mut fitting = records.iter().filter(|record| {
            !self.took(&record.connection_id)
                && record.provider == session.provider
                && record.launch_ordinal == ordinal
                && record.agent_session == record.root_agent_session
        });
        fitting.next().filter(|_| fitting.next().is_none())
    }
}
