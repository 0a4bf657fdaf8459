//! The host drops the connection.

use crate::agent::options;
use crate::matrix::agents::KINDS;

#[tokio::test]
async fn dropping_leaves_nobody_of_any_group() {
    for kind in KINDS {
        let mut row = kind.start(options()).await;
        row.ending();

        drop(row.agent.take());

        row.assert_nothing_is_left("drop").await;
    }
}
