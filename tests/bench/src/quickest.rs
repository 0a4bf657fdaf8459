//! The quickest base64 that the crate `base64` has for this processor: a limit made of a slower one
//! would be easier to come near.

use std::sync::LazyLock;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use base64::engine::Simd as Engine;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use base64::engine::GeneralPurpose as Engine;

/// With padding, in the ordinary alphabet.
pub(crate) static BASE64: LazyLock<Engine> = LazyLock::new(engine);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn engine() -> Engine {
    Engine::standard(base64::engine::GeneralPurposeConfig::new())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn engine() -> Engine {
    base64::engine::general_purpose::STANDARD
}
