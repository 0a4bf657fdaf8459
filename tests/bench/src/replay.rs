//! Playing a tape at once to hosts that say what was recorded, a task each.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use base64::Engine as _;
use cassette_format::descriptor::Registry;
use cassette_format::process::ProcessConnection;
use cassette_replay::{PlayOptions, Player};
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::case::{Case, raw_registry};
use crate::cost::Cost;
use crate::materials::{Passing, Step, launch};
use crate::quickest::BASE64;

/// After this a host waits for something that does not come.
const TOO_LONG: Duration = Duration::from_secs(60);

/// What one host does, in order.
type Script = Vec<Act>;

#[derive(Debug, Clone)]
enum Act {
    Send(Vec<u8>),
    Receive,
}

/// The host says the recorded bytes, and nothing is known of what they mean.
pub(crate) fn unmapped(case: &Case) -> anyhow::Result<Cost> {
    let registry = raw_registry(case.manifest())?;
    play(case, registry, &case.materials()?.recorded)
}

/// The host works elsewhere, so that messages are compared and made by what they say.
pub(crate) fn mapped(case: &Case) -> anyhow::Result<Cost> {
    play(case, case.registry().clone(), &case.materials()?.elsewhere)
}

/// Decodes the payloads, which are in memory already.
pub(crate) fn decode(case: &Case) -> anyhow::Result<Cost> {
    let base64 = &case.materials()?.base64;
    let (took, ()) = Cost::of(|| {
        for piece in base64.iter() {
            black_box(BASE64.decode(piece)?);
        }
        Ok(())
    })?;
    Ok(took)
}

fn play(case: &Case, registry: Registry, steps: &[Step]) -> anyhow::Result<Cost> {
    let player = Player::new(case.tape()?, registry, PlayOptions::fast_forward())?;
    let mut hosts = hosts(case, &player)?;
    for step in steps {
        let act = match &step.what {
            Passing::Sent(bytes) => Act::Send(bytes.clone()),
            Passing::Received(_) => Act::Receive,
        };
        hosts[step.connection].1.push(act);
    }
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let (took, ()) = Cost::of(|| {
        let played = runtime.block_on(async { timeout(TOO_LONG, all(hosts)).await });
        played.context("the tape was not played in a minute")?
    })?;
    player.verify_complete()?;
    Ok(took)
}

/// Launches every connection, those of one session in the order of their launches.
fn hosts(
    case: &Case,
    player: &Player,
) -> anyhow::Result<Vec<(Arc<dyn ProcessConnection>, Script)>> {
    let records = &case.manifest().connections;
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|at| records[*at].launch_ordinal);
    let mut hosts = Vec::new();
    for at in order {
        hosts.push((at, player.launch(&launch(&records[at]))?));
    }
    hosts.sort_by_key(|(at, _)| *at);
    Ok(hosts
        .into_iter()
        .map(|(_, connection)| (connection, Script::new()))
        .collect())
}

async fn all(hosts: Vec<(Arc<dyn ProcessConnection>, Script)>) -> anyhow::Result<()> {
    let tasks = hosts.into_iter().map(|(connection, script)| {
        tokio::spawn(async move {
            for act in script {
                match act {
                    Act::Send(bytes) => connection.send(&bytes).await?,
                    Act::Receive => {
                        let Some(frame) = connection.recv().await? else {
                            bail!("the agent said less than was recorded");
                        };
                        black_box(frame);
                    }
                }
            }
            connection.close().await?;
            Ok(())
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await??;
    }
    Ok(())
}
