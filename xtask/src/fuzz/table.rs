//! The table at the end of a run.

use std::fmt::Write as _;
use std::time::Duration;

use super::statistics::Statistics;

/// One target.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) target: String,
    pub(crate) elapsed: Duration,
    pub(crate) statistics: Statistics,
    /// Inputs that break a claim.
    pub(crate) findings: usize,
}

const HEAD: [&str; 8] = [
    "target",
    "seconds",
    "executions",
    "exec/s",
    "edges covered of edges",
    "features",
    "corpus",
    "findings",
];

/// The rows under their head, columns of equal width.
pub(crate) fn table(rows: &[Row]) -> String {
    let cells: Vec<[String; 8]> = rows.iter().map(cells).collect();
    let width = |at: usize| {
        let widths = cells.iter().map(|cells| cells[at].len());
        widths.max().unwrap_or(0).max(HEAD[at].len())
    };
    let widths: [usize; 8] = std::array::from_fn(width);
    let mut table = String::new();
    line(&mut table, &HEAD.map(str::to_owned), &widths);
    line(&mut table, &widths.map(|width| "-".repeat(width)), &widths);
    for cells in &cells {
        line(&mut table, cells, &widths);
    }
    table
}

fn cells(row: &Row) -> [String; 8] {
    let Statistics {
        executions,
        edges,
        covered,
        features,
        corpus,
    } = row.statistics;
    let seconds = row.elapsed.as_secs_f64();
    let milliseconds = row.elapsed.as_millis().max(1);
    let rate = u128::from(executions) * 1000 / milliseconds;
    [
        row.target.clone(),
        format!("{seconds:.1}"),
        executions.to_string(),
        rate.to_string(),
        format!("{covered} of {edges}"),
        features.to_string(),
        corpus.to_string(),
        row.findings.to_string(),
    ]
}

/// The first cell to the left, the others to the right.
fn line(table: &mut String, cells: &[String; 8], widths: &[usize; 8]) {
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Writing to a text does not fail.
        let _written = match at {
            0 => write!(table, "| {cell:width$} |"),
            _ => write!(table, " {cell:>width$} |"),
        };
    }
    table.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_below_their_heads() {
        let row = Row {
            target: "scanner".to_owned(),
            elapsed: Duration::from_millis(6500),
            statistics: Statistics {
                executions: 1_300_000,
                edges: 4000,
                covered: 900,
                features: 2000,
                corpus: 150,
            },
            findings: 0,
        };

        let expected = "\
| target  | seconds | executions | exec/s | edges covered of edges | features | corpus | findings |
| ------- | ------- | ---------- | ------ | ---------------------- | -------- | ------ | -------- |
| scanner |     6.5 |    1300000 | 200000 |            900 of 4000 |     2000 |    150 |        0 |
";
        assert_eq!(table(&[row]), expected);
    }
}
