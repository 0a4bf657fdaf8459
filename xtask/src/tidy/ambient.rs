//! Rule: `cassette-format` reaches for nothing outside itself but files, and for those only in two
//! modules. Its tests may.

use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::rust::{PathUse, paths};

pub(crate) const RULE: Rule = Rule {
    name: "ambient",
    text: "cassette-format has no runtime, clock or environment (of tokio only `sync` and `io`), \
           and only its modules `store` and `sys` use `std::fs`",
    check,
};

const SOURCES: &str = "crates/cassette-format/src/";
const FILE_MODULES: [&str; 2] = ["store", "sys"];
const OF_TOKIO: [&str; 2] = ["sync", "io"];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree
        .sources_below(SOURCES)
        .filter(|(file, _)| !file.is_test())
    {
        let inside = file.path.strip_prefix(SOURCES).unwrap_or(&file.path);
        let module = inside.split(['/', '.']).next().unwrap_or(inside);
        for path in paths(&source.production) {
            if let Some(what) = reached(&path, FILE_MODULES.contains(&module)) {
                let found = format!("`{}` reaches for {what}", path.segments.join("::"));
                findings.push(Finding::violation(&file.path, path.line, found));
            }
        }
    }
    findings
}

/// What a path reaches for that it must not.
fn reached(path: &PathUse, files_allowed: bool) -> Option<&'static str> {
    if path.starts_with(&["std", "fs"]) {
        return (!files_allowed).then_some("files");
    }
    if path.starts_with(&["std", "env"]) {
        return Some("the environment");
    }
    if path.starts_with(&["tokio"]) {
        return (!OF_TOKIO.contains(&path.segments[1].as_str())).then_some("the runtime");
    }
    let clock =
        |pair: &[String]| (pair[0] == "Instant" || pair[0] == "SystemTime") && pair[1] == "now";
    path.segments.windows(2).any(clock).then_some("the clock")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        let path = format!("{SOURCES}{path}");
        check(&Tree::of(&[(&path, text)]))
            .into_iter()
            .map(|finding| finding.found)
            .collect()
    }

    #[test]
    fn files_are_reached_only_from_two_modules() {
        let text = "use std::{fs, io};";

        assert_eq!(
            findings("json/scan.rs", text),
            ["`std::fs` reaches for files"]
        );
        assert_eq!(findings("store/read.rs", text), [""; 0]);
        assert_eq!(findings("sys.rs", text), [""; 0]);
    }

    #[test]
    fn clock_environment_and_runtime_are_out_of_reach() {
        let text = "use std::time::{Instant, SystemTime};\nuse tokio::{sync::mpsc, time};\n\
                    fn f() { Instant::now(); std::time::SystemTime::now(); std::env::var(\"A\"); }";

        let expected = [
            "`tokio::time` reaches for the runtime",
            "`Instant::now` reaches for the clock",
            "`std::time::SystemTime::now` reaches for the clock",
            "`std::env::var` reaches for the environment",
        ];
        assert_eq!(findings("store.rs", text), expected);
    }

    #[test]
    fn unit_tests_may_reach_for_everything() {
        let text = "#[cfg(test)]\nmod tests { use std::fs; }";

        assert_eq!(findings("json/scan.rs", text), [""; 0]);
        assert_eq!(findings("json/tests.rs", "use std::fs;"), [""; 0]);
    }
}
