//! How much a summary keeps of one direction of a connection, whatever stands on
//! the tape.

/// Most entries of methods; what comes beyond them is counted together.
pub const MAX_METHODS: usize = 1024;

/// Longest name of a method, in bytes; a longer one is cut, at the end of a
/// character.
pub const MAX_NAME_BYTES: usize = 128;

/// Most requests whose answers are waited for at a time; beyond them a request is
/// counted, and its answer is one to no request.
pub const MAX_OPEN_REQUESTS: usize = 8192;

/// Longest id, in bytes, by which an answer is found.
pub const MAX_REQUEST_ID_BYTES: usize = 256;

/// Most different times, in milliseconds, of which a median is known.
pub const MAX_DISTINCT_TIMES: usize = 1024;
