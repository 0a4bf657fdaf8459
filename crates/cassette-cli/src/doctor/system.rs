//! The program and the operating system.

use std::env::consts::{ARCH, OS};

use cassette_format::schema::{ProjectionVersion, SchemaVersion};
use process_local::{Method, VerifyError, VerifyOptions, supervisor};

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
        descendants(supervisor::is_supported()),
        executables(VerifyOptions::default().try_out()),
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

/// What `record --supervised` is good for.
fn descendants(supervised: bool) -> Finding {
    if supervised {
        let text = "`record --supervised` ends all that a command leaves running";
        return Finding::ok("descendants", text);
    }
    Finding::warning(
        "descendants",
        "what leaves the process group of a command is not ended with it",
        "Linux ends it from 5.3 on; a sandbox may keep `pidfd_open` or /proc from working",
    )
}

/// What hosts can have that start only verified executables, as this command does not.
fn executables(held: Result<Method, VerifyError>) -> Finding {
    match held {
        Ok(method) => Finding::ok("executables", format!("can be verified, {method}")),
        Err(error) => Finding::warning(
            "executables",
            error.to_string(),
            "only hosts that verify what they start need this; cassette does not",
        ),
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

    #[test]
    fn what_cannot_be_supervised_or_verified_is_warned_of() {
        assert_eq!(descendants(true).verdict(), Verdict::Ok);
        assert_eq!(descendants(false).verdict(), Verdict::Warning);
        assert_eq!(executables(Ok(Method::Sealed)).verdict(), Verdict::Ok);
        let path = "/agent".into();
        let unsupported = executables(Err(VerifyError::NotFound { path }));
        assert_eq!(unsupported.verdict(), Verdict::Warning);
    }
}
