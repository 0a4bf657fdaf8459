//! Headers and times of the steps. What a step does is not known here.

use std::io::Write;
use std::time::Instant;

use anyhow::Context as _;

/// How a step ended that did not fail.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It ran and all was well.
    Passed,
    /// It could not run here, for this reason.
    Skipped(String),
}

/// Runs steps until one fails.
#[derive(Debug)]
pub(crate) struct Progress<W> {
    out: W,
    started: Instant,
    passed: usize,
    skipped: Vec<String>,
}

impl<W: Write> Progress<W> {
    /// Starts the clock.
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            started: Instant::now(),
            passed: 0,
            skipped: Vec::new(),
        }
    }

    /// Runs one step between its header and its result.
    pub(crate) fn step(
        &mut self,
        name: &str,
        run: impl FnOnce() -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<()> {
        writeln!(self.out, "\n=== {name}")?;
        self.out.flush()?;
        let started = Instant::now();
        let outcome = run();
        let seconds = started.elapsed().as_secs_f64();
        match outcome.with_context(|| format!("step `{name}` failed after {seconds:.1} s"))? {
            Outcome::Passed => {
                self.passed += 1;
                writeln!(self.out, "=== {name}: passed in {seconds:.1} s")?;
            }
            Outcome::Skipped(reason) => {
                self.skipped.push(name.to_owned());
                writeln!(self.out, "=== {name}: SKIPPED, {reason}")?;
            }
        }
        Ok(())
    }

    /// Prints the totals.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        let seconds = self.started.elapsed().as_secs_f64();
        let skipped = if self.skipped.is_empty() {
            "none".to_owned()
        } else {
            self.skipped.join(", ")
        };
        writeln!(
            self.out,
            "\n=== ci: {} steps passed in {seconds:.1} s; skipped: {skipped}",
            self.passed
        )?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn skipped_step_is_named_again_at_the_end() {
        let mut out = Vec::new();
        let mut progress = Progress::new(&mut out);
        progress.step("fmt", || Ok(Outcome::Passed)).unwrap();
        progress
            .step("deny", || Ok(Outcome::Skipped("not installed".to_owned())))
            .unwrap();
        progress.finish().unwrap();

        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("=== fmt: passed in "), "{out}");
        assert!(out.contains("=== deny: SKIPPED, not installed\n"), "{out}");
        assert!(out.ends_with("; skipped: deny\n"), "{out}");
    }

    #[test]
    fn failed_step_is_named_with_its_cause() {
        let mut progress = Progress::new(Vec::new());

        let error = progress
            .step("docs", || Err(anyhow!("broken link")))
            .unwrap_err();

        let text = format!("{error:#}");
        assert!(text.starts_with("step `docs` failed after "), "{text}");
        assert!(text.ends_with(" s: broken link"), "{text}");
    }
}
