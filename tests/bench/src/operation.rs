//! What is done with a tape, and what each is measured beside.

use crate::case::Case;
use crate::cost::Cost;
use crate::row::{Goal, Unit};
use crate::{audit, load, record, replay, scan, summary};

/// One thing that is done with a tape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    /// What is done.
    pub(crate) name: &'static str,
    /// The least that it could be.
    pub(crate) limit_name: &'static str,
    /// What is aimed at.
    pub(crate) goal: Goal,
    /// The size of payload at which it is aimed at; any where there is none.
    pub(crate) goal_at: Option<usize>,
    /// What is counted a second.
    pub(crate) unit: Unit,
    /// Whether it is done with what was made ready of the tape, and not with the file alone.
    pub(crate) needs_materials: bool,
    /// Does it once.
    pub(crate) ours: Work,
    /// Does the least once.
    pub(crate) limit: Work,
}

/// Something to measure: it makes ready what it needs, and says what the rest took.
pub(crate) type Work = fn(&Case) -> anyhow::Result<Cost>;

/// The payload of the usual message, at which recording and replaying are aimed at something.
pub(crate) const USUAL_PAYLOAD: Option<usize> = Some(600);

pub(crate) const LOAD: Operation = Operation {
    name: "load + verify",
    limit_name: "sha256 of the same bytes",
    goal: Goal::Wall(1.25),
    goal_at: None,
    unit: Unit::Bytes,
    needs_materials: false,
    ours: load::load,
    limit: load::hash,
};

pub(crate) const RECORD: Operation = Operation {
    name: "record, projection and five secrets",
    limit_name: "base64, sha256 and write of the same payloads",
    goal: Goal::Cpu(2.5),
    goal_at: USUAL_PAYLOAD,
    unit: Unit::Frames,
    needs_materials: true,
    ours: record::record,
    limit: record::write,
};

pub(crate) const FINISH: Operation = Operation {
    name: "finish a recording",
    limit_name: "sync of a file with the same bytes",
    goal: Goal::None,
    goal_at: None,
    unit: Unit::Bytes,
    needs_materials: true,
    ours: record::finish,
    limit: record::sync,
};

pub(crate) const AUDIT: Operation = Operation {
    name: "audit",
    limit_name: "base64 decoded, JSON scanned, five needles looked for",
    goal: Goal::Wall(1.5),
    goal_at: None,
    unit: Unit::Bytes,
    needs_materials: false,
    ours: audit::audit,
    limit: audit::least,
};

pub(crate) const UNMAPPED: Operation = Operation {
    name: "replay, unmapped",
    limit_name: "base64 decoded",
    goal: Goal::Rate(400_000.0),
    goal_at: USUAL_PAYLOAD,
    unit: Unit::Frames,
    needs_materials: true,
    ours: replay::unmapped,
    limit: replay::decode,
};

pub(crate) const MAPPED: Operation = Operation {
    name: "replay, mapped",
    limit_name: "base64 decoded",
    goal: Goal::Rate(150_000.0),
    goal_at: USUAL_PAYLOAD,
    unit: Unit::Frames,
    needs_materials: true,
    ours: replay::mapped,
    limit: replay::decode,
};

pub(crate) const SCAN: Operation = Operation {
    name: "scan, JSON",
    limit_name: "serde_json skips the same messages",
    goal: Goal::None,
    goal_at: None,
    unit: Unit::Bytes,
    needs_materials: true,
    ours: scan::tokens,
    limit: scan::skip,
};

pub(crate) const SECRETS: Operation = Operation {
    name: "scan, five secrets in sixteen forms",
    limit_name: "five needles looked for",
    goal: Goal::None,
    goal_at: None,
    unit: Unit::Bytes,
    needs_materials: true,
    ours: scan::secrets,
    limit: scan::needles,
};

pub(crate) const SUMMARY: Operation = Operation {
    name: "summarise a loaded tape",
    limit_name: "JSON scanned",
    goal: Goal::None,
    goal_at: None,
    unit: Unit::Bytes,
    needs_materials: false,
    ours: summary::summarise,
    limit: scan::tokens,
};

/// What is done with every tape, in the order of the table.
pub(crate) const OF_TAPES: [Operation; 9] = [
    LOAD, RECORD, FINISH, AUDIT, UNMAPPED, MAPPED, SCAN, SECRETS, SUMMARY,
];

/// What has to stay linear.
pub(crate) const LINEAR: [Operation; 6] = [LOAD, RECORD, AUDIT, UNMAPPED, MAPPED, SUMMARY];

impl Operation {
    /// The one of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        OF_TAPES.into_iter().find(|it| it.name == name)
    }

    /// What is aimed at with this tape.
    pub(crate) fn goal_with(&self, case: &Case) -> Goal {
        match self.goal_at {
            Some(_) if self.goal_at != case.payload => Goal::None,
            _ => self.goal,
        }
    }
}
