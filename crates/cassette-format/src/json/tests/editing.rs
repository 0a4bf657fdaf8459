//! Edits against the plain way to make them.

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use super::at_least;
use super::documents::{Document, documents};
use crate::json::{Edits, Scanner, Span, Splicer};

/// A document and, for some of its strings and numbers, something longer or
/// shorter to put there.
fn edited() -> impl Strategy<Value = (Document, Vec<(Span, Vec<u8>)>)> {
    let choices = prop::collection::vec(any::<u8>(), 1..64);
    (documents(), choices).prop_map(|(document, choices)| {
        let edits = document
            .tokens
            .iter()
            .zip(choices.into_iter().cycle())
            .filter(|(_, choice)| choice % 3 == 0)
            .map(|(token, choice)| (token.span, vec![b'#'; usize::from(choice / 16)]))
            .collect();
        (document, edits)
    })
}

proptest! {
    #![proptest_config(at_least(2000))]

    #[test]
    fn replacing_spans_by_themselves_changes_nothing(document in documents()) {
        let mut edits = Edits::new();
        for token in &document.tokens {
            edits.replace(token.span, token.span.text(&document.bytes));
        }
        let spliced = edits.apply(&document.bytes).unwrap();
        prop_assert_eq!(&spliced.bytes[..], &document.bytes[..]);
        for landing in spliced.landings {
            prop_assert_eq!(landing.from, landing.to);
        }
    }

    #[test]
    fn edits_change_only_their_spans((document, list) in edited(), order in any::<u64>()) {
        let bytes = &document.bytes;
        let mut expected = bytes.clone();
        for (span, replacement) in list.iter().rev() {
            expected.splice(span.start..span.end, replacement.iter().copied());
        }
        let mut edits = Edits::new();
        let mut splicer = Splicer::new(bytes);
        let turn = usize::try_from(order % (list.len() as u64 + 1)).unwrap();
        let (front, back) = list.split_at(turn);
        for (span, replacement) in back.iter().chain(front) {
            edits.replace(*span, replacement);
        }
        let spliced = edits.apply(bytes).unwrap();
        for ((span, replacement), landing) in list.iter().zip(&spliced.landings) {
            prop_assert_eq!(splicer.replace(*span, replacement).unwrap(), *landing);
            prop_assert_eq!(landing.from, *span);
            prop_assert_eq!(landing.to.text(&spliced.bytes), &replacement[..]);
        }
        prop_assert_eq!(&spliced.bytes[..], &expected[..]);
        prop_assert_eq!(&splicer.finish()[..], &expected[..]);
        prop_assert_eq!(edits.len_after(bytes.len()), expected.len());
    }

    #[test]
    fn moved_boundaries_give_each_replacement_to_one_piece(
        (document, list) in edited(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let len = document.bytes.len();
        let mut edits = Edits::new();
        for (span, replacement) in &list {
            edits.replace(*span, replacement);
        }
        let spliced = edits.apply(&document.bytes).unwrap();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(len + 1)).collect();
        cuts.extend([0, len]);
        cuts.sort_unstable();
        let moved: Vec<_> = cuts.iter().map(|cut| spliced.boundary(*cut)).collect();
        prop_assert!(moved.is_sorted());
        prop_assert_eq!((moved[0], moved[moved.len() - 1]), (0, spliced.bytes.len()));
        for landing in spliced.landings.iter().filter(|landing| !landing.to.is_empty()) {
            let holds = |cuts: &[usize], offset| cuts.partition_point(|cut| *cut <= offset);
            let piece = holds(&cuts, landing.from.start);
            prop_assert_eq!(holds(&moved, landing.to.start), piece);
            prop_assert_eq!(holds(&moved, landing.to.end - 1), piece);
        }
    }
}

#[test]
fn insertions_before_the_end_tag_keep_the_document_readable() {
    let bytes = br#"{"a":1}"#;
    let mut edits = Edits::new();
    edits.replace(Span::new(6, 6), br#","b":2"#);
    let spliced = edits.apply(bytes).unwrap();
    assert_eq!(&spliced.bytes[..], br#"{"a":1,"b":2}"#);
    assert!(Scanner::new(&spliced.bytes).skip_value().is_ok());
}
