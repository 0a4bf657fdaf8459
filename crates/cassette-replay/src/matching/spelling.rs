//! Whether a text that is sent is what was recorded, once this side's directories,
//! secrets and the caller's rules are taken into account.

use cassette_format::portable::FieldClass;

use super::rules::MatchRules;

/// A text as it was recorded, and as it is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'t> {
    pub(super) recorded: &'t str,
    pub(super) sent: &'t str,
}

/// What the place of a text says of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field<'f> {
    pub(super) class: FieldClass,
    /// Its name; empty in a list.
    pub(super) name: &'f str,
}

impl MatchRules {
    /// Whether recording what is sent would have given what was recorded.
    pub(super) fn texts_agree(&self, field: Field<'_>, texts: Texts<'_>) -> bool {
        let Texts { recorded, sent } = texts;
        if recorded == sent {
            return true;
        }
        let is_path = field.class == FieldClass::Path;
        if is_path && self.directories.agree(recorded, sent) {
            return true;
        }
        let mut forms = is_path
            .then(|| self.directories.portable(recorded, sent))
            .into_iter()
            .flatten();
        self.form_agrees(field, recorded, sent)
            || forms.any(|form| self.form_agrees(field, recorded, &form))
    }

    /// What the caller's rules make of a text, if they change it.
    pub(super) fn ruled(&self, name: &str, text: &str) -> Option<String> {
        self.projection.text(FieldClass::Plain, name, text)
    }

    /// Whether two names of members mean the same.
    pub(super) fn keys_agree(&self, recorded: &str, sent: &str) -> bool {
        let portable = self.projection.key_text(sent);
        let sent = portable.as_deref().unwrap_or(sent);
        recorded == sent || self.secrets.agree(recorded, sent)
    }

    /// The same as `texts_agree` of one way to write what is sent.
    fn form_agrees(&self, field: Field<'_>, recorded: &str, form: &str) -> bool {
        if self.secrets.agree(recorded, form) {
            return true;
        }
        let portable = self.projection.text(field.class, field.name, form);
        portable
            .is_some_and(|portable| portable == recorded || self.secrets.agree(recorded, &portable))
    }
}
