//! A scripted peer in memory: what tests and examples run instead of an agent.

mod connection;
mod peer;
mod script;
mod transport;

pub use peer::{MemoryPeer, Operation};
pub use script::{Script, ScriptError};
pub use transport::MemoryTransport;
