//! A side of a connection to test with: a made-up provider, directories, rules.

use std::collections::BTreeSet;

use cassette_format::descriptor::{
    Descriptor, Dialect, GeneratedField, IdentityFields, MessageFraming, Spelling, TargetId,
};
use cassette_format::portable::{RootSources, Rules};
use cassette_format::schema::ProviderId;
use cassette_replay::matching::{
    Correspondence, Difference, MatchRules, Matched, Matcher, MessageId, Side as MatchSide,
};

pub(crate) const TOKEN: &str = "${SESSION_CWD:session-1:1}";

#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) descriptor: Descriptor,
    pub(crate) cwd: Option<&'static str>,
    pub(crate) cwd_roots: Vec<String>,
    pub(crate) homes: Vec<String>,
    pub(crate) rules: Rules,
    pub(crate) secrets: Vec<(&'static str, &'static str)>,
    pub(crate) known: Correspondence,
}

impl Side {
    /// A JSON-RPC provider with `turnId` as a generated identity and `sessionId` as
    /// one that is only compared, working in `/new`, at home in `/home/n`.
    pub(crate) fn new() -> Self {
        let mut descriptor = Descriptor::new(
            ProviderId::from_recorded("made-up"),
            TargetId::named("local:made-up"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        );
        descriptor.identity_fields = IdentityFields {
            generated: vec!["turnId".into()],
            match_only: vec!["sessionId".into()],
        };
        descriptor.generated_fields = vec![GeneratedField {
            method: "turn/start".into(),
            parameter: "turnId".into(),
            prefix: "plan:".into(),
            portable: "plan:<any>".into(),
        }];
        Self {
            descriptor,
            cwd: Some("/new"),
            cwd_roots: Vec::new(),
            homes: vec!["/home/n".into()],
            rules: Rules::default(),
            secrets: Vec::new(),
            known: Correspondence::default(),
        }
    }

    pub(crate) fn dialect(mut self, dialect: Dialect) -> Self {
        self.descriptor.dialect = dialect;
        self
    }

    pub(crate) fn spelling(mut self, spellings: &[Spelling]) -> Self {
        self.descriptor.spellings = spellings.iter().copied().collect::<BTreeSet<_>>();
        self
    }

    pub(crate) fn changed(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    pub(crate) fn match_rules(&self) -> MatchRules {
        let side = MatchSide {
            sources: RootSources {
                cwd: self.cwd,
                cwd_roots: &self.cwd_roots,
                home_roots: &self.homes,
                ..RootSources::default()
            },
            cwd_token: TOKEN,
            secrets: &self.secrets,
            ..MatchSide::new(&self.rules)
        };
        MatchRules::new(&self.descriptor, &side)
    }

    pub(crate) fn judge(&self, recorded: &str, sent: &str) -> Result<Matched, Box<Difference>> {
        self.judge_bytes(recorded.as_bytes(), sent.as_bytes())
    }

    pub(crate) fn judge_bytes(
        &self,
        recorded: &[u8],
        sent: &[u8],
    ) -> Result<Matched, Box<Difference>> {
        Matcher::new(self.match_rules()).judge(recorded, sent, &self.known)
    }

    pub(crate) fn matches(&self, recorded: &str, sent: &str) -> bool {
        self.judge(recorded, sent).is_ok()
    }

    /// Judges and learns, as a player does.
    pub(crate) fn learn(&mut self, recorded: &str, sent: &str) -> bool {
        let Ok(matched) = self.judge(recorded, sent) else {
            return false;
        };
        self.known.learn(&matched);
        true
    }

    /// What a message of the agent becomes.
    pub(crate) fn said(&self, message: &str) -> String {
        let edits = Matcher::new(self.match_rules()).rewrite(message.as_bytes(), &self.known);
        let edits = edits.unwrap_or_default();
        let bytes = edits.apply(message.as_bytes()).unwrap().bytes.into_owned();
        String::from_utf8(bytes).unwrap()
    }
}

pub(crate) fn id(text: &str) -> MessageId {
    MessageId::from_json(text).unwrap()
}

pub(crate) fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
    list.iter().map(owned).collect()
}
