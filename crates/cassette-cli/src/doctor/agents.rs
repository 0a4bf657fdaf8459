//! Which agents are found where recordings look for commands. None is started.

use std::ffi::OsString;

use process_local::{Environment, LaunchSpec};

use super::finding::Finding;
use crate::provider_guess::{KNOWN_AGENTS, provider_of};

/// What was found.
pub(super) fn findings() -> Vec<Finding> {
    let path = Environment::of_launch(&LaunchSpec::default()).search_path();
    let mut findings = Vec::new();
    let mut missing = Vec::new();
    for words in KNOWN_AGENTS {
        let command: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let name = words.split(' ').next().unwrap_or(words);
        match path.find(name) {
            Some(file) => {
                let (file, provider) = (file.display(), provider_of(&command));
                findings.push(Finding::ok("agent", format!("{words}: {file}, {provider}")));
            }
            None => missing.push(name),
        }
    }
    if !missing.is_empty() {
        let missing = missing.join(" ");
        let text = format!("not found: {missing}; any command can be recorded");
        findings.push(Finding::ok("agents", text));
    }
    findings
}
