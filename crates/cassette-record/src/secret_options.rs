//! Which secrets a recording looks for, and what happens to them.

use crate::secrets::{SecretNames, Secrets};

/// Which secrets a recording looks for, and what happens to them.
///
/// Looked for are the values of those variables of each recorded process's environment
/// that [`names`](Self::names) takes for secret, and the caller's
/// [`values`](Self::values), in every payload of every connection.
#[derive(Debug, Clone, Default)]
pub struct SecretOptions {
    /// Which variables are secret.
    pub names: SecretNames,
    /// Further values.
    pub values: Secrets,
    /// What happens to a payload with a secret in it.
    pub found: FoundSecret,
}

/// What happens to a payload with a secret in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FoundSecret {
    /// The recording fails, and nothing of the payload is written.
    #[default]
    Reject,
    /// `${REDACTED:<NAME>}` is written instead; the manifest tells how often. Signatures
    /// are no exception: one that holds a secret no longer fits, but a leak is worse.
    /// Where the secret is no text of a JSON message but a number of it, or reaches over
    /// its quotes or brackets, the recording fails.
    Replace,
}
