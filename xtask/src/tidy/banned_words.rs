//! Rule: the repository knows neither the machine it was written on nor the hosts behind Cargo.
//! Every text file but the vectors, which hold what others wrote, and the lock file.

use super::rule::{Finding, Rule};
use super::tree::{TextFile, Tree};

pub(crate) const RULE: Rule = Rule {
    name: "banned-words",
    text: "no host name of a package registry and no path of the machine it was written on",
    check,
};

// In two pieces, so that this file does not hold the words itself.
const HOSTS: [&str; 5] = [
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("registry.", "npmjs.org"),
    concat!("pypi", ".org"),
    concat!("deb.", "debian.org"),
];
// `/work/…` alone is any example's directory.
const FOLDERS: [&str; 3] = [
    concat!("/work", "/main"),
    concat!("/work", "/shared"),
    concat!("/root", "/"),
];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files.iter().filter(|file| !is_exempt(file)) {
        for (line, text) in file.lines() {
            let hosts = HOSTS.into_iter().filter(|host| text.contains(host));
            let folders = FOLDERS
                .into_iter()
                .filter(|folder| has_absolute(text, folder));
            for word in hosts.chain(folders) {
                findings.push(Finding::violation(&file.path, line, format!("`{word}`")));
            }
        }
    }
    findings
}

fn is_exempt(file: &TextFile) -> bool {
    file.name() == "Cargo.lock" || file.path.starts_with("tests/vectors/")
}

/// Whether the folder occurs at the start of a path, not inside a longer one.
fn has_absolute(text: &str, folder: &str) -> bool {
    text.match_indices(folder).any(|(index, _)| {
        let before = text[..index].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '~' | '}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)]))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn hosts_and_machine_paths_are_reported_in_any_text_file() {
        let text = format!("fine\nsee https://{}/x\ncd {}x\n", HOSTS[2], FOLDERS[0]);

        assert_eq!(lines("README.md", &text), [2, 3]);
        assert_eq!(lines("crates/a/src/b.rs", &text), [2, 3]);
    }

    #[test]
    fn vectors_lock_file_and_longer_paths_are_fine() {
        let text = format!("\"{}x\"", FOLDERS[2]);

        assert_eq!(lines("tests/vectors/a.json", &text), [0; 0]);
        assert_eq!(lines("Cargo.lock", &text), [0; 0]);
        assert_eq!(
            lines("a.md", &format!("/home/a{}b, crates.io", FOLDERS[0])),
            [0; 0]
        );
    }
}
