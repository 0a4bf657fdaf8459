//! Several bindings at once.

use std::fs::{self, File};
use std::thread;
use std::time::Duration;

use fork_state::{Binder, Outcome};
use fork_state::{DirectoryStore, ForkRequest};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day, providers};

/// All of these at once, each with a binder of its own.
fn at_once(scratch: &Scratch, requests: &[ForkRequest]) -> Vec<Outcome> {
    thread::scope(|scope| {
        let bind = |request| {
            move || {
                let (store, providers) =
                    (DirectoryStore::new(scratch.state()).unwrap(), providers());
                let mut options = scratch.options.clone();
                // As long as the slowest machine takes.
                options.lock_wait = Duration::from_secs(600);
                let binder = Binder::new(&store, &providers).with_options(options);
                binder.bind(request).unwrap().outcome
            }
        };
        let threads: Vec<_> = requests.iter().map(|it| scope.spawn(bind(it))).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

#[test]
fn of_many_that_bind_the_same_one_copies() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(2_000);
    scratch.put_source(&day("t2"), rollout.bytes());
    let outcomes = at_once(&scratch, &vec![scratch.request.clone(); 16]);
    let copied = outcomes.iter().filter(|it| **it == Outcome::Copied).count();
    let bound = outcomes
        .iter()
        .filter(|it| **it == Outcome::AlreadyBound)
        .count();
    assert_eq!((copied, bound), (1, 15));
    assert_eq!(scratch.target_bytes(&day("t2")), rollout.bytes());
    scratch.expect_nothing_left();
}

#[test]
fn different_forks_of_one_parent_come_into_one_home() {
    let scratch = Scratch::new();
    let parent = Rollout::of("t1").records(200);
    scratch.put_source(&day("t1"), parent.bytes());
    let ids: Vec<String> = (0..12).map(|at| format!("fork-{at:02}")).collect();
    let mut requests = Vec::new();
    for id in &ids {
        let fork = Rollout::after(id, ("t1", &parent)).records(50);
        scratch.put_source(&day(id), fork.bytes());
        let mut request = scratch.request.clone();
        request.target_provider_session = id.parse().unwrap();
        requests.push(request);
    }
    assert_eq!(at_once(&scratch, &requests), [Outcome::Copied; 12]);
    for id in ids.iter().map(String::as_str).chain(["t1"]) {
        let source = fs::read(scratch.source().join(day(id))).unwrap();
        assert_eq!(scratch.target_bytes(&day(id)), source, "{id}");
    }
    scratch.expect_nothing_left();
}

#[test]
fn forks_come_into_different_homes_at_once() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(200);
    scratch.put_source(&day("t2"), rollout.bytes());
    let requests: Vec<ForkRequest> = (0..12)
        .map(|at| {
            let mut request = scratch.request.clone();
            request.target_session = format!("home-{at}").parse().unwrap();
            request
        })
        .collect();
    assert_eq!(at_once(&scratch, &requests), [Outcome::Copied; 12]);
    for at in 0..12 {
        let home = scratch
            .state()
            .join(format!("agent/runs/home-{at}/codex-home"));
        assert_eq!(fs::read(home.join(day("t2"))).unwrap(), rollout.bytes());
    }
    scratch.expect_nothing_left();
}

#[test]
fn a_home_that_is_locked_is_refused_after_the_wait() {
    let mut scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    fs::create_dir_all(scratch.target()).unwrap();
    let lock = File::open(scratch.target()).unwrap();
    lock.lock().unwrap();
    scratch.options.lock_wait = Duration::ZERO;
    let told = scratch.told(&scratch.bind().unwrap_err());
    assert_eq!(told, "two/codex-home is locked by another process");
    assert!(!scratch.target().join("sessions").exists());
    // A plan does not wait.
    assert_eq!(scratch.plan().unwrap().binding().outcome, Outcome::Copied);
    drop(lock);
    assert_eq!(scratch.bind().unwrap().outcome, Outcome::Copied);
}

#[test]
fn what_is_brought_on_is_whole_or_not_there() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(5_000);
    scratch.put_source(&day("t2"), rollout.bytes());
    fs::create_dir_all(scratch.target()).unwrap();
    let mut on = scratch.request.clone();
    on.source_session = "two".parse().unwrap();
    on.target_session = "three".parse().unwrap();
    let third = scratch.state().join("agent/runs/three/codex-home");
    thread::scope(|scope| {
        let first = scope.spawn(|| scratch.bind().unwrap().outcome);
        let (store, providers) = (DirectoryStore::new(scratch.state()).unwrap(), providers());
        let binder = Binder::new(&store, &providers);
        while let Err(error) = binder.bind(&on) {
            let told = scratch.told(&error);
            assert_eq!(told, "no transcript of session `t2` below two/codex-home");
        }
        assert_eq!(first.join().unwrap(), Outcome::Copied);
    });
    assert_eq!(fs::read(third.join(day("t2"))).unwrap(), rollout.bytes());
}
