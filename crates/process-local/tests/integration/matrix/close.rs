//! The host closes.

use cassette_format::process::ProcessConnection as _;

use crate::agent::{options, within};
use crate::matrix::agents::KINDS;
use crate::matrix::row::{Tally, rounds};

#[tokio::test]
async fn closing_leaves_nobody_of_any_group_and_loses_nothing() {
    let mut tally = Tally::default();
    for kind in (0..rounds()).flat_map(|_| KINDS) {
        let mut row = kind.start(options()).await;
        row.ending();

        within(row.agent().close()).await.unwrap();

        let report = row.agent().close_report().unwrap();
        assert_eq!(
            (report.ended_by(), report.output, report.tree),
            (Some(kind.ended_by), Some(kind.output), crate::TREE),
            "{}",
            kind.name
        );
        let end = row.hear_the_end().await;
        assert_eq!(
            row.agent()
                .exit_report()
                .map(|report| report.discarded_bytes),
            Some(report.discarded_bytes)
        );
        let says = end
            .message
            .is_some_and(|message| message.contains("discarded"));
        assert_eq!(says, report.discarded_bytes > 0, "{}", kind.name);
        tally.add(row.assert_nothing_is_left("close").await);
    }
    tally.tell("closed");
}
