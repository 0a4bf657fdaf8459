//! All that is looked at, in its order, and what comes of it.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use serde::Serialize;

use super::finding::{Finding, Verdict};
use super::{agents, directory, limits, system, variables};
use crate::arguments::DoctorArguments;
use crate::checks::FOUND;
use crate::results::{self, SCHEMA};

/// Looks at everything, prints it, and gives 1 if recording does not work here.
pub(crate) fn run(arguments: &DoctorArguments) -> anyhow::Result<ExitCode> {
    let diagnosis = Diagnosis {
        schema: SCHEMA,
        command: "doctor",
        version: env!("CARGO_PKG_VERSION"),
        findings: findings(),
    };
    results::print(arguments.output.form(), &diagnosis)?;
    let verdicts = diagnosis.findings.iter().map(Finding::verdict);
    Ok(match verdicts.max() {
        Some(Verdict::Problem) => ExitCode::from(FOUND),
        _ => ExitCode::SUCCESS,
    })
}

fn findings() -> Vec<Finding> {
    let mut findings = system::findings();
    findings.extend(directory::findings());
    findings.extend(limits::findings());
    findings.extend(agents::findings());
    findings.extend(variables::findings());
    findings
}

#[derive(Debug, Serialize)]
struct Diagnosis {
    schema: u32,
    command: &'static str,
    version: &'static str,
    findings: Vec<Finding>,
}

impl Display for Diagnosis {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        let count = |verdict| {
            let findings = self.findings.iter();
            findings
                .filter(|finding| finding.verdict() == verdict)
                .count()
        };
        let (warnings, problems) = (count(Verdict::Warning), count(Verdict::Problem));
        write!(f, "problems: {problems}, warnings: {warnings}")
    }
}
