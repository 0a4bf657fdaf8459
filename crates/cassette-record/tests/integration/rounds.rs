//! How often a fault is tried: `FAULT_ROUNDS` says it to every such test of the workspace
//! (`cargo xtask faults`).

/// What the environment says, or as usually.
pub(crate) fn rounds(usually: u64) -> u64 {
    let asked = std::env::var("FAULT_ROUNDS").ok();
    asked.map_or(usually, |asked| asked.parse().unwrap())
}
