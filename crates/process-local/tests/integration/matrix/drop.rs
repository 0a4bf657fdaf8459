//! The host drops the connection.

use crate::agent::options;
use crate::matrix::agents::KINDS;
use crate::matrix::row::{Tally, rounds};

#[tokio::test]
async fn dropping_leaves_nobody_of_any_group() {
    let mut tally = Tally::default();
    for kind in (0..rounds()).flat_map(|_| KINDS) {
        let mut row = kind.start(options()).await;
        row.ending();

        drop(row.agent.take());

        tally.add(row.assert_nothing_is_left("drop").await);
    }
    tally.tell("dropped");
}
