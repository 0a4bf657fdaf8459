//! The providers a host knows.

use super::{Descriptor, TargetId};
use crate::schema::{ProjectionVersion, ProviderId, SchemaVersion};

/// Descriptors by provider and by target. What is not in it is refused, before
/// a process starts.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    descriptors: Vec<Descriptor>,
}

/// A descriptor was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// It has no provider or no target.
    #[error("descriptor has a blank {field}")]
    Blank {
        /// `id` or `target`.
        field: &'static str,
    },
    /// The provider is registered already.
    #[error("provider `{provider}` is registered twice")]
    DuplicateProvider {
        /// The provider.
        provider: ProviderId,
    },
    /// The target is registered already.
    #[error("target `{target}` is registered for `{first}` and for `{second}`")]
    DuplicateTarget {
        /// The target.
        target: TargetId,
        /// The provider that has it.
        first: ProviderId,
        /// The provider that wanted it.
        second: ProviderId,
    },
    /// It was written for another version of the format.
    #[error(
        "provider `{provider}` is written for schema {schema} and projection {projection}, \
         this version has {} and {}",
        SchemaVersion::CURRENT,
        ProjectionVersion::CURRENT
    )]
    Version {
        /// The provider.
        provider: ProviderId,
        /// Its schema version.
        schema: SchemaVersion,
        /// Its projection version.
        projection: ProjectionVersion,
    },
}

/// A provider was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LookUpError {
    /// There is no such provider.
    #[error("provider `{provider}` is not registered")]
    UnknownProvider {
        /// The provider.
        provider: ProviderId,
    },
    /// There is no such target.
    #[error("target `{target}` is not registered")]
    UnknownTarget {
        /// The target.
        target: TargetId,
    },
    /// The two belong to different descriptors.
    #[error("provider `{provider}` does not run as target `{target}`")]
    Disagreement {
        /// The provider.
        provider: ProviderId,
        /// The target.
        target: TargetId,
    },
    /// Neither was given.
    #[error("neither provider nor target is given")]
    Nothing,
}

impl Registry {
    /// A registry that knows nobody.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            descriptors: Vec::new(),
        }
    }

    /// Adds a provider.
    ///
    /// # Errors
    /// See [`RegisterError`]; the registry is as it was then.
    pub fn register(&mut self, descriptor: Descriptor) -> Result<(), RegisterError> {
        if descriptor.id.is_blank() {
            return Err(RegisterError::Blank { field: "id" });
        }
        if descriptor.target.as_str().trim().is_empty() {
            return Err(RegisterError::Blank { field: "target" });
        }
        let versions = (descriptor.schema_version, descriptor.projection_version);
        if versions != (SchemaVersion::CURRENT, ProjectionVersion::CURRENT) {
            let (provider, (schema, projection)) = (descriptor.id, versions);
            return Err(RegisterError::Version {
                provider,
                schema,
                projection,
            });
        }
        if self.by_provider(&descriptor.id).is_some() {
            return Err(RegisterError::DuplicateProvider {
                provider: descriptor.id,
            });
        }
        if let Some(first) = self.by_target(&descriptor.target) {
            let (first, second) = (first.id.clone(), descriptor.id);
            let target = descriptor.target;
            return Err(RegisterError::DuplicateTarget {
                target,
                first,
                second,
            });
        }
        self.descriptors.push(descriptor);
        Ok(())
    }

    /// The descriptor of a provider.
    #[must_use]
    pub fn by_provider(&self, provider: &ProviderId) -> Option<&Descriptor> {
        self.descriptors
            .iter()
            .find(|descriptor| descriptor.id == *provider)
    }

    /// The descriptor of a target.
    #[must_use]
    pub fn by_target(&self, target: &TargetId) -> Option<&Descriptor> {
        self.descriptors
            .iter()
            .find(|descriptor| descriptor.target == *target)
    }

    /// The descriptor of a provider, a target, or both, which must agree.
    ///
    /// # Errors
    /// See [`LookUpError`].
    pub fn look_up(
        &self,
        provider: Option<&ProviderId>,
        target: Option<&TargetId>,
    ) -> Result<&Descriptor, LookUpError> {
        let unknown_provider = |provider: &ProviderId| LookUpError::UnknownProvider {
            provider: provider.clone(),
        };
        match (provider, target) {
            (None, None) => Err(LookUpError::Nothing),
            (Some(provider), None) => self
                .by_provider(provider)
                .ok_or_else(|| unknown_provider(provider)),
            (provider, Some(target)) => {
                let found = self
                    .by_target(target)
                    .ok_or_else(|| LookUpError::UnknownTarget {
                        target: target.clone(),
                    })?;
                match provider {
                    Some(provider) if *provider != found.id => Err(LookUpError::Disagreement {
                        provider: provider.clone(),
                        target: target.clone(),
                    }),
                    _ => Ok(found),
                }
            }
        }
    }

    /// All descriptors, in the order of their registration.
    pub fn iter(&self) -> impl Iterator<Item = &Descriptor> {
        self.descriptors.iter()
    }

    /// All providers, for [`ReadOptions::for_providers`](crate::store::ReadOptions::for_providers).
    pub fn providers(&self) -> impl Iterator<Item = ProviderId> {
        self.descriptors
            .iter()
            .map(|descriptor| descriptor.id.clone())
    }
}
