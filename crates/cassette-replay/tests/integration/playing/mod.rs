//! Whole connections, played by a host.

mod barrier;
mod chunks;
mod clock;
mod closing;
mod host;
mod launches;
mod optional;
mod placement;
mod probe_times;
mod probes;
mod report_texts;
mod reports;
mod sending;
mod sessions;
mod sizes;
mod tape;
