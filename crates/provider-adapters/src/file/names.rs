//! Names that must differ from one another.

use std::collections::BTreeMap;

use super::MistakeKind;
use super::findings::Findings;
use super::table::Field;

/// The names so far, as they compare: trimmed and in lower case.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Each with the field that has it.
    fields: BTreeMap<String, String>,
}

impl Names {
    /// Takes the name that stands in `field`; a mistake if another field has it.
    pub(super) fn take(&mut self, field: &Field<'_>, name: &str, findings: &mut Findings) {
        let folded = name.trim().to_lowercase();
        if let Some(first) = self.fields.get(&folded) {
            let first = first.clone();
            findings.add(
                field.node.offset,
                &field.path,
                MistakeKind::SameAs { first },
            );
            return;
        }
        self.fields.insert(folded, field.path.clone());
    }
}
