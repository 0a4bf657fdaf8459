//! What running a process through this crate costs beside the same loop on plain
//! `tokio::process`: the round trip of a small message, throughput, and starting, each with a
//! supervisor too.
//!
//! `cargo bench -p process-local --bench exchange [-- MEGABYTES]`, 1000 unless told.
//! Each pair is measured by turns, so that a slow spell of the machine meets both; the
//! ratio is that of the pair, and its median is what counts. Round trips run on one core,
//! host and agent alike: on two, where the scheduler happens to put the agent decides
//! between 5 and 100 microseconds, whoever runs it.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints figures and may end"
)]

use std::process::Stdio;
use std::sync::Arc;
use std::time::Instant;

use cassette_format::process::{FrameEvent, LaunchSpec, ProcessConnection};
use process_local::{LocalConnection, LocalOptions, Supervisor, spawn};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::runtime::{Builder, Runtime};

const AGENT: &str = env!("CARGO_BIN_EXE_fake-agent");
const PAIRS: usize = 21;
const ROUND_TRIPS: usize = 500;
const STARTS: usize = 20;

/// 600 bytes, as a small message of an agent has them.
const MESSAGE: [u8; 600] = {
    let mut message = [b'x'; 600];
    message[599] = b'\n';
    message
};

fn main() {
    let megabytes = std::env::args().find_map(|argument| argument.parse().ok());
    let megabytes: usize = megabytes.unwrap_or(1000);
    println!(
        "{:<36} {:<14} {:>12} {:>12} {:>7} {:>7} {:>7}",
        "what", "runtime", "plain", "ours", "min", "median", "max"
    );
    for (name, runtime) in runtimes() {
        runtime.block_on(on_a_task(throughput(name, megabytes)));
        runtime.block_on(on_a_task(starts(name)));
    }
    sys::stay_on_one_core();
    for (name, runtime) in runtimes() {
        runtime.block_on(on_a_task(round_trips(name)));
    }
}

