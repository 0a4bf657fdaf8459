//! Checks and measurements of the workspace.
fn main() {}
