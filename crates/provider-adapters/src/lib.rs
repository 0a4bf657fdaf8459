//! Descriptors of the agent providers that cassette knows.
#![forbid(unsafe_code)]
