//! The arguments of `cargo xtask fuzz`.

use std::time::Duration;

use anyhow::{Context as _, bail};

/// How long to fuzz, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FuzzOptions {
    /// For all targets together.
    pub(crate) time: Duration,
    /// One target alone; all in turn where none is named.
    pub(crate) target: Option<String>,
    /// Where the choices of libFuzzer begin; 0 is another place each time.
    pub(crate) seed: u32,
}

impl Default for FuzzOptions {
    /// All targets, a minute, with the same choices each time: whoever changes something is not the
    /// first to meet an input that has nothing to do with it.
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            target: None,
            seed: 1,
        }
    }
}

impl FuzzOptions {
    /// Reads `[--seconds N] [--target NAME]`.
    pub(crate) fn parse(arguments: &[&str]) -> anyhow::Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(&name) = arguments.next() {
            let value = arguments.next();
            let value = value.with_context(|| format!("`{name}` needs a value"))?;
            match name {
                "--seconds" => {
                    let seconds = value.parse().ok().filter(|seconds| *seconds > 0);
                    let seconds = seconds.with_context(|| format!("`{value}` is no time"))?;
                    options.time = Duration::from_secs(seconds);
                    options.seed = 0;
                }
                "--target" => options.target = Some((*value).to_owned()),
                _ => bail!("`{name}` is none of `--seconds`, `--target`"),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_target_are_read_in_any_order() {
        let expected = FuzzOptions {
            time: Duration::from_secs(3600),
            target: Some("zst".to_owned()),
            seed: 0,
        };
        for arguments in [
            ["--seconds", "3600", "--target", "zst"],
            ["--target", "zst", "--seconds", "3600"],
        ] {
            assert_eq!(FuzzOptions::parse(&arguments).unwrap(), expected);
        }
        assert_eq!(FuzzOptions::parse(&[]).unwrap(), FuzzOptions::default());
    }

    #[test]
    fn other_arguments_are_refused() {
        let refused = |arguments: &[&str]| FuzzOptions::parse(arguments).unwrap_err().to_string();
        assert_eq!(refused(&["--seconds"]), "`--seconds` needs a value");
        assert_eq!(refused(&["--seconds", "0"]), "`0` is no time");
        assert_eq!(
            refused(&["--jobs", "2"]),
            "`--jobs` is none of `--seconds`, `--target`"
        );
    }
}
