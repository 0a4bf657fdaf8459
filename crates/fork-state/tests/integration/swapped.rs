//! Bindings while directories are swapped for links, at every segment of both homes by
//! turns: no write goes where a link leads, and nothing is brought from there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day, put};
use crate::tree::tree;

/// A directory and the link that takes its place by turns.
struct Swap {
    directory: PathBuf,
    link: PathBuf,
}

impl Swap {
    /// Of this segment of a home; the link leads to a tree of the same form outside,
    /// with another transcript in it on the source's side.
    fn new(scratch: &Scratch, (home, file): (&Path, Option<&[u8]>), depth: usize) -> Self {
        let place = home.join(day("t2"));
        let segments: PathBuf = place.strip_prefix(scratch.state()).unwrap().to_owned();
        let above: PathBuf = segments.iter().take(depth).collect();
        let below = segments.strip_prefix(&above).unwrap();
        let name = format!("outside/{depth}-{}", file.is_some());
        let outside = scratch.root().join(name);
        fs::create_dir_all(outside.join(below).parent().unwrap()).unwrap();
        if let Some(file) = file {
            put(&outside.join(below), file);
        }
        let directory = scratch.state().join(&above);
        let link = scratch
            .root()
            .join(format!("link-{depth}-{}", file.is_some()));
        symlink(outside, &link).unwrap();
        Self { directory, link }
    }

    fn exchange(&self) {
        let flags = RenameFlags::EXCHANGE;
        renameat_with(CWD, &self.directory, CWD, &self.link, flags).unwrap();
    }
}

/// Ends the exchanges when it is dropped.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// `FAULT_ROUNDS` says how many; 100 if it says nothing.
fn rounds() -> usize {
    let rounds = std::env::var("FAULT_ROUNDS").ok();
    rounds.and_then(|it| it.parse().ok()).unwrap_or(100)
}

#[test]
fn no_binding_goes_where_a_link_leads_that_was_swapped_in() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(200);
    let other = Rollout::of("t2").saying("another").records(300);
    let source = scratch.put_source(&day("t2"), rollout.bytes());
    let target = scratch.target().join(day("t2"));
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    // `agent/runs/SESSION/HOME/sessions/YEAR/MONTH/DAY`; the first two are those of both.
    let mut swaps: Vec<Swap> = (3..=8)
        .map(|depth| Swap::new(&scratch, (&scratch.source(), Some(other.bytes())), depth))
        .collect();
    let of_target = |depth| Swap::new(&scratch, (&scratch.target(), None), depth);
    swaps.extend((1..=8).map(of_target));
    let outside = tree(&scratch.root().join("outside"));

    let (is_done, exchanges) = (AtomicBool::new(false), AtomicUsize::new(0));
    // Held while what there is is looked at.
    let still = Mutex::new(());
    let (mut bound, mut refused) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                for swap in &swaps {
                    let _still = still.lock().unwrap_or_else(PoisonError::into_inner);
                    for _ in 0..2 {
                        swap.exchange();
                        exchanges.fetch_add(1, Ordering::Relaxed);
                        thread::yield_now();
                    }
                }
            }
        });
        let _done = Done(&is_done);
        for _ in 0..rounds() {
            let result = scratch.bind();
            let _still = still.lock().unwrap();
            assert_eq!(tree(&scratch.root().join("outside")), outside);
            match (result, fs::read(&target)) {
                (Ok(_), brought) => {
                    assert_eq!(brought.unwrap(), rollout.bytes());
                    bound += 1;
                }
                (Err(_), Ok(brought)) => {
                    assert_eq!(brought, rollout.bytes());
                    refused += 1;
                }
                (Err(_), Err(_)) => refused += 1,
            }
            fs::remove_file(&target).ok();
        }
    });
    println!(
        "faults: {bound} bound, {refused} refused, 0 elsewhere during {} exchanges",
        exchanges.into_inner()
    );
    scratch.bind().unwrap();
    assert_eq!(fs::read(&target).unwrap(), fs::read(&source).unwrap());
    scratch.expect_nothing_left();
}