mod sys {
    #[cfg(target_os = "linux")]
    pub(crate) fn stay_on_one_core() {
        use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
        let mut one = CpuSet::new();
        one.set(sched_getcpu());
        sched_setaffinity(None, &one).unwrap();
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn stay_on_one_core() {}
}

fn runtimes() -> [(&'static str, Runtime); 2] {
    [
        ("current-thread", Builder::new_current_thread()),
        ("multi-thread", Builder::new_multi_thread()),
    ]
    .map(|(name, mut builder)| (name, builder.enable_all().build().unwrap()))
}

/// Off the thread of `block_on`, where every wake-up would cross threads.
async fn on_a_task(work: impl Future<Output = ()> + Send + 'static) {
    tokio::spawn(work).await.unwrap();
}

async fn round_trips(runtime: &str) {
    let mut plain = plain_child(&["echo"]);
    let framed = ours(&["echo"]);
    let supervised = supervised(&["echo"]);
    let streams = ours(&["echo"]);
    let mut stdio = (Arc::new(streams) as Arc<dyn ProcessConnection>).into_stdio();
    let mut figures = [const { Vec::new() }; 4];
    // The first pair warms up.
    for pair in 0..=PAIRS {
        let took = [
            nanoseconds(plain_trips(&mut plain)).await,
            nanoseconds(framed_trips(&framed)).await,
            nanoseconds(framed_trips(&supervised)).await,
            nanoseconds(stream_trips(&mut stdio)).await,
        ];
        for (figures, took) in figures.iter_mut().zip(took) {
            if pair > 0 {
                figures.push(took / ROUND_TRIPS as f64 / 1000.0);
            }
        }
    }
    let [plain, framed, supervised, streams] = figures;
    report("round trip, frames [us]", runtime, &plain, &framed);
    report("round trip, supervised [us]", runtime, &plain, &supervised);
    report("round trip, into_stdio [us]", runtime, &plain, &streams);
}

/// From before the start until the exit is known.
async fn starts(runtime: &str) {
    let mut figures = [const { Vec::new() }; 3];
    for pair in 0..=PAIRS {
        let took = [
            nanoseconds(async {
                for _ in 0..STARTS {
                    plain_child(&["exit", "0"]).wait().await.unwrap();
                }
            })
            .await,
            nanoseconds(async {
                for _ in 0..STARTS {
                    ours(&["exit", "0"]).wait().await;
                }
            })
            .await,
            nanoseconds(async {
                for _ in 0..STARTS {
                    supervised(&["exit", "0"]).wait().await;
                }
            })
            .await,
        ];
        for (figures, took) in figures.iter_mut().zip(took) {
            if pair > 0 {
                figures.push(took / STARTS as f64 / 1000.0);
            }
        }
    }
    let [plain, ours, supervised] = figures;
    report("start to exit [us]", runtime, &plain, &ours);
    report(
        "start to exit, supervised [us]",
        runtime,
        &plain,
        &supervised,
    );
}

async fn plain_trips(child: &mut Child) {
    let (input, output) = (
        child.stdin.as_mut().unwrap(),
        child.stdout.as_mut().unwrap(),
    );
    let mut buffer = vec![0; 64 * 1024];
    for _ in 0..ROUND_TRIPS {
        input.write_all(&MESSAGE).await.unwrap();
        let mut got = 0;
        while got < MESSAGE.len() {
            got += output.read(&mut buffer).await.unwrap();
        }
    }
}

async fn framed_trips(connection: &LocalConnection) {
    for _ in 0..ROUND_TRIPS {
        connection.send(&MESSAGE).await.unwrap();
        let mut got = 0;
        while got < MESSAGE.len() {
            match connection.recv().await.unwrap().unwrap().event {
                FrameEvent::Stdout(bytes) => got += bytes.len(),
                other => panic!("{other:?}"),
            }
        }
    }
}

async fn stream_trips(stdio: &mut cassette_format::process::Stdio) {
    let mut buffer = vec![0; 64 * 1024];
    for _ in 0..ROUND_TRIPS {
        stdio.write_all(&MESSAGE).await.unwrap();
        stdio.flush().await.unwrap();
        let mut got = 0;
        while got < MESSAGE.len() {
            got += stdio.read(&mut buffer).await.unwrap();
        }
    }
}

async fn throughput(runtime: &str, megabytes: usize) {
    let total = megabytes * 1_000_000;
    let text = total.to_string();
    let arguments = ["burst", &text];
    let mut figures = [const { Vec::new() }; 2];
    for pair in 0..=PAIRS {
        let took = [
            nanoseconds(plain_read(&arguments, total)).await,
            nanoseconds(framed_read(&arguments, total)).await,
        ];
        for (figures, took) in figures.iter_mut().zip(took) {
            if pair > 0 {
                figures.push(took / 1e6);
            }
        }
    }
    let [plain, framed] = figures;
    let what = format!("{megabytes} MB to the host [ms]");
    report(&what, runtime, &plain, &framed);
}

async fn plain_read(arguments: &[&str], total: usize) {
    let mut child = plain_child(arguments);
    let output = child.stdout.as_mut().unwrap();
    let mut buffer = vec![0; 64 * 1024];
    let mut got = 0;
    loop {
        match output.read(&mut buffer).await.unwrap() {
            0 => break,
            count => got += count,
        }
    }
    assert_eq!(got, total);
    child.wait().await.unwrap();
}

async fn framed_read(arguments: &[&str], total: usize) {
    let connection = ours(arguments);
    let mut got = 0;
    while let Some(frame) = connection.recv().await.unwrap() {
        if let FrameEvent::Stdout(bytes) = frame.event {
            got += bytes.len();
        }
    }
    assert_eq!(got, total);
}

fn plain_child(arguments: &[&str]) -> Child {
    Command::new(AGENT)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

fn ours(arguments: &[&str]) -> LocalConnection {
    started_by(Supervisor::None, arguments)
}

fn supervised(arguments: &[&str]) -> LocalConnection {
    started_by(Supervisor::Program(AGENT.into()), arguments)
}

fn started_by(supervisor: Supervisor, arguments: &[&str]) -> LocalConnection {
    let argv = [AGENT].into_iter().chain(arguments.iter().copied());
    let options = LocalOptions {
        supervisor,
        ..LocalOptions::default()
    };
    spawn(LaunchSpec::new(argv), options).unwrap()
}

async fn nanoseconds(work: impl Future<Output = ()>) -> f64 {
    let start = Instant::now();
    work.await;
    start.elapsed().as_nanos() as f64
}

/// The medians of both, and the ratios of the pairs.
fn report(what: &str, runtime: &str, plain: &[f64], ours: &[f64]) {
    let ratios: Vec<f64> = ours
        .iter()
        .zip(plain)
        .map(|(ours, plain)| ours / plain)
        .collect();
    let ratios = sorted(&ratios);
    println!(
        "{what:<36} {runtime:<14} {:>12.2} {:>12.2} {:>7.2} {:>7.2} {:>7.2}",
        sorted(plain)[PAIRS / 2],
        sorted(ours)[PAIRS / 2],
        ratios[0],
        ratios[PAIRS / 2],
        ratios[PAIRS - 1],
    );
}

fn sorted(figures: &[f64]) -> Vec<f64> {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures
}
