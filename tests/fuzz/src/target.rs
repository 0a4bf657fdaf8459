//! All targets by name, for whoever runs more than one.

/// A target and its name, which is that of its binary and of its corpus.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Panics where a claim does not hold.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 10] = [
    target("scanner", crate::scanner),
    target("framers", crate::framers),
    target("frame_line", crate::frame_line),
    target("manifest", crate::manifest),
    target("recover", crate::recover),
    target("projection", crate::projection),
    target("player", crate::player),
    target("descriptor_file", crate::descriptor_file),
    target("rollout", crate::rollout),
    target("zst", crate::zst),
];

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}
