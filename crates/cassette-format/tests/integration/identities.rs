//! How identities and numbers read and compare.

use std::collections::HashSet;
use std::time::Duration;

use cassette_format::schema::{
    AgentSessionId, ChunkKind, ChunkSeq, ElapsedMs, GlobalSeq, LaunchOrdinal, ProviderId,
};
use proptest::prelude::*;

#[test]
fn providers_compare_without_case_in_every_script() {
    for (one, other) in [
        ("ǅx", "ǆX"),
        ("ΑΣ", "ας".replace('ς', "σ").as_str()),
        (" ÄÖ\t", "äö"),
    ] {
        assert_eq!(
            ProviderId::from_recorded(one),
            ProviderId::from_recorded(other)
        );
        let both: HashSet<ProviderId> = [one, other].map(ProviderId::from_recorded).into();
        assert_eq!(both.len(), 1);
    }
}

#[test]
fn elapsed_times_read_with_or_without_their_unit() {
    assert_eq!("5".parse(), Ok(ElapsedMs::new(5)));
    assert_eq!("5 ms".parse(), Ok(ElapsedMs::new(5)));
    for text in ["5msms", "ms", "", "-5", "5.0", "5s"] {
        assert!(text.parse::<ElapsedMs>().is_err(), "{text}");
    }
}

#[test]
fn no_duration_is_longer_than_a_reader_accepts() {
    assert_eq!(ElapsedMs::from_duration(Duration::MAX), ElapsedMs::MAX);
    assert_eq!(
        ElapsedMs::from_duration(Duration::from_micros(1999)),
        ElapsedMs::new(1)
    );
}

#[test]
fn the_largest_sequence_number_has_no_next() {
    assert_eq!(GlobalSeq::new(u64::MAX).next(), GlobalSeq::new(u64::MAX));
    assert_eq!(LaunchOrdinal::default().next(), LaunchOrdinal::FIRST);
    assert!("18446744073709551616".parse::<ChunkSeq>().is_err());
}

proptest! {
    #[test]
    fn displayed_values_parse_back(number in any::<u64>(), name in ".{0,8}") {
        prop_assert_eq!(GlobalSeq::new(number).to_string().parse(), Ok(GlobalSeq::new(number)));
        prop_assert_eq!(ElapsedMs::new(number).to_string().parse(), Ok(ElapsedMs::new(number)));
        prop_assert_eq!(ChunkKind::named(&name).to_string().parse(), Ok(ChunkKind::named(&name)));
    }

    #[test]
    fn normalizing_a_provider_again_changes_nothing(name in ".{0,8}") {
        let once = ProviderId::from_recorded(ProviderId::from_recorded(&*name).normalized());
        prop_assert_eq!(once.as_str(), once.normalized());
        prop_assert_eq!(&once, &ProviderId::from_recorded(name));
    }

    #[test]
    fn equal_sessions_are_one_in_a_set(name in ".{0,6}", before in "[ \t\n]{0,2}", after in "\\s{0,2}") {
        let spelled = AgentSessionId::from_recorded(format!("{before}{name}{after}"));
        let plain = AgentSessionId::from_recorded(name);
        prop_assert_eq!(HashSet::from([spelled, plain]).len(), 1);
    }
}
