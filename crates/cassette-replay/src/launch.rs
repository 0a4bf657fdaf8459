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
    /// The launch says nothing of the conversation it serves.
    #[error("launch has no session context")]
    NoSession,
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
    /// The launch has no working directory, and the recorded messages name theirs.
    #[error("launch has no working directory, and messages of {connection_id} name one")]
    NoDirectory {
        /// The connection.
        connection_id: ConnectionId,
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
    counted: HashMap<CountedBy, LaunchOrdinal>,
    taken: HashSet<ConnectionId>,
    /// The recorded session that stands behind a session of today.
    sessions: HashMap<AgentSessionId, AgentSessionId>,
}

/// What launches are counted by: the session, and its provider where a recorded session
/// has an ordinal twice.
type CountedBy = (AgentSessionId, Option<ProviderId>);

/// A recorded connection that a launch may take.
#[derive(Debug, Clone)]
pub(crate) struct Found<'r> {
    pub(crate) record: &'r ConnectionRecord,
    session: AgentSessionId,
    counted_by: CountedBy,
    ordinal: LaunchOrdinal,
}

impl Launches {
    /// The recorded connection of a launch. Nothing is used up until it is taken.
    pub(crate) fn find<'r>(
        &self,
        records: &'r [ConnectionRecord],
        session: &SessionContext,
    ) -> Result<Found<'r>, ConnectError> {
        let (agent_session, provider) = (&session.agent_session, &session.provider);
        let known = self.sessions.get(agent_session);
        let recorded = known.unwrap_or(agent_session);
        let by_provider = repeats_an_ordinal(records, recorded).then(|| provider.clone());
        let counted_by = (agent_session.clone(), by_provider);
        let before = self.counted.get(&counted_by).copied().unwrap_or_default();
        let ordinal = before.next();
        let mut exact = records.iter().filter(|record| {
            !self.took(&record.connection_id)
                && record.agent_session == *recorded
                && record.provider == *provider
                && record.launch_ordinal == ordinal
        });
        let record = exact
            .next()
            .or_else(|| self.only_root(records, session, ordinal))
            .ok_or_else(|| ConnectError::NoConnection {
                provider: provider.clone(),
                session: agent_session.clone(),
                ordinal,
            })?;
        self.check_root(record, session)?;
        Ok(Found {
            record,
            session: agent_session.clone(),
            counted_by,
            ordinal,
        })
    }

    /// Takes what was found.
    pub(crate) fn take(&mut self, found: &Found<'_>) {
        self.counted.insert(found.counted_by.clone(), found.ordinal);
        self.taken.insert(found.record.connection_id.clone());
        let recorded = found.record.agent_session.clone();
        self.sessions.insert(found.session.clone(), recorded);
    }

    /// Gives a connection back: the launch has gone on to the next one.
    pub(crate) fn give_back(&mut self, connection_id: &ConnectionId) {
        self.taken.remove(connection_id);
    }

    /// Whether this connection was taken.
    pub(crate) fn took(&self, connection_id: &ConnectionId) -> bool {
        self.taken.contains(connection_id)
    }

    fn check_root(
        &self,
        record: &ConnectionRecord,
        session: &SessionContext,
    ) -> Result<(), ConnectError> {
        let root = session.root();
        let launched = match self.sessions.get(root) {
            Some(recorded) => recorded,
            None if root == &session.agent_session => &record.agent_session,
            None => root,
        };
        let recorded = &record.root_agent_session;
        if recorded.is_blank() || recorded == launched {
            return Ok(());
        }
        Err(ConnectError::RootMismatch {
            connection_id: record.connection_id.clone(),
            recorded: recorded.clone(),
            launched: launched.clone(),
        })
    }

    /// The one connection of a root session that a root session of another name, which
    /// nothing is known of, may take.
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

