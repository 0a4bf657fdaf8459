//! What becomes of the secrets in what a recording stores.

use std::collections::BTreeSet;
use std::sync::Arc;

use cassette_format::process::EffectiveEnvironment;
use cassette_format::schema::Redactions;

use crate::inspector::Refusal;
use crate::json_message::is_broken;
use crate::secrets::{
    FilterTooLarge, Replaced, SecretFilter, SecretName, SecretRefused, Secrets, StreamHit,
};
use crate::{FoundSecret, SecretOptions};

/// Looks for the secrets of a recording, and counts those that it replaced.
#[derive(Debug)]
pub(crate) struct SecretWatch {
    options: SecretOptions,
    filter: Arc<SecretFilter>,
    count: u64,
    names: BTreeSet<SecretName>,
    /// Why values of the environments are not looked for.
    refused: Vec<SecretRefused>,
}

impl SecretWatch {
    pub(crate) fn new(options: SecretOptions) -> Result<Self, FilterTooLarge> {
        let filter = SecretFilter::new(&options.values)?;
        Ok(Self {
            options,
            filter: Arc::new(filter),
            count: 0,
            names: BTreeSet::new(),
            refused: Vec::new(),
        })
    }

    /// Looks for the secrets of this environment too, from now on.
    pub(crate) fn admit(
        &mut self,
        environment: &EffectiveEnvironment,
    ) -> Result<(), FilterTooLarge> {
        let (secrets, refused) = Secrets::from_environment(environment, &self.options.names);
        for refused in refused {
            if !self.refused.contains(&refused) {
                self.refused.push(refused);
            }
        }
        if secrets.is_empty() {
            return Ok(());
        }
        let mut all = self.options.values.clone();
        all.extend(secrets);
        if all.len() == self.options.values.len() {
            // Nothing new: making a filter takes its time.
            return Ok(());
        }
        self.filter = Arc::new(SecretFilter::new(&all)?);
        self.options.values = all;
        Ok(())
    }

    pub(crate) const fn filter(&self) -> &Arc<SecretFilter> {
        &self.filter
    }

    /// Values that nobody looks for.
    pub(crate) fn refused(&self) -> &[SecretRefused] {
        &self.refused
    }

    /// What is stored instead of this text; `None` if there is no secret in it.
    pub(crate) fn redact(&mut self, text: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        let replaced = self.replaced(text)?;
        Ok(replaced.map(|replaced| self.counted(replaced)))
    }

    /// The same for a message, which is refused if it would no longer be JSON.
    pub(crate) fn redact_message(&mut self, content: &[u8]) -> Result<Option<Vec<u8>>, Refusal> {
        let Some(replaced) = self.replaced(content)? else {
            return Ok(None);
        };
        if is_broken(content, &replaced.bytes) {
            self.refuse(content)?;
        }
        Ok(Some(self.counted(replaced)))
    }

    fn replaced(&self, bytes: &[u8]) -> Result<Option<Replaced>, Refusal> {
        if self.options.found == FoundSecret::Reject {
            self.refuse(bytes)?;
        }
        Ok(self.filter.replace(bytes))
    }

    fn counted(&mut self, replaced: Replaced) -> Vec<u8> {
        self.count += replaced.count as u64;
        self.names.extend(replaced.names);
        replaced.bytes
    }

    /// Refuses bytes in which nothing can be replaced.
    pub(crate) fn refuse(&self, bytes: &[u8]) -> Result<(), Refusal> {
        let first = self.filter.find(bytes).next();
        first.map_or(Ok(()), |hit| Err(Refusal::Secret(hit.name)))
    }

    /// Hits of a stream whose bytes are kept elsewhere: refused, or counted.
    pub(crate) fn note(&mut self, hits: &[StreamHit]) -> Result<(), Refusal> {
        let Some(first) = hits.first() else {
            return Ok(());
        };
        if self.options.found == FoundSecret::Reject {
            return Err(Refusal::Secret(first.name.clone()));
        }
        self.count += hits.len() as u64;
        self.names.extend(hits.iter().map(|hit| hit.name.clone()));
        Ok(())
    }

    /// What the manifest tells of it; `None` if nothing was replaced.
    pub(crate) fn redactions(&self) -> Option<Redactions> {
        (self.count > 0).then(|| Redactions {
            count: self.count,
            rules: self
                .names
                .iter()
                .map(|name| name.as_str().to_owned())
                .collect(),
            ..Redactions::default()
        })
    }
}
