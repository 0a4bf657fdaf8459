//! Files of secrets: a line `NAME=VALUE` for each, as in `.env` files.

use std::fs;
use std::path::Path;

use anyhow::Context;
use cassette_record::Secrets;

/// Adds the secrets of a file. Blank lines and lines that begin with `#` say nothing;
/// `export ` before a name and quotes around a value are no part of them. No error
/// shows what a line holds.
pub(crate) fn read(file: &Path, secrets: &mut Secrets) -> anyhow::Result<()> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let place = || format!("{}:{}", file.display(), at + 1);
        let (name, value) = pair(line).with_context(|| format!("{}: no NAME=VALUE", place()))?;
        secrets.add(name, value).with_context(place)?;
    }
    Ok(())
}

fn pair(line: &[u8]) -> Option<(&str, &[u8])> {
    let equals = line.iter().position(|byte| *byte == b'=')?;
    let name = std::str::from_utf8(&line[..equals]).ok()?;
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    let value = line[equals + 1..].trim_ascii();
    (!name.is_empty()).then(|| (name, without_quotes(value)))
}

fn without_quotes(value: &[u8]) -> &[u8] {
    match value {
        [b'"', inside @ .., b'"'] | [b'\'', inside @ .., b'\''] => inside,
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read_as_shells_read_them() {
        let pairs: [(&str, Option<(&str, &str)>); 6] = [
            ("A_KEY=s3cret-value", Some(("A_KEY", "s3cret-value"))),
            ("export A = 'x=y' ", Some(("A", "x=y"))),
            ("A=\"x", Some(("A", "\"x"))),
            ("A=\"", Some(("A", "\""))),
            ("A", None),
            ("=x", None),
        ];
        for (line, expected) in pairs {
            let expected = expected.map(|(name, value)| (name, value.as_bytes()));
            assert_eq!(pair(line.as_bytes()), expected, "{line}");
        }
    }
}
