//! A run: everything that was asked for, one measurement after the other, nothing beside another.

use std::io::{self, Stdout};

use crate::arguments::{Arguments, Effort, Form, Part};
use crate::case::{Case, Ids};
use crate::cost::pairs;
use crate::growth::Growth;
use crate::machine::Machine;
use crate::made_tape::{Paths, Recipe};
use crate::operation::{FINISH, LINEAR, MAPPED, OF_TAPES, Operation, UNMAPPED, USUAL_PAYLOAD};
use crate::report::Report;
use crate::row::{Amount, Row, Unit};
use crate::table::Table;
use crate::{bind, pass_through, peak};

/// Connections of a tape unless it is about them.
const CONNECTIONS: u64 = 4;

/// Runs what is asked for and prints it.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let mut run = Run::begin(arguments)?;
    if arguments.wants(Part::Tape) {
        match &arguments.input {
            Some(dir) => run.given(&Case::open(dir, Ids::Kept)?)?,
            None => run.made()?,
        }
    }
    let how = (arguments.effort, run.pairs);
    if arguments.wants(Part::Bind) {
        bind::measure(how, |row| run.row(row))?;
    }
    if arguments.wants(Part::PassThrough) {
        pass_through::measure(how, |row| run.row(row))?;
    }
    if arguments.wants(Part::Growth) {
        run.growth()?;
    }
    run.end()
}

struct Run {
    table: Option<Table<Stdout>>,
    report: Report,
    effort: Effort,
    pairs: usize,
    /// How often everything is done whose growth is looked at.
    rounds: usize,
}

impl Run {
    fn begin(arguments: &Arguments) -> anyhow::Result<Self> {
        let machine = Machine::now();
        let table = match arguments.form {
            Form::Table => Some(Table::begin(io::stdout(), &machine.text())?),
            Form::Json => None,
        };
        let (pairs, rounds) = match arguments.effort {
            Effort::Full => (11, 5),
            Effort::Quick => (1, 1),
        };
        Ok(Self {
            table,
            report: Report {
                machine,
                rows: Vec::new(),
                growth: Vec::new(),
                skipped: Vec::new(),
            },
            effort: arguments.effort,
            pairs,
            rounds,
        })
    }

    /// Every operation with tapes of every size of payload.
    fn made(&mut self) -> anyhow::Result<()> {
        let mut cases = Vec::new();
        let sizes: &[(usize, &str)] = match self.effort {
            Effort::Full => &[
                (60, "60 B"),
                (600, "600 B"),
                (6_000, "6 kB"),
                (600_000, "600 kB"),
            ],
            Effort::Quick => &[(600, "600 B")],
        };
        for (payload, name) in sizes {
            let recipe = self.recipe(50, *payload);
            let with_paths = Recipe {
                paths: Paths::Every,
                ..recipe
            };
            cases.push((
                Case::made(recipe, (*name).to_owned())?,
                Case::made(with_paths, format!("{name}, a path in each"))?,
            ));
        }
        for operation in &OF_TAPES {
            for (plain, with_paths) in &cases {
                let is_replay = [UNMAPPED.name, MAPPED.name].contains(&operation.name);
                let case = if is_replay { with_paths } else { plain };
                if operation.name == FINISH.name && case.payload != USUAL_PAYLOAD {
                    continue;
                }
                self.operation(operation, case)?;
            }
        }
        Ok(())
    }

    /// Every operation with a tape that was given.
    fn given(&mut self, case: &Case) -> anyhow::Result<()> {
        let manifest = case.manifest();
        let text = format!(
            "tape: {}, {} bytes, {} frames, {} connections",
            case.dir().display(),
            manifest.stored_bytes,
            manifest.frame_count,
            manifest.connections.len(),
        );
        if let Some(table) = &mut self.table {
            table.remark(&text)?;
        }
        for operation in &OF_TAPES {
            if let Err(error) = self.operation(operation, case) {
                self.skip(operation.name, &format!("{error:#}"))?;
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: &Operation, case: &Case) -> anyhow::Result<()> {
        let manifest = case.manifest();
        let pairs = pairs(
            self.pairs,
            || (operation.ours)(case),
            || (operation.limit)(case),
        )?;
        self.row(Row {
            what: operation.name.to_owned(),
            case: case.name.clone(),
            limit: operation.limit_name,
            goal: operation.goal_with(case),
            amount: Amount {
                count: match operation.unit {
                    Unit::Frames => manifest.frame_count,
                    _ => manifest.stored_bytes,
                },
                unit: operation.unit,
            },
            peak: peak::of(operation, case),
            pairs,
        })
    }

    /// How costs grow with the tape, and with its connections.
    fn growth(&mut self) -> anyhow::Result<()> {
        let sizes = [10, 50, 200].map(|megabytes| {
            let recipe = self.recipe(megabytes, 600);
            Case::made(recipe, format!("{megabytes} MB"))
        });
        self.grow("the tape, 600 B", sizes)?;
        let connections = [1, 8, 64].map(|connections| {
            let recipe = Recipe {
                connections,
                ..self.recipe(50, 600)
            };
            Case::made(recipe, format!("{connections} conn."))
        });
        self.grow("connections, 50 MB of 600 B", connections)
    }

    fn grow(
        &mut self,
        along: &str,
        cases: impl IntoIterator<Item = anyhow::Result<Case>>,
    ) -> anyhow::Result<()> {
        let cases: Vec<Case> = cases.into_iter().collect::<Result<_, _>>()?;
        for operation in &LINEAR {
            let growth = Growth::measure(operation, along, (&cases, self.rounds))?;
            if let Some(table) = &mut self.table {
                table.growth(&growth)?;
            }
            self.report.growth.push(growth);
        }
        Ok(())
    }

    fn recipe(&self, megabytes: u64, payload: usize) -> Recipe {
        Recipe {
            bytes: match self.effort {
                Effort::Full => megabytes * 1_000_000,
                Effort::Quick => megabytes * 10_000,
            },
            payload,
            connections: CONNECTIONS,
            paths: Paths::EveryTenth,
        }
    }

    fn row(&mut self, row: Row) -> anyhow::Result<()> {
        if let Some(table) = &mut self.table {
            table.row(&row)?;
        }
        self.report.rows.push(row);
        Ok(())
    }

    fn skip(&mut self, what: &str, why: &str) -> anyhow::Result<()> {
        if let Some(table) = &mut self.table {
            table.skipped(what, why)?;
        }
        self.report.skipped.push(format!("{what}: {why}"));
        Ok(())
    }

    fn end(self) -> anyhow::Result<()> {
        match self.table {
            Some(_) => Ok(()),
            None => self.report.write(io::stdout()),
        }
    }
}
