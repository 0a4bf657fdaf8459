//! Variables of the environment that change what is recorded or written.

use std::path::{Path, PathBuf};

use cassette_format::process::EffectiveEnvironment;
use cassette_record::{SecretNames, SecretRefused, Secrets};
use process_local::{Environment, LaunchSpec};

use super::finding::Finding;
use crate::report;

/// What was found.
pub(super) fn findings() -> Vec<Finding> {
    let environment = Environment::of_launch(&LaunchSpec::default()).effective();
    let mut findings = vec![home(&environment)];
    findings.extend(secrets(&environment));
    findings.push(report_file(report::file_of_environment()));
    findings
}

fn home(environment: &EffectiveEnvironment) -> Finding {
    let names = ["HOME", "USERPROFILE"];
    let mut homes = names.iter().filter_map(|name| environment.get(name));
    match homes.find(|home| !home.is_empty() && *home != "/") {
        Some(home) => Finding::ok(
            "home",
            format!(
                "{} is recorded as ${{REPLAY_HOME}}",
                Path::new(home).display()
            ),
        ),
        None => Finding::warning(
            "home",
            "there is none, so paths of a home are refused",
            "set HOME, or name directories with record --root DIR",
        ),
    }
}

fn secrets(environment: &EffectiveEnvironment) -> Vec<Finding> {
    let (secrets, refused) = Secrets::from_environment(environment, &SecretNames::default());
    let names: Vec<&str> = secrets.names().map(|name| name.as_str()).collect();
    let watched = match names.as_slice() {
        [] => "no variable with a secret name is looked for".to_owned(),
        names => format!("looked for on the tape: {}", names.join(" ")),
    };
    let mut findings = vec![Finding::ok("secrets", watched)];
    findings.extend(refused.iter().map(unwatched));
    findings
}

fn unwatched(refused: &SecretRefused) -> Finding {
    let hint = match refused {
        SecretRefused::TooShort { name, .. } => {
            format!(
                "if it is a secret, record under `env -u {}` or take a longer one",
                name.as_str()
            )
        }
        SecretRefused::TooLong { name, .. } => {
            format!("if it is a secret, record under `env -u {}`", name.as_str())
        }
        _ => "see to it that it is not said while recording".to_owned(),
    };
    Finding::warning(
        "secrets",
        format!("not looked for on the tape: {refused}"),
        hint,
    )
}

fn report_file(file: Option<PathBuf>) -> Finding {
    let check = report::VARIABLE;
    let Some(file) = file else {
        return Finding::ok(check, "not set");
    };
    let directory = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let is_there = directory.unwrap_or(Path::new(".")).is_dir() && !file.is_dir();
    if is_there {
        let file = file.display();
        return Finding::ok(
            check,
            format!("record and replay write their verdicts to {file}"),
        );
    }
    Finding::warning(
        check,
        format!("{} cannot be written", file.display()),
        "name a file in a directory that exists",
    )
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    fn verdicts(findings: &[Finding]) -> Vec<Verdict> {
        findings.iter().map(Finding::verdict).collect()
    }

    #[test]
    fn secrets_are_told_by_name_and_those_that_are_not_looked_for_are_warned_of() {
        let environment = EffectiveEnvironment::from_iter([
            ("A_TOKEN", "s3cret-value".to_owned()),
            ("CI_TOKEN", "true".to_owned()),
            ("B_KEY", "x".repeat(20_000)),
        ]);
        let found = secrets(&environment);
        assert_eq!(
            verdicts(&found),
            [Verdict::Ok, Verdict::Warning, Verdict::Warning]
        );
        let text = format!("{found:?}");
        assert!(text.contains("looked for on the tape: A_TOKEN"), "{text}");
        assert!(
            !text.contains("s3cret-value") && !text.contains("true"),
            "{text}"
        );
    }

    #[test]
    fn a_report_that_cannot_be_written_is_warned_of() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| report_file(Some(scratch.path().join(name))).verdict();
        assert_eq!(report_file(None).verdict(), Verdict::Ok);
        assert_eq!(at("report.json"), Verdict::Ok);
        assert_eq!(at("missing/report.json"), Verdict::Warning);
        assert_eq!(at("."), Verdict::Warning);
    }

    #[test]
    fn a_home_that_stands_for_everything_is_none() {
        let of = |pairs: &[(&str, &str)]| home(&pairs.iter().copied().collect()).verdict();
        assert_eq!(of(&[("HOME", "/home/ada")]), Verdict::Ok);
        assert_eq!(
            of(&[("HOME", "/"), ("USERPROFILE", "/home/ada")]),
            Verdict::Ok
        );
        assert_eq!(of(&[("HOME", "/")]), Verdict::Warning);
        assert_eq!(of(&[]), Verdict::Warning);
    }
}
