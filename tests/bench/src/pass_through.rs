//! What talking to a process through `process-local` costs, beside the same loop on plain
//! `tokio::process`.

use std::sync::Arc;

use anyhow::Context as _;
use tokio::runtime::{Builder, Runtime};

use crate::arguments::Effort;
use crate::cost::{Cost, pairs};
use crate::peak;
use crate::peer::{Peer, Way};
use crate::row::{Amount, Goal, Row, Unit};
use crate::sys::{self, OneCore};

const LIMIT: &str = "the same loop on plain tokio::process";
const GOAL: Goal = Goal::Wall(1.3);
/// Processes that are started in a measurement.
const STARTS: u64 = 20;

/// A kind of runtime.
#[derive(Debug, Clone, Copy)]
enum On {
    OneThread,
    Threads,
}

impl On {
    fn runtime(self) -> anyhow::Result<Runtime> {
        let mut builder = match self {
            Self::OneThread => Builder::new_current_thread(),
            Self::Threads => Builder::new_multi_thread(),
        };
        Ok(builder.enable_all().build()?)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::OneThread => "one thread",
            Self::Threads => "threads",
        }
    }
}

/// Measures everything, a row at a time.
pub(crate) fn measure(
    (effort, count): (Effort, usize),
    mut print: impl FnMut(Row) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let one = [Way::Frames, Way::Streams, Way::Supervised];
    let several = [Way::Frames, Way::Streams];
    for (on, ways) in [(On::OneThread, &one[..]), (On::Threads, &several)] {
        for way in ways {
            let sizes: &[usize] = match (on, way) {
                (On::OneThread, Way::Frames | Way::Streams) => &[60, 600, 6_000, 600_000],
                _ => &[600],
            };
            for size in sizes {
                print(round_trips((on, *way), *size, (effort, count))?)?;
            }
        }
    }
    for (on, ways) in [(On::OneThread, &several), (On::Threads, &several)] {
        for way in ways {
            print(bulk((on, *way), (effort, count))?)?;
        }
    }
    for way in [Way::Frames, Way::Supervised] {
        print(starts((On::OneThread, way), count)?)?;
    }
    Ok(())
}

/// Lines of one size, there and back, all on one core.
fn round_trips(
    (on, way): (On, Way),
    size: usize,
    (effort, count): (Effort, usize),
) -> anyhow::Result<Row> {
    let _one_core = OneCore::stay();
    let runtime = on.runtime()?;
    let mut message = vec![b'x'; size];
    message[size - 1] = b'\n';
    let message: Arc<[u8]> = message.into();
    let trips = match effort {
        Effort::Full => (40_000_000 / size).clamp(50, 2_000),
        Effort::Quick => 10,
    };
    let start = |way| runtime.block_on(async { Peer::start(way, &["echo"]).map(Some) });
    let (mut ours, mut plain) = (start(way)?, start(Way::Plain)?);
    let exchange = |peer: &mut Option<Peer>| {
        let mut talking = peer.take().context("the agent is gone")?;
        let before = talking.cpu_seconds();
        let message = Arc::clone(&message);
        let (took, talked) = Cost::of(|| {
            on_a_task(&runtime, async move {
                for _ in 0..trips {
                    talking.round_trip(&message).await?;
                }
                Ok(talking)
            })
        })?;
        let took = took.and_child(talked.cpu_seconds(), before);
        *peer = Some(talked);
        Ok(took)
    };
    let pairs = pairs(count, || exchange(&mut ours), || exchange(&mut plain))?;
    Ok(Row {
        what: "pass-through, round trips on one core".to_owned(),
        case: format!("{}, {size} B, {}", way.name(), on.name()),
        limit: LIMIT,
        goal: GOAL,
        amount: Amount {
            count: trips as u64,
            unit: Unit::RoundTrips,
        },
        peak: None,
        pairs,
    })
}

/// Many bytes from the agent, from its start on.
fn bulk((on, way): (On, Way), (effort, count): (Effort, usize)) -> anyhow::Result<Row> {
    let runtime = on.runtime()?;
    let bytes = match effort {
        Effort::Full => 200_000_000,
        Effort::Quick => 2_000_000,
    };
    let pairs = pairs(
        count,
        || received(&runtime, way, bytes),
        || received(&runtime, Way::Plain, bytes),
    )?;
    let memory = matches!((on, way), (On::OneThread, Way::Frames));
    let memory = memory.then(|| peak::in_child(&["pass-through"], bytes.to_string().as_ref()));
    Ok(Row {
        what: "pass-through, many bytes from the agent".to_owned(),
        case: format!("{}, {} MB, {}", way.name(), bytes / 1_000_000, on.name()),
        limit: LIMIT,
        goal: GOAL,
        amount: Amount {
            count: bytes as u64,
            unit: Unit::Bytes,
        },
        peak: memory.flatten(),
        pairs,
    })
}

/// Receives so many bytes as frames.
pub(crate) fn receive(bytes: usize) -> anyhow::Result<Cost> {
    received(&On::OneThread.runtime()?, Way::Frames, bytes)
}

fn received(runtime: &Runtime, way: Way, bytes: usize) -> anyhow::Result<Cost> {
    let (took, peer) = Cost::of(|| {
        on_a_task(runtime, async move {
            let mut peer = Peer::start(way, &["burst", &bytes.to_string()])?;
            peer.receive(bytes).await?;
            Ok(peer)
        })
    })?;
    let took = took.and_child(peer.cpu_seconds(), Some(0.0));
    runtime.block_on(async { drop(peer) });
    Ok(took)
}

/// Agents that end at once, from before the start until the exit is known.
fn starts((on, way): (On, Way), count: usize) -> anyhow::Result<Row> {
    let runtime = on.runtime()?;
    let started = |way| {
        let before = sys::cpu_seconds_of_ended();
        let (took, ()) = Cost::of(|| {
            on_a_task(&runtime, async move {
                for _ in 0..STARTS {
                    Peer::start(way, &["exit"])?.exit().await?;
                }
                Ok(())
            })
        })?;
        Ok(took.and_child(sys::cpu_seconds_of_ended(), before))
    };
    let pairs = pairs(count, || started(way), || started(Way::Plain))?;
    Ok(Row {
        what: "pass-through, start to exit".to_owned(),
        case: format!("{}, {}", way.name(), on.name()),
        limit: LIMIT,
        goal: Goal::None,
        amount: Amount {
            count: STARTS,
            unit: Unit::Processes,
        },
        peak: None,
        pairs,
    })
}

/// Off the thread of `block_on`, where every wake-up would cross threads.
fn on_a_task<T: Send + 'static>(
    runtime: &Runtime,
    work: impl Future<Output = anyhow::Result<T>> + Send + 'static,
) -> anyhow::Result<T> {
    runtime.block_on(async { tokio::spawn(work).await? })
}