/// Whether the ordinals of a recorded session start anew for each of its providers.
fn repeats_an_ordinal(records: &[ConnectionRecord], session: &AgentSessionId) -> bool {
    let of_session = records
        .iter()
        .filter(|record| record.agent_session == *session);
    let mut seen = HashSet::new();
    of_session
        .map(|record| record.launch_ordinal)
        .any(|ordinal| !seen.insert(ordinal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cassette_format::schema::{CaptureOrigin, CwdToken};

    fn record(
        number: u64,
        (provider, session, root): (&str, &str, &str),
        ordinal: u64,
    ) -> ConnectionRecord {
        let session = AgentSessionId::from_recorded(session);
        let ordinal = LaunchOrdinal::new(ordinal);
        ConnectionRecord {
            connection_id: ConnectionId::numbered(number),
            provider: ProviderId::from_recorded(provider),
            root_agent_session: AgentSessionId::from_recorded(root),
            launch_ordinal: ordinal,
            cwd_token: CwdToken::new(&session, ordinal),
            agent_session: session,
            capture_origin: CaptureOrigin::ProcessStart,
            unknown: Vec::new(),
        }
    }

    fn launch(
        launches: &mut Launches,
        records: &[ConnectionRecord],
        (provider, session, root): (&str, &str, &str),
    ) -> Result<String, ConnectError> {
        let mut context = SessionContext::new(
            ProviderId::from_recorded(provider),
            AgentSessionId::from_recorded(session),
        );
        context.root_session = Some(AgentSessionId::from_recorded(root));
        let found = launches.find(records, &context)?;
        launches.take(&found);
        Ok(found.record.connection_id.to_string())
    }

    #[test]
    fn ordinals_that_are_unique_in_a_session_count_over_its_providers() {
        let records = [
            record(1, ("codex", "s", "s"), 1),
            record(2, ("claude-code", "s", "s"), 2),
            record(3, ("codex", "s", "s"), 3),
        ];
        let mut launches = Launches::default();
        let mut next = |provider| launch(&mut launches, &records, (provider, "s", "s"));
        assert_eq!(next("codex").unwrap(), "connection-1");
        assert!(next("codex").is_err());
        assert_eq!(next("Claude-Code ").unwrap(), "connection-2");
        assert_eq!(next("codex").unwrap(), "connection-3");
    }

    #[test]
    fn ordinals_that_repeat_count_for_each_provider() {
        let records = [
            record(1, ("codex", "s", "s"), 1),
            record(2, ("claude-code", "s", "s"), 1),
            record(3, ("codex", "s", "s"), 2),
        ];
        let mut launches = Launches::default();
        let mut next = |provider| launch(&mut launches, &records, (provider, "s", "s"));
        assert_eq!(next("codex").unwrap(), "connection-1");
        assert_eq!(next("codex").unwrap(), "connection-3");
        assert_eq!(next("claude-code").unwrap(), "connection-2");
    }

    #[test]
    fn a_refused_launch_uses_nothing_up() {
        let records = [record(1, ("codex", "s", "s"), 1)];
        let mut launches = Launches::default();
        let refused = launch(&mut launches, &records, ("codex", "s", "other"));
        assert!(matches!(refused, Err(ConnectError::RootMismatch { .. })));
        let taken = launch(&mut launches, &records, ("codex", "s", "s"));
        assert_eq!(taken.unwrap(), "connection-1");
    }

    #[test]
    fn an_unknown_root_takes_the_only_root_and_its_children_follow() {
        let records = [
            record(1, ("codex", "r", "r"), 1),
            record(2, ("codex", "kid", "r"), 1),
            record(3, ("codex", "r", "r"), 2),
        ];
        let mut launches = Launches::default();
        let mut next = |session, root| launch(&mut launches, &records, ("codex", session, root));
        assert!(next("kid", "new").is_err());
        assert_eq!(next("new", "new").unwrap(), "connection-1");
        assert_eq!(next("kid", "new").unwrap(), "connection-2");
        assert!(next("stranger", "new").is_err());
        assert_eq!(next("new", "new").unwrap(), "connection-3");
    }
}
