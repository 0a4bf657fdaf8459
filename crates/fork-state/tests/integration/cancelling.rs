//! Bindings that are called off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cassette_format::schema::AgentSessionId;
use fork_state::{BindError, Binder, DirectoryStore, HomePath, Outcome, RuntimeStore, StoreError};

use crate::changing::{large, meanwhile};
use crate::rollout::Rollout;
use crate::scratch::{Scratch, day, providers};
use crate::tree::{files, tree};

/// Calls the binding off when it asks for the home of a session.
struct Stopping {
    store: DirectoryStore,
    at: &'static str,
    cancelled: Arc<AtomicBool>,
}

impl RuntimeStore for Stopping {
    fn home(&self, session: &AgentSessionId, home: &str) -> Result<HomePath, StoreError> {
        if session.as_str() == self.at {
            self.cancelled.store(true, Ordering::Relaxed);
        }
        self.store.home(session, home)
    }
}

#[test]
fn a_binding_that_is_called_off_before_it_begins_makes_nothing() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    scratch.options.cancelled.store(true, Ordering::Relaxed);
    let before = tree(scratch.root());
    assert_eq!(scratch.refused(), "the binding was called off");
    assert_eq!(tree(scratch.root()), before);
}

#[test]
fn a_binding_that_is_called_off_while_homes_are_looked_up_writes_no_file() {
    for at in ["one", "two"] {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
        let providers = providers();
        let store = Stopping {
            store: DirectoryStore::new(scratch.state()).unwrap(),
            at,
            cancelled: Arc::clone(&scratch.options.cancelled),
        };
        let binder = Binder::new(&store, &providers).with_options(scratch.options.clone());
        let before = files(scratch.root());
        let error = binder.bind(&scratch.request).unwrap_err();
        assert!(matches!(error, BindError::Cancelled), "{error:?}");
        assert_eq!(files(scratch.root()), before);
    }
}

#[test]
fn a_binding_that_is_called_off_while_it_waits_for_the_lock_ends() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    std::fs::create_dir_all(scratch.target()).unwrap();
    let lock = std::fs::File::open(scratch.target()).unwrap();
    lock.lock().unwrap();
    let cancelled = Arc::clone(&scratch.options.cancelled);
    let before = files(scratch.root());
    let error = thread::scope(|scope| {
        let binding = scope.spawn(|| scratch.bind().unwrap_err());
        cancelled.store(true, Ordering::Relaxed);
        binding.join().unwrap()
    });
    assert!(matches!(error, BindError::Cancelled), "{error:?}");
    assert_eq!(files(scratch.root()), before);
}

#[test]
fn a_binding_that_is_called_off_while_it_copies_leaves_nothing() {
    let parent = large("t1");
    let fork = Rollout::after("t2", ("t1", &parent)).records(1);
    // While the fork is copied, and while its parent is.
    for (id, begun) in [("t1", 1), ("t2", 2)] {
        let make = || {
            let mut scratch = Scratch::new();
            scratch.put_source(&day("t1"), parent.bytes());
            scratch.put_source(&day("t2"), fork.bytes());
            scratch.request.source_provider_session = "t0".parse().unwrap();
            scratch.request.target_provider_session = id.parse().unwrap();
            scratch
        };
        let (scratch, error) = meanwhile(make, begun, |it| {
            it.options.cancelled.store(true, Ordering::Relaxed);
        });
        assert!(matches!(error, BindError::Cancelled), "{error:?}");
        assert_eq!(files(&scratch.target()).len(), 0);
        // Nothing is in the way of the next one.
        scratch.options.cancelled.store(false, Ordering::Relaxed);
        assert_eq!(scratch.bind().unwrap().outcome, Outcome::Copied);
    }
}
