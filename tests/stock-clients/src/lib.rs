//! Nothing: this package exists for its processes and its tests.
#![forbid(unsafe_code)]
