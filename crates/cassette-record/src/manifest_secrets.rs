//! Taking secrets out of a manifest.

use cassette_format::schema::Manifest;
use cassette_format::store::{read_manifest, write_manifest};

use crate::secrets::{SecretFilter, SecretName};

/// What was taken out of a manifest.
#[derive(Debug, Default)]
pub(crate) struct CleanedManifest {
    pub(crate) count: u64,
    pub(crate) names: Vec<SecretName>,
}

/// Puts a token in the place of each secret in what the cassette says of itself, and in
/// fields of newer versions.
///
/// # Errors
/// With a secret in what identifies: ids, providers, tokens, kinds, names of fields.
pub(crate) fn clean_manifest(
    manifest: &mut Manifest,
    filter: &SecretFilter,
) -> Result<CleanedManifest, SecretName> {
    let text = write_manifest(manifest);
    let (Some(hit), Some(replaced)) = (filter.find(&text).next(), filter.replace(&text)) else {
        return Ok(CleanedManifest::default());
    };
    match read_manifest(&replaced.bytes) {
        Ok(cleaned) if skeleton(&cleaned) == skeleton(manifest) => *manifest = cleaned,
        _ => return Err(hit.name),
    }
    Ok(CleanedManifest {
        count: replaced.count as u64,
        names: replaced.names,
    })
}

/// What must stay: all but texts that nobody compares. Of the annotations it is which
/// there are.
fn skeleton(manifest: &Manifest) -> Manifest {
    let mut skeleton = manifest.clone();
    let annotations = &mut skeleton.annotations;
    if let Some(tool) = &mut annotations.tool {
        tool.name.clear();
        tool.version.clear();
        tool.unknown.clear();
    }
    for text in [&mut annotations.agent_version, &mut annotations.recorded_at] {
        text.iter_mut().for_each(String::clear);
    }
    annotations
        .argv
        .iter_mut()
        .flatten()
        .for_each(String::clear);
    if let Some(redactions) = &mut annotations.redactions {
        redactions.unknown.clear();
    }
    if let Some(recovery) = &mut annotations.recovery {
        recovery.reason.clear();
        recovery.unknown.clear();
    }
    annotations.unknown.clear();
    skeleton.unknown.clear();
    skeleton.limits_unknown.clear();
    let kinds = skeleton.frames_by_kind_unknown.values_mut();
    let connections = skeleton.connections.iter_mut();
    let unknown = kinds.chain(connections.map(|record| &mut record.unknown));
    unknown.for_each(Vec::clear);
    skeleton
}
