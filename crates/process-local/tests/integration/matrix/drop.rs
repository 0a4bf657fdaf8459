//! The host drops the connection.

use process_local::LocalOptions;

use crate::matrix::agents::KINDS;

#[tokio::test]
async fn dropping_leaves_nobody_of_any_group() {
    for kind in KINDS {
        let mut row = kind.start(LocalOptions::default()).await;
        row.ending();

        drop(row.agent.take());

        row.assert_nothing_is_left("drop").await;
    }
}
