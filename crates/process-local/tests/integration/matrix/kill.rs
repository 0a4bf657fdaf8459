//! The host kills.

use cassette_format::process::ProcessConnection as _;
use process_local::OutputEnd;

use crate::agent::options;
use crate::matrix::agents::KINDS;
use crate::matrix::row::{Tally, rounds};

#[tokio::test]
async fn killing_leaves_nobody_of_any_group_and_loses_nothing() {
    let mut tally = Tally::default();
    for kind in (0..rounds()).flat_map(|_| KINDS) {
        let mut row = kind.start(options()).await;
        row.ending();

        row.agent().kill().await.unwrap();

        row.hear_the_end().await;
        let report = row.agent().exit_report().unwrap();
        assert_eq!(
            (report.signal, report.output),
            (Some(9), OutputEnd::Eof),
            "{}",
            kind.name
        );
        tally.add(row.assert_nothing_is_left("kill").await);
    }
    tally.tell("killed");
}
