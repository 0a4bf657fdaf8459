//! The providers that are known to a command: those that are built in, and those of the
//! descriptor files that it is given.

use std::path::{Path, PathBuf};

use anyhow::Context;
use cassette_format::descriptor::{Descriptor, Registry};
use cassette_format::schema::ProviderId;
use provider_adapters::{builtin, read_descriptor};

/// The built-in providers, and those of these files.
pub(crate) fn registry(files: &[PathBuf]) -> anyhow::Result<Registry> {
    let mut known = Known {
        registry: builtin(),
        origins: Vec::new(),
    };
    for file in files {
        known.add(file, read_descriptor(file)?)?;
    }
    Ok(known.registry)
}

/// Whether the descriptor of a file can stand beside the built-in ones.
pub(crate) fn check(file: &Path, descriptor: Descriptor) -> anyhow::Result<()> {
    let mut known = Known {
        registry: builtin(),
        origins: Vec::new(),
    };
    known.add(file, descriptor)
}

/// Providers, and the files from which some are.
struct Known<'f> {
    registry: Registry,
    origins: Vec<(ProviderId, &'f Path)>,
}

impl<'f> Known<'f> {
    /// Adds the descriptor of a file.
    fn add(&mut self, file: &'f Path, descriptor: Descriptor) -> anyhow::Result<()> {
        let id = descriptor.id.clone();
        let same = self.registry.by_provider(&id);
        let same = same.or_else(|| self.registry.by_target(&descriptor.target));
        let beside = same.map_or_else(String::new, |same| self.named(&same.id));
        let refused = || format!("{}: cannot be added{beside}", file.display());
        let added = self.registry.register(descriptor);
        added.with_context(refused)?;
        self.origins.push((id, file));
        Ok(())
    }

    /// A provider and where it is from.
    fn named(&self, id: &ProviderId) -> String {
        let mut origins = self.origins.iter();
        match origins.find(|(other, _)| other == id) {
            Some((_, file)) => format!(" beside {}", file.display()),
            None => format!(" beside the built-in `{id}`"),
        }
    }
}
