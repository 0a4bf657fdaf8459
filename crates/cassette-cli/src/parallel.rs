//! The same work on many things at once, on as many threads as there are
//! processors.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` on each of `items`; results come in the order of the items.
pub(crate) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let keep = |at, result| {
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push((at, result));
    };
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            keep(at, work(item));
        }
    };
    thread::scope(|scope| {
        for _ in 1..processors.min(items.len()) {
            // Without a thread the others do its work.
            let _thread = thread::Builder::new().spawn_scoped(scope, take);
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        let doubled = super::each(&items, |item| item * 2);
        assert_eq!(
            doubled,
            items.iter().map(|item| item * 2).collect::<Vec<_>>()
        );
        assert_eq!(super::each(&[], |item: &u32| *item), [0; 0]);
    }
}
