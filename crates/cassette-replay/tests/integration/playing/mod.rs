//! Whole connections, played by a host.

mod chunks;
mod host;
mod tape;
