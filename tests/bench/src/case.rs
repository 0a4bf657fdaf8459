//! A tape that is measured: a made one, or one that was given.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry, TargetId};
use cassette_format::schema::{Manifest, ProviderId};
use cassette_format::store::{CassetteDir, RawTape, ReadLimits, ReadOptions, Tape};
use tempfile::TempDir;

use crate::made_tape::Recipe;
use crate::materials::Materials;

/// Whether the host of a replay numbers its requests as the recorded one did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    /// It does.
    Kept,
    /// It does not.
    Other,
}

/// A tape that is measured.
#[derive(Debug)]
pub(crate) struct Case {
    /// How the table calls it.
    pub(crate) name: String,
    /// About as many bytes have its payloads, where it was made.
    pub(crate) payload: Option<usize>,
    /// How the host of a replay numbers its requests.
    pub(crate) ids: Ids,
    dir: PathBuf,
    manifest: Manifest,
    registry: Registry,
    materials: OnceCell<Materials>,
    _scratch: Option<TempDir>,
}

impl Case {
    /// A tape that is made, and gone afterwards.
    pub(crate) fn made(recipe: Recipe, name: String) -> anyhow::Result<Self> {
        let scratch = tempfile::tempdir()?;
        let dir = CassetteDir::new(scratch.path().join("tape"));
        recipe.make(&dir)?;
        Ok(Self {
            name,
            payload: Some(recipe.payload),
            _scratch: Some(scratch),
            ..Self::open(dir.path(), Ids::Other)?
        })
    }

    /// A tape that is there.
    pub(crate) fn open(dir: &Path, ids: Ids) -> anyhow::Result<Self> {
        let tape = RawTape::open(dir, &read_options())?;
        let manifest = tape.manifest().clone();
        Ok(Self {
            name: dir.file_name().map_or_else(
                || dir.display().to_string(),
                |name| name.display().to_string(),
            ),
            payload: None,
            ids,
            dir: dir.to_owned(),
            registry: registry(&manifest)?,
            manifest,
            materials: OnceCell::new(),
            _scratch: None,
        })
    }

    /// Its directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What its manifest says.
    pub(crate) const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The providers that it may be of.
    pub(crate) const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Loads it.
    pub(crate) fn tape(&self) -> anyhow::Result<Tape> {
        Tape::open(&self.dir, &read_options())
            .with_context(|| format!("cannot load {}", self.dir.display()))
    }

    /// What measurements need of it, made ready once.
    pub(crate) fn materials(&self) -> anyhow::Result<&Materials> {
        if let Some(materials) = self.materials.get() {
            return Ok(materials);
        }
        let materials = Materials::of(self)?;
        Ok(self.materials.get_or_init(|| materials))
    }
}

/// How tapes are read: as large as they come.
pub(crate) fn read_options() -> ReadOptions {
    ReadOptions::default().with_limits(ReadLimits {
        max_stored_bytes: u64::MAX,
        ..ReadLimits::default()
    })
}

/// All that are built in, and what the tape is of besides, taken for lines of JSON-RPC.
fn registry(manifest: &Manifest) -> anyhow::Result<Registry> {
    let mut registry = provider_adapters::builtin();
    for provider in providers(manifest) {
        if registry.by_provider(provider).is_none() {
            registry.register(descriptor(
                provider,
                MessageFraming::Lines,
                Dialect::JsonRpc,
            ))?;
        }
    }
    Ok(registry)
}

/// The tape's providers, each as if nothing were known of its messages.
pub(crate) fn raw_registry(manifest: &Manifest) -> anyhow::Result<Registry> {
    let mut registry = Registry::new();
    for provider in providers(manifest) {
        if registry.by_provider(provider).is_none() {
            registry.register(descriptor(provider, MessageFraming::Raw, Dialect::Opaque))?;
        }
    }
    Ok(registry)
}

fn providers(manifest: &Manifest) -> impl Iterator<Item = &ProviderId> {
    manifest.connections.iter().map(|record| &record.provider)
}

fn descriptor(provider: &ProviderId, framing: MessageFraming, dialect: Dialect) -> Descriptor {
    let target = TargetId::named(format!("local:{provider}"));
    Descriptor::new(provider.clone(), target, framing, dialect)
}
