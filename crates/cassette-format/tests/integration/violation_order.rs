//! Which error it is when a cassette is broken in several ways.

use cassette_format::schema::{CaptureOrigin, ChunkSeq, GlobalSeq, LaunchOrdinal, ProviderId};
use cassette_format::store::{OpenError, ReadOptions};

use crate::tape_files::Draft;
use crate::violations::{Broken, IN_ORDER, Violation, error_of, plant};

/// Asserts that of the `planted` violations the one in `reported` is the error,
/// with all its values.
fn assert_reports(planted: &[Violation], reported: Violation) {
    let broken: Broken = plant(Draft::conversation(), planted);
    let error = broken
        .disk
        .open_with(&broken.options)
        .expect_err("violations are planted");
    let expected = error_of(reported, &broken);
    assert_eq!(format!("{error:?}"), format!("{expected:?}"), "{planted:?}");
}

#[test]
fn a_sound_cassette_passes_under_the_limits_of_these_tests() {
    let sound = plant(Draft::conversation(), &[]);
    let tape = sound.disk.open_with(&sound.options).unwrap();
    assert_eq!(crate::tape_files::seen_in(&tape), sound.draft.seen());
}

#[test]
fn each_violation_alone_is_refused_with_its_own_error() {
    for violation in IN_ORDER {
        assert_reports(&[violation], violation);
    }
}

#[test]
fn of_two_violations_the_one_that_is_checked_first_is_reported() {
    for (at, first) in IN_ORDER.into_iter().enumerate() {
        for second in &IN_ORDER[at + 1..] {
            if !cover_each_other(first, *second) {
                assert_reports(&[first, *second], first);
                assert_reports(&[*second, first], first);
            }
        }
    }
}

#[test]
fn of_all_violations_the_first_that_is_left_is_reported() {
    // Files that are missing or too large hide what is in them.
    let hiding = [
        Violation::ManifestMissing,
        Violation::ManifestTooLarge,
        Violation::ManifestNotJson,
        Violation::FramesMissing,
        Violation::FramesTooLarge,
    ];
    let inside: Vec<Violation> = IN_ORDER
        .into_iter()
        .filter(|violation| !hiding.contains(violation))
        .collect();
    let first_lines = [
        Violation::LineTooLong,
        Violation::LineNotJson,
        Violation::GlobalSequence,
    ];
    for from in 0..inside.len() {
        let left = &inside[from..];
        // Rewriting a line for one of them would undo what another did to it.
        let planted: Vec<Violation> = left
            .iter()
            .copied()
            .filter(|violation| {
                !matches!(violation, Violation::DuplicateConnection)
                    || !left.contains(&Violation::LaunchOrdinal)
            })
            .filter(|violation| {
                !first_lines.contains(violation)
                    || *violation == left[0]
                    || !first_lines.contains(&left[0])
            })
            .filter(|violation| {
                !matches!(violation, Violation::Unlisted)
                    || !left.contains(&Violation::ChunkSequence)
            })
            .collect();
        assert_reports(&planted, left[0]);
    }
}

/// Whether the two cannot be in one cassette, each where it is planted.
fn cover_each_other(first: Violation, second: Violation) -> bool {
    matches!(
        (first, second),
        (
            Violation::ManifestMissing,
            Violation::ManifestTooLarge | Violation::ManifestNotJson
        ) | (Violation::ManifestTooLarge, Violation::ManifestNotJson)
            | (Violation::FramesMissing, Violation::FramesTooLarge)
    )
}

/// Checks that `change` to a sound conversation is the error `expected`.
fn assert_refused(change: impl FnOnce(&mut Draft), expected: impl FnOnce(&OpenError) -> bool) {
    let mut draft = Draft::conversation();
    change(&mut draft);
    draft.seal();
    let known = ["codex"].map(ProviderId::from_recorded);
    let options = ReadOptions::default().for_providers(known);
    let error = draft.on_disk().open_with(&options).unwrap_err();
    assert!(expected(&error), "{error:?}");
}

#[test]
fn provider_and_origin_are_checked_connection_by_connection() {
    assert_refused(
        |draft| {
            draft.manifest.connections[0].capture_origin = CaptureOrigin::named("");
            draft.manifest.connections[1].provider = ProviderId::from_recorded("other");
        },
        |error| {
            matches!(error, OpenError::CaptureOrigin { connection_id, .. }
            if connection_id.as_str() == "connection-1")
        },
    );
    assert_refused(
        |draft| {
            draft.manifest.connections[1].capture_origin = CaptureOrigin::named("");
            draft.manifest.connections[1].provider = ProviderId::from_recorded("other");
        },
        |error| {
            matches!(error, OpenError::UnknownProvider { connection_id, .. }
            if connection_id.as_str() == "connection-2")
        },
    );
}

#[test]
fn lines_are_checked_one_by_one_and_decoded_first() {
    assert_refused(
        |draft| {
            draft.lines[1].rewrite(|chunk| chunk.global_seq = GlobalSeq::new(7));
            draft.lines[2].text = b"{".to_vec();
        },
        |error| matches!(error, OpenError::GlobalSequence { line: 2, .. }),
    );
    assert_refused(
        |draft| {
            draft.lines[1].rewrite(|chunk| chunk.global_seq = GlobalSeq::new(7));
            draft.lines[1].text.pop();
        },
        |error| matches!(error, OpenError::Line { line: 2, .. }),
    );
}

#[test]
fn ordinal_duplicate_and_chunk_order_are_checked_connection_by_connection() {
    assert_refused(
        |draft| {
            draft.lines[0].rewrite(|chunk| chunk.chunk_seq = ChunkSeq::new(2));
            draft.manifest.connections[1].launch_ordinal = LaunchOrdinal::new(0);
        },
        |error| matches!(error, OpenError::ChunkSequence { line: 1, .. }),
    );
    assert_refused(
        |draft| {
            draft.lines[1].rewrite(|chunk| chunk.chunk_seq = ChunkSeq::new(2));
            draft.manifest.connections[1].launch_ordinal = LaunchOrdinal::new(0);
        },
        |error| {
            matches!(error, OpenError::LaunchOrdinal { connection_id, .. }
            if connection_id.as_str() == "connection-2")
        },
    );
    assert_refused(
        |draft| {
            draft.lines[1].rewrite(|chunk| chunk.chunk_seq = ChunkSeq::new(2));
            draft.manifest.connections[2] = draft.manifest.connections[0].clone();
        },
        |error| matches!(error, OpenError::ChunkSequence { line: 2, .. }),
    );
}

#[test]
fn the_same_identity_of_two_launches_is_a_duplicate() {
    assert_refused(
        |draft| {
            let first = draft.manifest.connections[0].connection_id.clone();
            draft.manifest.connections[2].connection_id = first;
        },
        |error| {
            matches!(error, OpenError::DuplicateConnectionId { connection_id, first: 1, second: 3, .. }
            if connection_id.as_str() == "connection-1")
        },
    );
}

#[test]
fn one_session_may_launch_several_providers_and_ordinals() {
    let mut draft = Draft::conversation();
    for (record, provider) in draft
        .manifest
        .connections
        .iter_mut()
        .zip(["codex", "acp", "codex"])
    {
        record.agent_session = "one".parse().unwrap();
        record.provider = ProviderId::from_recorded(provider);
    }
    draft.manifest.connections[2].launch_ordinal = LaunchOrdinal::new(9);
    assert!(draft.on_disk().open().is_ok());
}
