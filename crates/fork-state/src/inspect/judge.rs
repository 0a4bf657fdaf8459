//! What the records of a layout should say: whose transcript it is, what it
//! goes on from, and whether every record belongs to it.

use super::damage::{DamageKind, NoteKind};
use super::members::{Field, Members, Value, Wanted};
use super::ordinals::Ordinals;
use super::report::HistoryBase;
use crate::ProviderSessionId;

/// Where the records of a transcript name their session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordLayout {
    /// The first one does, in its payload, and what the transcript goes on from.
    Rollout,
    /// All do, or most.
    ProjectFile,
}

/// Whose transcript it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The session's that was asked for.
    This,
    /// Another one's, or no transcript.
    Other,
    /// Unknown: no session was asked for, or the record that names it is
    /// damaged, or there is none.
    Unknown,
}

/// What is wrong or odd with a record that is an object.
#[derive(Debug, Default)]
pub(super) struct Finding {
    pub(super) damage: Option<DamageKind>,
    pub(super) note: Option<NoteKind>,
}

/// Looks at the members of the records, in order.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    layout: RecordLayout,
    asked: Option<ProviderSessionId>,
    identity: Option<Identity>,
    sessions: Vec<ProviderSessionId>,
    base: Option<HistoryBase>,
    ordinals: Ordinals,
}

impl Judge {
    /// Of a transcript that should be the session's that is asked for.
    pub(crate) fn new(layout: RecordLayout, asked: Option<&ProviderSessionId>) -> Self {
        Self {
            layout,
            asked: asked.cloned(),
            identity: None,
            sessions: Vec::new(),
            base: None,
            ordinals: Ordinals::default(),
        }
    }

    /// Whose transcript it is, once that is known.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// The sessions that it names as its own, and what it goes on from.
    pub(super) fn into_parts(self) -> (Vec<ProviderSessionId>, Option<HistoryBase>) {
        (self.sessions, self.base)
    }

    /// What is to be read of this record.
    pub(super) fn wanted(&self, record: u64) -> Wanted {
        match self.layout {
            RecordLayout::Rollout if record == 1 => Wanted::RolloutHead,
            RecordLayout::Rollout => Wanted::RolloutBody,
            RecordLayout::ProjectFile => Wanted::ProjectFile,
        }
    }

    /// This record is an object with these members.
    pub(super) fn record(&mut self, members: &Members, record: u64) -> Finding {
        match self.layout {
            RecordLayout::Rollout => Finding {
                damage: if record == 1 {
                    self.head(members)
                } else {
                    None
                },
                note: self.ordinal(members),
            },
            RecordLayout::ProjectFile => Finding {
                damage: self.session_of_record(members),
                note: None,
            },
        }
    }

    /// The ordinal that the next record should have, where the one before has one.
    pub(super) fn next_ordinal(&self) -> Option<u64> {
        self.ordinals.expected()
    }

    /// The next record is damaged.
    pub(super) fn damaged(&mut self) {
        self.identity.get_or_insert(Identity::Unknown);
    }

    /// There are no more.
    pub(super) fn end(&mut self) {
        self.identity.get_or_insert(Identity::Unknown);
    }

    fn head(&mut self, members: &Members) -> Option<DamageKind> {
        if members.text_of(Field::Type) == Some("session_meta") {
            for field in [Field::PayloadId, Field::PayloadSessionId] {
                if !matches!(members.value(field), Value::Absent | Value::Text) {
                    self.identity.get_or_insert(Identity::Unknown);
                    return Some(DamageKind::UnreadableSession);
                }
                self.name(members.text_of(field));
            }
        }
        self.identify();
        if self.sessions.is_empty() {
            return None;
        }
        match members.value(Field::Base) {
            Value::Absent => None,
            _ => {
                self.base = history_base(members);
                self.base.is_none().then_some(DamageKind::UnreadableBase)
            }
        }
    }

    fn ordinal(&mut self, members: &Members) -> Option<NoteKind> {
        self.ordinals.next(members.number_of(Field::Ordinal)?)
    }

    fn session_of_record(&mut self, members: &Members) -> Option<DamageKind> {
        let text = match members.value(Field::SessionId) {
            Value::Absent => return None,
            _ => members.text_of(Field::SessionId),
        };
        if self.sessions.is_empty() {
            self.name(text);
            self.identify();
        }
        let own = self.asked.as_ref().or(self.sessions.first());
        let is_own = own
            .zip(text)
            .is_some_and(|(own, text)| own.as_str() == text.trim());
        (!is_own).then_some(DamageKind::OtherSession)
    }

    /// The transcript names this as its session.
    fn name(&mut self, session: Option<&str>) {
        let session = session.and_then(|session| session.parse().ok());
        self.sessions
            .extend(session.filter(|it| !self.sessions.contains(it)));
    }

    /// All that names the session was read.
    fn identify(&mut self) {
        self.identity.get_or_insert(match &self.asked {
            None => Identity::Unknown,
            Some(asked) if self.sessions.contains(asked) => Identity::This,
            Some(_) => Identity::Other,
        });
    }
}

fn history_base(members: &Members) -> Option<HistoryBase> {
    Some(HistoryBase {
        session: members.text_of(Field::BaseThread)?.parse().ok()?,
        end_ordinal_exclusive: members.number_of(Field::BaseOrdinal)?,
        end_byte_offset: members.number_of(Field::BaseOffset)?,
    })
}
