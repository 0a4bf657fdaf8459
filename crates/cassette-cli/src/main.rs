//! The `cassette` command.
fn main() {}
