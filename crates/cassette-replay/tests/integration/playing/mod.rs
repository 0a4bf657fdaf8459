//! Whole connections, played by a host.

mod barrier;
mod chunks;
mod host;
mod optional;
mod tape;
