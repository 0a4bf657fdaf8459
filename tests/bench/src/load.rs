//! Loading and verifying a tape, and hashing its bytes.

use std::hint::black_box;

use sha2::{Digest as _, Sha256};

use crate::case::Case;
use crate::cost::Cost;

/// Loads and verifies the tape, its file in the memory of the system.
pub(crate) fn load(case: &Case) -> anyhow::Result<Cost> {
    let (took, tape) = Cost::of(|| case.tape())?;
    drop(tape);
    Ok(took)
}

/// Hashes the bytes of the tape, which are in memory already.
pub(crate) fn hash(case: &Case) -> anyhow::Result<Cost> {
    let stored = &case.materials()?.stored;
    let (took, digest) = Cost::of(|| Ok(Sha256::digest(black_box(stored))))?;
    black_box(digest);
    Ok(took)
}
