//! Whole connections, played by a host.

mod barrier;
mod chunks;
mod host;
mod optional;
mod probe_times;
mod probes;
mod tape;
