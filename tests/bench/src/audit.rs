//! Auditing a tape, and the least that it could be.

use std::hint::black_box;

use base64::Engine as _;
use cassette_format::portable::Rules;

use crate::case::{Case, read_options};
use crate::cost::Cost;
use crate::quickest::BASE64;
use crate::scan;

/// Audits the tape, its file in the memory of the system.
pub(crate) fn audit(case: &Case) -> anyhow::Result<Cost> {
    let (options, rules) = (read_options(), Rules::default());
    let (took, findings) = Cost::of(|| {
        let findings = cassette_record::audit(case.dir(), case.registry(), &options, &rules)?;
        Ok(findings)
    })?;
    black_box(findings);
    Ok(took)
}

/// Decodes the payloads, which are in memory already, scans the messages and looks for needles.
pub(crate) fn least(case: &Case) -> anyhow::Result<Cost> {
    let materials = case.materials()?;
    let needles = scan::finders();
    let (took, found) = Cost::of(|| {
        let mut decoded = Vec::new();
        for piece in materials.base64.iter() {
            decoded.clear();
            BASE64.decode_vec(black_box(piece), &mut decoded)?;
        }
        let mut found = 0;
        for message in materials.messages.iter() {
            found += scan::count_tokens(black_box(message));
            found += scan::count_needles(&needles, message);
        }
        Ok(found)
    })?;
    black_box(found);
    Ok(took)
}
