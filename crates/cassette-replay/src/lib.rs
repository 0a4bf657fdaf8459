//! Replay a cassette deterministically, without the agent.
#![forbid(unsafe_code)]
