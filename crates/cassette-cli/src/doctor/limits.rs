//! What the operating system lets this process have.

use std::path::Path;

use cassette_format::schema::MAX_STORED_BYTES;

use super::finding::Finding;
use crate::sys;

/// Open files with which a recording cannot go on, and with which agents may not.
const FEW_FILES: (u64, u64) = (24, 256);
/// Bytes of a cassette that is hardly begun.
const SMALL: u64 = 1 << 20;

/// What was found.
pub(super) fn findings() -> Vec<Finding> {
    let limits = sys::limits();
    vec![
        open_files(limits.open_files),
        file_size(limits.file_size),
        space(sys::free_space(Path::new("."))),
    ]
}

fn open_files(limit: Option<u64>) -> Finding {
    let check = "open files";
    let Some(limit) = limit else {
        return Finding::ok(check, "no limit");
    };
    let (problem, warning) = FEW_FILES;
    let hint = format!("`ulimit -n {}` before recording", warning * 4);
    if limit < problem {
        Finding::problem(
            check,
            format!("{limit} at most, a recording needs {problem}"),
            hint,
        )
    } else if limit < warning {
        let text = format!("{limit} at most; that is the agent's limit, too");
        Finding::warning(check, text, hint)
    } else {
        Finding::ok(check, format!("{limit} at most"))
    }
}

fn file_size(limit: Option<u64>) -> Finding {
    let check = "file size";
    let hint = "`ulimit -f unlimited` before recording";
    match limit {
        None => Finding::ok(check, "no limit"),
        Some(limit) if limit >= MAX_STORED_BYTES => Finding::ok(
            check,
            format!("{limit} bytes at most, more than a cassette has"),
        ),
        Some(limit) => {
            let text = format!("{limit} bytes at most, where a recording fails");
            if limit < SMALL {
                Finding::problem(check, text, hint)
            } else {
                Finding::warning(check, text, hint)
            }
        }
    }
}

fn space(free: Option<u64>) -> Finding {
    let check = "space";
    let hint = "make room, or name another place with -o";
    match free {
        None => Finding::ok(check, "how much is free is not told here"),
        Some(free) if free >= MAX_STORED_BYTES => {
            Finding::ok(check, format!("{} MiB are free here", free >> 20))
        }
        Some(free) => {
            let text =
                format!("{free} bytes are free here, a cassette may have {MAX_STORED_BYTES}");
            if free < SMALL {
                Finding::problem(check, text, hint)
            } else {
                Finding::warning(check, text, hint)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict::{Ok, Problem, Warning};
    use super::*;

    #[test]
    fn limits_are_judged_by_what_recordings_need() {
        let files = [
            (None, Ok),
            (Some(1024), Ok),
            (Some(255), Warning),
            (Some(23), Problem),
        ];
        for (limit, verdict) in files {
            assert_eq!(open_files(limit).verdict(), verdict, "{limit:?}");
        }
        let bytes = [
            (None, Ok),
            (Some(MAX_STORED_BYTES), Ok),
            (Some(MAX_STORED_BYTES - 1), Warning),
            (Some(SMALL - 1), Problem),
        ];
        for (limit, verdict) in bytes {
            assert_eq!(file_size(limit).verdict(), verdict, "{limit:?}");
            assert_eq!(space(limit).verdict(), verdict, "{limit:?}");
        }
    }
}
