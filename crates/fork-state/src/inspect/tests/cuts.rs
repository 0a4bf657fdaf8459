//! How the bytes are cut into buffers changes nothing.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};
use proptest::sample::select;

use super::*;

const PIECES: [&str; 22] = [
    "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t\",\"history_base\":{\"thread_id\":\"p\",\
     \"end_ordinal_exclusive\":3,\"end_byte_offset\":9}}}",
    "{\"sessionId\":\"t\",\"ordinal\":7}",
    "{\"sessionId\":\"\\u0074x\",\"ordinal\":6}",
    "{\"ordinal\":18446744073709551615,\"a\":[true,null,-0.5E-7,\"\\ud83d\\ude00é\"]}",
    "{\"text\":\"a long text, longer than the words that are looked at one by one, and than a \
     block of sixty-four bytes, with \\\"quotes\\\" in it\"}",
    "{",
    "\"",
    "{\"",
    "}",
    "}{",
    ":",
    ",",
    "[",
    "\\",
    "\\u12",
    "\n",
    "\n",
    " \r\n",
    "\0\0",
    "\u{feff}",
    "x",
    "1",
];

fn text() -> impl Strategy<Value = String> {
    vec(select(&PIECES[..]), 0..14).prop_map(|pieces| pieces.concat())
}

fn layout() -> impl Strategy<Value = RecordLayout> {
    select(&[RecordLayout::Rollout, RecordLayout::ProjectFile][..])
}

proptest! {
    #[test]
    fn a_report_does_not_depend_on_how_the_bytes_are_cut(
        text in text(),
        layout in layout(),
        cuts in vec(any::<u16>(), 0..6),
        prefix in 0..300u64,
    ) {
        let bytes = text.as_bytes();
        let whole = in_parts(layout, Some(prefix), iter::once(bytes));
        let bytewise = in_parts(layout, Some(prefix), bytes.chunks(1));
        prop_assert_eq!(&bytewise, &whole);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| usize::from(*cut) % (bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut rest = bytes;
        let mut parts = Vec::new();
        for cut in cuts {
            let (part, behind) = rest.split_at(cut - (bytes.len() - rest.len()));
            parts.push(part);
            rest = behind;
        }
        parts.push(rest);
        let cut = in_parts(layout, Some(prefix), parts.into_iter());
        prop_assert_eq!(&cut, &whole);
    }
}

#[test]
fn a_record_ends_only_behind_its_line_feed() {
    let text = "{\"a\":1}\r\n\n{\"b\":{}}\n{\"c\":1}{}\n{\"d\":1}";
    let ends = |end: &u64| {
        let inspection = in_parts(
            RecordLayout::Rollout,
            Some(*end),
            iter::once(text.as_bytes()),
        );
        inspection.boundary.is_some()
    };
    let found: Vec<u64> = (0..50).filter(ends).collect();
    assert_eq!(found, [9, 19]);
    let beyond = in_parts(RecordLayout::Rollout, Some(99), iter::once(text.as_bytes()));
    assert_eq!((beyond.boundary, beyond.beginnings), (None, Vec::new()));
}
