//! Many sessions in one host: nothing of them is left, and none gets another's
//! output. A binary of its own, because it counts what its own process has open.
#![cfg(test)]
#![cfg(target_os = "linux")]

use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cassette_format::process::{FrameEvent, LaunchSpec, ProcessConnection as _};
use process_local::{
    ExecutableIdentity, LocalConnection, LocalOptions, RunOptions, Supervisor, VerifiedExecutable,
    VerifyMode, VerifyOptions, identify, run_verified, spawn,
};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

/// Longer than anything here takes; only a hang reaches it.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the process has open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    descriptors: usize,
    threads: usize,
    children: usize,
}

impl Open {
    fn now() -> Self {
        let count = |directory: &str| fs::read_dir(directory).unwrap().count();
        let children = fs::read_dir("/proc/self/task").unwrap().map(|task| {
            // A thread that ends meanwhile has no children.
            let list = fs::read_to_string(task.unwrap().path().join("children"));
            list.unwrap_or_default().split_whitespace().count()
        });
        Self {
            children: children.sum(),
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
        }
    }

    /// What was done, and is open before and after it. Who ended and was not waited for is a
    /// child.
    fn tell(self, done: &str) {
        let Self {
            descriptors,
            threads,
            children,
        } = self;
        println!(
            "faults: {done}, before and after {descriptors} descriptors, {threads} threads, \
             {children} children"
        );
    }

