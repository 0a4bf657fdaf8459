//! All forms of one value, each once.

use std::collections::BTreeSet;

use super::base64_forms::base64_forms;
use super::hex_forms::hex_forms;
use super::json_escaper::{JsonEscaper, JsonMarks, NonAscii};
use super::percent_forms::percent_forms;

/// Bytes below which a form would be found by chance.
const MIN_FORM: usize = 8;

/// Every form of `value` that is looked for; the list is in the docs of
/// [`SecretFilter`](crate::SecretFilter).
///
/// Most values are of letters and digits with few marks, and most of their
/// forms are then the same.
pub(in crate::secrets) fn needle_forms(value: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut forms = BTreeSet::from([value.to_vec()]);
    json_forms(value, &mut forms);
    for encoded in base64_forms(value) {
        for marks in [JsonMarks::Slash, JsonMarks::DotNet, JsonMarks::All] {
            for escaper in JsonEscaper::both_cases(marks, NonAscii::Kept) {
                forms.insert(escaper.escape(&encoded));
            }
        }
        forms.insert(encoded);
    }
    forms.extend(hex_forms(value));
    forms.extend(percent_forms(value));
    forms.retain(|form| form.len() >= MIN_FORM);
    forms
}

/// The texts of JSON strings, and of JSON strings in such.
fn json_forms(value: &[u8], forms: &mut BTreeSet<Vec<u8>>) {
    let minimal = JsonEscaper::MINIMAL;
    for escaper in JsonEscaper::all() {
        let inner = escaper.escape(value);
        for outer in [escaper, minimal, JsonEscaper::ASCII] {
            let twice = outer.escape(&inner);
            forms.insert(minimal.escape(&twice));
            forms.insert(twice);
        }
        forms.insert(inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_value_has_few_forms() {
        let forms = needle_forms(b"jklmnopq12345678");
        // As it is, three of base64, two of hexadecimal.
        assert_eq!(forms.len(), 6, "{forms:?}");
    }

    #[test]
    fn all_forms_are_long_enough() {
        for value in ["abcdefgh", "::::::::", "\u{1f511}\u{1f511}"] {
            assert!(
                needle_forms(value.as_bytes())
                    .iter()
                    .all(|form| form.len() >= 8)
            );
        }
    }
}
