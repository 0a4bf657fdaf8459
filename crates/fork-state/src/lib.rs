//! Bring a forked agent session into its own home, exactly or not at all.
#![forbid(unsafe_code)]
