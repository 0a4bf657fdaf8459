//! Run a local agent process over stdio and lose neither its output nor its descendants.
#![forbid(unsafe_code)]
