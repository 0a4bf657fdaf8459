//! What a reader of the figures has to know of the machine and the code.

use std::process::{Command, Stdio};

use serde::Serialize;

use crate::sys;

/// The machine, and the commit that was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    /// What the processor calls itself.
    processor: Option<String>,
    /// Cores that may be used.
    cores: usize,
    /// Whether it has instructions for SHA-256, which make the limits of hashing several times
    /// harder to come near.
    sha_instructions: bool,
    /// How many processes wanted to run in the minute before.
    load_average_at_start: Option<f64>,
    /// The commit, if git tells it.
    commit: Option<String>,
    /// Whether the code is optimised.
    optimised: bool,
}

impl Machine {
    /// Asks.
    pub(crate) fn now() -> Self {
        Self {
            processor: sys::processor(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            sha_instructions: has_sha_instructions(),
            load_average_at_start: sys::load_average(),
            commit: commit(),
            optimised: !cfg!(debug_assertions),
        }
    }

    /// In a few lines.
    pub(crate) fn text(&self) -> String {
        let processor = self.processor.as_deref().unwrap_or("unknown processor");
        let sha = if self.sha_instructions { "" } else { "no " };
        let load = self.load_average_at_start;
        let load = load.map_or_else(|| "not measured here".to_owned(), |it| format!("{it:.2}"));
        let commit = self.commit.as_deref().unwrap_or("not told by git");
        let optimised = if self.optimised {
            ""
        } else {
            "\nNOT OPTIMISED: figures mean nothing"
        };
        format!(
            "{processor}, {} cores, {sha}SHA instructions; load average at start: {load}\n\
             commit: {commit}{optimised}",
            self.cores
        )
    }
}

fn commit() -> Option<String> {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--dirty", "--abbrev=12"])
        .stdin(Stdio::null());
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn has_sha_instructions() -> bool {
    std::arch::is_x86_feature_detected!("sha")
}

#[cfg(target_arch = "aarch64")]
fn has_sha_instructions() -> bool {
    std::arch::is_aarch64_feature_detected!("sha2")
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn has_sha_instructions() -> bool {
    false
}
