//! How far a command is that works on many things: one line on standard error, rewritten,
//! where that is a terminal. It is not seen where there is nothing to wait for.

use std::io::{IsTerminal, Write, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long nobody minds waiting without being told.
const UNTOLD: Duration = Duration::from_millis(500);
/// How often the line is rewritten, at most.
const REWRITTEN: Duration = Duration::from_millis(100);
/// Goes back to the beginning of the line and empties it.
const CLEAR: &str = "\r\u{1b}[K";

/// The progress of a command, told by many threads.
pub(crate) struct Progress<W = std::io::Stderr> {
    label: &'static str,
    total: usize,
    told: Option<Mutex<Told<W>>>,
}

/// What is on the terminal.
struct Told<W> {
    output: W,
    done: usize,
    /// When the line may be written next.
    next: Instant,
    is_shown: bool,
}

impl Progress {
    /// The progress of `label` over so many things.
    pub(crate) fn of(label: &'static str, total: usize) -> Self {
        let output = stderr();
        let is_told = total > 1 && output.is_terminal();
        let now = Instant::now();
        Self::on(is_told.then_some(output), (label, total), now)
    }
}

impl<W: Write> Progress<W> {
    fn on(output: Option<W>, (label, total): (&'static str, usize), now: Instant) -> Self {
        let told = output.map(|output| {
            Mutex::new(Told {
                output,
                done: 0,
                next: now + UNTOLD,
                is_shown: false,
            })
        });
        Self { label, total, told }
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        self.step_at(Instant::now());
    }

    fn step_at(&self, now: Instant) {
        let Some(told) = &self.told else { return };
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.done += 1;
        if now < told.next {
            return;
        }
        told.next = now + REWRITTEN;
        let (label, done, total) = (self.label, told.done, self.total);
        // A terminal that cannot be written is nobody's loss.
        let _unseen = write!(told.output, "{CLEAR}{label}: {done} of {total}");
        let _unseen = told.output.flush();
        told.is_shown = true;
    }

    /// Takes the line away: what comes after begins on an empty one.
    pub(crate) fn finish(&self) {
        let Some(told) = &self.told else { return };
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_shown {
            let _unseen = write!(told.output, "{CLEAR}");
            let _unseen = told.output.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written when things are done at these milliseconds.
    fn written(done_at: &[u64]) -> String {
        let began = Instant::now();
        let progress = Progress::on(Some(Vec::new()), ("verify", 9), began);
        for at in done_at {
            progress.step_at(began + Duration::from_millis(*at));
        }
        progress.finish();
        let told = progress.told.unwrap().into_inner().unwrap();
        String::from_utf8(told.output).unwrap()
    }

    #[test]
    fn the_line_is_written_seldom_and_taken_away() {
        let lines = ["verify: 3 of 9", "verify: 5 of 9", ""];
        let expected = lines.map(|line| format!("\r\u{1b}[K{line}")).concat();
        assert_eq!(written(&[1, 2, 500, 599, 600]), expected);
    }

    #[test]
    fn nothing_is_written_where_nothing_is_waited_for() {
        assert_eq!(written(&[1, 2, 3, 499]), "");
    }
}
