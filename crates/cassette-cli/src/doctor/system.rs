//! The program and the operating system.

use std::env::consts::{ARCH, OS};

use cassette_format::schema::{ProjectionVersion, SchemaVersion};

use super::finding::Finding;
use crate::sys;

/// What was found.
pub(super) fn findings() -> Vec<Finding> {
    let (schema, projection) = (SchemaVersion::CURRENT, ProjectionVersion::CURRENT);
    let version = env!("CARGO_PKG_VERSION");
    let version = format!("cassette {version}, schema {schema}, projection {projection}");
    vec![
        Finding::ok("version", version),
        system(OS, ARCH),
        exits(sys::gives_process_descriptors()),
    ]
}

fn system(name: &str, processor: &str) -> Finding {
    let text = format!("{name} on {processor}");
    let hint = "what goes wrong here is worth an issue; Linux is where everything is proven";
    match name {
        "linux" => Finding::ok("system", text),
        "macos" => Finding::warning("system", format!("{text}: compiled, not proven"), hint),
        _ => Finding::warning("system", format!("{text}: not proven at all"), hint),
    }
}

/// How the end of an agent is seen.
fn exits(descriptors: Option<bool>) -> Finding {
    match descriptors {
        Some(true) => Finding::ok("processes", "their ends are told by process descriptors"),
        Some(false) => Finding::warning(
            "processes",
            "the system gives no process descriptors: each agent costs a waiting thread",
            "Linux has them from 5.3 on; a sandbox may keep `pidfd_open` from working",
        ),
        None => Finding::ok("processes", "a thread waits for the end of each"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn only_linux_is_said_to_be_proven() {
        let verdict = |name| system(name, "x").verdict();
        assert_eq!(verdict("linux"), Verdict::Ok);
        assert_eq!(verdict("macos"), Verdict::Warning);
        assert_eq!(verdict("windows"), Verdict::Warning);
    }

    #[test]
    fn a_system_without_process_descriptors_where_there_should_be_is_warned_of() {
        assert_eq!(exits(Some(true)).verdict(), Verdict::Ok);
        assert_eq!(exits(Some(false)).verdict(), Verdict::Warning);
        assert_eq!(exits(None).verdict(), Verdict::Ok);
    }
}