    /// Waits until nothing more is open than now; what ends on its own needs a while.
    async fn await_again(self) {
        let waiting = async {
            while Self::now() != self {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{:?} at first, {:?} now", self, Self::now());
    }
}

/// `FAULT_ROUNDS`, or as usually.
fn rounds(usually: usize) -> usize {
    let rounds = std::env::var("FAULT_ROUNDS").ok();
    rounds.map_or(usually, |rounds| rounds.parse().unwrap())
}

/// Whoever counts has to be alone.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

const AGENT: &str = env!("CARGO_BIN_EXE_fake-agent");

fn start(arguments: &str) -> LocalConnection {
    start_by(Supervisor::None, arguments)
}

fn start_by(supervisor: Supervisor, arguments: &str) -> LocalConnection {
    let argv = [AGENT].into_iter().chain(arguments.split(' '));
    let options = LocalOptions {
        supervisor,
        ..LocalOptions::default()
    };
    spawn(LaunchSpec::new(argv), options).unwrap()
}

/// A session that ends in the way of its number.
async fn session(supervisor: Supervisor, number: usize) {
    let agent = start_by(supervisor, "say hello echo exit 3");
    agent.send(b"hello").await.unwrap();
    match number % 5 {
        0 => agent.close().await.unwrap(),
        1 => drop(agent),
        2 => agent.kill().await.unwrap(),
        3 => {
            agent.close_input().await.unwrap();
            while agent.recv().await.unwrap().is_some() {}
        }
        _ => agent.terminate().await.unwrap(),
    }
}

#[test]
fn a_thousand_sessions_leave_no_descriptor_thread_or_child() {
    many_sessions(rounds(1000), &Supervisor::None);
}

#[test]
fn two_hundred_supervised_sessions_leave_no_descriptor_thread_or_child() {
    many_sessions(rounds(200), &Supervisor::Program(AGENT.into()));
}

fn many_sessions(count: usize, supervisor: &Supervisor) {
    let _alone = alone();
    runtime().block_on(async {
        // The first ones make what the runtime keeps.
        for number in 0..5 {
            session(supervisor.clone(), number).await;
        }
        tokio::task::yield_now().await;
        let mut sessions = JoinSet::new();
        let before = settled().await;
        for number in 0..count {
            sessions.spawn(session(supervisor.clone(), number));
            if sessions.len() == 20 {
                sessions.join_next().await.unwrap().unwrap();
            }
        }
        while let Some(ended) = sessions.join_next().await {
            ended.unwrap();
        }
        before.await_again().await;
        before.tell(&format!("{count} sessions"));
    });
}

#[test]
fn verified_runs_leave_no_descriptor_thread_or_child() {
    let _alone = alone();
    let agent = env!("CARGO_BIN_EXE_fake-agent");
    let identity = identify(agent).unwrap();
    let run = async |number: usize| {
        let verify = VerifyOptions {
            mode: [VerifyMode::Sealed, VerifyMode::PrivateCopy][number % 2],
            copies: None,
        };
        let verified = VerifiedExecutable::open(agent, &identity, &verify).unwrap();
        let options = RunOptions::default();
        let ended = run_verified(&verified, ["say", "hello"], &options).await;
        assert_eq!(ended.unwrap().bytes, b"hello\n");
        let other = ExecutableIdentity::new(identity.size(), "0".repeat(64)).unwrap();
        VerifiedExecutable::open(agent, &other, &verify).unwrap_err();
    };
    runtime().block_on(async {
        run(0).await;
        let before = settled().await;
        let count = rounds(50);
        for number in 0..count {
            run(number).await;
        }
        before.await_again().await;
        before.tell(&format!("{count} verified runs"));
    });
}

/// What is open once no child is left.
async fn settled() -> Open {
    loop {
        let open = Open::now();
        tokio::time::sleep(Duration::from_millis(20)).await;
        if open.children == 0 && open == Open::now() {
            return open;
        }
    }
}

#[test]
fn runtimes_that_are_shut_down_leave_no_descriptor_thread_or_child() {
    shut_down_runtimes(rounds(50), &Supervisor::None);
}

#[test]
fn runtimes_that_are_shut_down_leave_nothing_of_supervised_sessions() {
    shut_down_runtimes(rounds(12), &Supervisor::Program(AGENT.into()));
}

fn shut_down_runtimes(count: usize, supervisor: &Supervisor) {
    let _alone = alone();
    let counting = Builder::new_current_thread().enable_all().build().unwrap();
    let before = counting.block_on(settled());
    for number in 0..count {
        let runtime = runtime();
        let agents = runtime.block_on(async {
            let agents = ["ignore-term sleep", "echo"];
            let agents = agents.map(|arguments| start_by(supervisor.clone(), arguments));
            agents[1].send(b"hello").await.unwrap();
            agents
        });
        // Before its connections, after them, or without waiting for its tasks.
        match number % 3 {
            0 => drop((runtime, agents)),
            1 => drop((agents, runtime)),
            _ => {
                runtime.shutdown_background();
                drop(agents);
            }
        }
    }
    counting.block_on(before.await_again());
    before.tell(&format!("{count} runtimes"));
}

#[test]
fn two_hundred_sessions_at_once_keep_their_frames_in_order() {
    let _alone = alone();
    let lines = rounds(1000);
    runtime().block_on(async {
        // The first ones make what the runtime keeps.
        for number in 0..5 {
            session(Supervisor::None, number).await;
        }
        let mut sessions = JoinSet::new();
        let before = settled().await;
        for session in 0..200 {
            sessions.spawn(echo(session, lines));
        }
        let all = async {
            while let Some(ended) = sessions.join_next().await {
                ended.unwrap();
            }
        };
        let patience = PATIENCE * u32::try_from(lines.div_ceil(1000)).unwrap();
        tokio::time::timeout(patience, all).await.unwrap();
        before.await_again().await;
        before.tell(&format!("200 sessions of {lines} frames in order"));
    });
}

/// Sends numbered lines and hears them again, all and in order.
async fn echo(session: usize, lines: usize) {
    let agent = Arc::new(start("echo"));
    let line = move |number: usize| format!("session {session} line {number}\n");
    let sender = Arc::clone(&agent);
    let sending = tokio::spawn(async move {
        for number in 0..lines {
            sender.send(line(number).as_bytes()).await.unwrap();
        }
        sender.close_input().await.unwrap();
    });
    let mut heard = Vec::new();
    while let Some(frame) = agent.recv().await.unwrap() {
        if let FrameEvent::Stdout(bytes) = frame.event {
            heard.extend(bytes);
        }
    }
    sending.await.unwrap();
    let expected: String = (0..lines).map(line).collect();
    assert!(heard == expected.as_bytes(), "session {session}");
}
