//! What libFuzzer says of a run.

/// What libFuzzer says of a run, as far as it came to say it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// Inputs that were run.
    pub(crate) executions: u64,
    /// Edges of the program that could be seen to run.
    pub(crate) edges: u64,
    /// Those that did.
    pub(crate) covered: u64,
    /// How often edges ran and how values compared, in classes that were met.
    pub(crate) features: u64,
    /// Inputs that are kept because each shows something new.
    pub(crate) corpus: u64,
}

impl Statistics {
    /// Reads what was printed.
    pub(crate) fn parse(log: &str) -> Self {
        let mut statistics = Self::default();
        for line in log.lines() {
            statistics.read(line);
        }
        statistics
    }

    fn read(&mut self, line: &str) {
        if let Some(loaded) = line.strip_prefix("INFO: Loaded ") {
            if let Some((_, counters)) = loaded.split_once('(') {
                self.edges = number(counters).unwrap_or(self.edges);
            }
        } else if let Some(executions) = line.strip_prefix("stat::number_of_executed_units:") {
            self.executions = number(executions).unwrap_or(self.executions);
        } else if let Some(progress) = line.strip_prefix('#') {
            self.executions = number(progress).unwrap_or(self.executions);
            for (name, value) in [
                (" cov: ", &mut self.covered),
                (" ft: ", &mut self.features),
                (" corp: ", &mut self.corpus),
            ] {
                let told = progress.split_once(name).and_then(|(_, it)| number(it));
                *value = told.unwrap_or(*value);
            }
        }
    }
}

/// The number that a text begins with.
fn number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|it: char| !it.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "INFO: Running with entropic power schedule (0xFF, 100).\n\
        INFO: Loaded 1 modules   (167 inline 8-bit counters): 167 [0x55f4, 0x55f5), \n\
        INFO: Loaded 1 PC tables (167 PCs): 167 [0x55f4,0x55f5), \n\
        #2\tINITED cov: 8 ft: 9 corp: 1/1b exec/s: 0 rss: 27Mb\n\
        #4096\tpulse  cov: 14 ft: 16 corp: 6/31b lim: 4096 exec/s: 1398101 rss: 27Mb\n";

    #[test]
    fn the_last_line_of_progress_counts_and_the_final_count() {
        let end = "#14009573\tDONE   cov: 15 ft: 17 corp: 7/31b lim: 4096 exec/s: 9 rss: 27Mb\n\
            Done 14009573 runs in 11 second(s)\nstat::number_of_executed_units: 14009574\n\
            stat::average_exec_per_sec:     1273597\n";

        let statistics = Statistics::parse(&format!("{LOG}{end}"));

        let expected = Statistics {
            executions: 14_009_574,
            edges: 167,
            covered: 15,
            features: 17,
            corpus: 7,
        };
        assert_eq!(statistics, expected);
    }

    #[test]
    fn a_run_that_broke_off_tells_how_far_it_came() {
        let statistics = Statistics::parse(&format!("{LOG}thread panicked at src/a.rs\n"));

        let expected = Statistics {
            executions: 4096,
            edges: 167,
            covered: 14,
            features: 16,
            corpus: 6,
        };
        assert_eq!(statistics, expected);
    }
}
