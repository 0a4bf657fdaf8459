//! Whole connections, played by a host.

mod barrier;
mod chunks;
mod host;
mod launches;
mod optional;
mod placement;
mod probe_times;
mod probes;
mod reports;
mod sizes;
mod tape;
