//! The agent ends by itself.

use cassette_format::process::{ExitCode, ProcessConnection as _};
use process_local::CloseStep;

use crate::agent::options;
use crate::matrix::agents::KINDS;

#[tokio::test]
async fn a_normal_exit_leaves_nobody_of_any_group_and_loses_nothing() {
    for kind in KINDS
        .into_iter()
        .filter(|kind| kind.ended_by == CloseStep::Input)
    {
        let mut row = kind.start(options()).await;
        row.ending();

        row.agent().close_input().await.unwrap();

        row.hear_the_end().await;
        let report = row.agent().exit_report().unwrap();
        assert_eq!(
            (report.code, report.output),
            (ExitCode::new(7), kind.output),
            "{}",
            kind.name
        );
        row.assert_nothing_is_left("normal exit").await;
    }
}
