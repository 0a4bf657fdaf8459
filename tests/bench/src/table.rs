//! The figures for people.

use std::io::{self, Write};

use crate::cost::{Pair, Spread};
use crate::growth::Growth;
use crate::row::{Row, Unit};

/// What stands where nothing could be measured.
const NOT_MEASURED: &str = "not measured here";

/// Prints rows as they come, with a header wherever something else is measured.
#[derive(Debug)]
pub(crate) struct Table<W> {
    out: W,
    what: String,
}

impl<W: Write> Table<W> {
    /// A table that begins with a line or more.
    pub(crate) fn begin(mut out: W, text: &str) -> io::Result<Self> {
        writeln!(out, "{text}")?;
        let what = String::new();
        Ok(Self { out, what })
    }

    /// A line between others.
    pub(crate) fn remark(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// One line.
    pub(crate) fn row(&mut self, row: &Row) -> io::Result<()> {
        if row.what != self.what {
            self.what.clone_from(&row.what);
            writeln!(self.out, "\n{}, beside: {}", row.what, row.limit)?;
            writeln!(
                self.out,
                "  {:<33}{:>19}  {:>19}  {:<19} {:<19} {:>12}{:>12}  goal",
                "", "ours: wall, CPU", "limit: wall, CPU", "× wall", "× CPU", "rate", "peak"
            )?;
        }
        let met = match row.is_met() {
            None => "",
            Some(true) => ": met",
            Some(false) => ": not met",
        };
        let line = format!(
            "  {:<33}{}  {}  {:<19} {:<19} {:>12}{:>12}  {}{met}",
            row.case,
            times(&row.pairs, |pair| (pair.ours.wall, pair.ours.cpu)),
            times(&row.pairs, |pair| (pair.limit.wall, pair.limit.cpu)),
            spread(row.wall_ratios()),
            spread(row.cpu_ratios()),
            rate(row),
            memory(row.peak),
            row.goal.text(),
        );
        writeln!(self.out, "{}", line.trim_end())?;
        self.out.flush()
    }

    /// What was not measured, and why.
    pub(crate) fn skipped(&mut self, what: &str, why: &str) -> io::Result<()> {
        writeln!(self.out, "\n{what}: skipped, {why}")
    }

    /// How costs grow.
    pub(crate) fn growth(&mut self, growth: &Growth) -> io::Result<()> {
        if growth.along != self.what {
            self.what.clone_from(&growth.along);
            writeln!(
                self.out,
                "\ngrowth with {}: CPU nanoseconds a byte of the tape, and peak memory",
                growth.along
            )?;
        }
        let points = growth.points.iter().map(|point| {
            let each = point.nanoseconds_a_byte();
            let each =
                each.map_or_else(|| NOT_MEASURED.to_owned(), |it| format!("{:.2}", it.median));
            let column = format!("{}: {each}, {}", point.name, memory(point.peak));
            format!("{column:<34}")
        });
        writeln!(
            self.out,
            "  {:<37}{}last a first {}",
            growth.what,
            points.collect::<String>(),
            spread(growth.last_a_first()),
        )?;
        self.out.flush()
    }
}

/// Milliseconds of both clocks, in the middle of the pairs.
fn times(pairs: &[Pair], pick: fn(&Pair) -> (f64, Option<f64>)) -> String {
    let wall = Spread::of(pairs.iter().map(|pair| pick(pair).0));
    let cpu = Spread::of(pairs.iter().filter_map(|pair| pick(pair).1));
    let milliseconds = |spread: Option<Spread>| {
        spread.map_or_else(|| "–".to_owned(), |it| format!("{:.1}", it.median * 1e3))
    };
    format!("{:>8} {:>7} ms", milliseconds(wall), milliseconds(cpu))
}

fn spread(spread: Option<Spread>) -> String {
    spread.map_or_else(
        || NOT_MEASURED.to_owned(),
        |it| format!("{:.2} ({:.2}–{:.2})", it.median, it.min, it.max),
    )
}

fn rate(row: &Row) -> String {
    let Some(rate) = row.rate() else {
        return String::new();
    };
    match row.amount.unit {
        Unit::Bytes => format!("{:.0} MB/s", rate / 1e6),
        Unit::Frames => format!("{rate:.0} fr/s"),
        Unit::RoundTrips | Unit::Processes => format!("{:.1} µs", 1e6 / rate),
    }
}

fn memory(bytes: Option<u64>) -> String {
    bytes.map_or_else(
        || "–".to_owned(),
        |bytes| format!("{:.1} MB", bytes as f64 / 1e6),
    )
}
