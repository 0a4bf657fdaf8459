//! `file://` URIs: the path in one, percent-encoded.

use super::path_prefix::is_separator;

/// What stands before the path.
const SCHEME: &str = "file://";

/// The path of a `file` URI, decoded; `None` for any other text. `/C:/x` is
/// given as `C:/x`.
pub(super) fn path_of(uri: &str) -> Option<String> {
    let encoded = uri
        .strip_prefix(SCHEME)
        .filter(|path| path.starts_with('/'))?;
    let mut path = decoded(encoded);
    if skips_slash(encoded.as_bytes()) {
        path.remove(0);
    }
    Some(path)
}

/// How many bytes of `uri`, a `file` URI, spell its scheme and the first `len`
/// bytes of its path.
pub(super) fn raw_len(uri: &str, len: usize) -> usize {
    let encoded = &uri[SCHEME.len()..];
    let mut rest = encoded.as_bytes();
    let skipped = skips_slash(rest);
    for _ in 0..len + usize::from(skipped) {
        rest = byte(rest).map_or(rest, |(_, rest)| rest);
    }
    uri.len() - rest.len()
}

/// The URI of a path, as far as it is given. Of no path it is the scheme.
pub(super) fn of_path(path: &str) -> String {
    let slash = if path.is_empty() || path.starts_with(is_separator) {
        ""
    } else {
        "/"
    };
    let mut uri = format!("{SCHEME}{slash}");
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The token in a URI that starts with one.
pub(super) fn token_rest(uri: &str) -> Option<&str> {
    uri.strip_prefix(SCHEME)
        .filter(|rest| rest.starts_with("${"))
}

/// Whether a separator comes first in what stands behind a token, however it is
/// encoded.
pub(super) fn starts_with_separator(rest: &str) -> bool {
    byte(rest.as_bytes()).is_some_and(|(first, _)| is_separator(char::from(first)))
}

/// A URI that starts with a token.
pub(super) fn with_token(token: &str) -> String {
    format!("{SCHEME}{token}")
}

/// Whether what is encoded is `/C:…`.
fn skips_slash(mut encoded: &[u8]) -> bool {
    let mut next = || {
        let (first, rest) = byte(encoded)?;
        encoded = rest;
        Some(first)
    };
    let [slash, drive, colon] = [next(), next(), next()];
    let has_drive = drive.is_some_and(|drive| drive.is_ascii_alphabetic());
    slash == Some(b'/') && has_drive && colon == Some(b':')
}

/// The text that is encoded, a byte of it for each byte encoded: what is not
/// UTF-8 becomes U+001A.
fn decoded(encoded: &str) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((first, tail)) = byte(rest) {
        bytes.push(first);
        rest = tail;
    }
    let mut from = 0;
    while let Err(error) = std::str::from_utf8(&bytes[from..]) {
        let bad = &mut bytes[from + error.valid_up_to()..];
        let len = error.error_len().unwrap_or(bad.len());
        bad[..len].fill(b'\x1a');
        from += error.valid_up_to() + len;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The first byte that is encoded, and the rest. A percent sign before anything
/// but two digits stands for itself.
fn byte(encoded: &[u8]) -> Option<(u8, &[u8])> {
    let digit = |at: usize| char::from(*encoded.get(at)?).to_digit(16);
    let (first, rest) = encoded.split_first()?;
    Some(match (first, digit(1), digit(2)) {
        (b'%', Some(high), Some(low)) => (u8::try_from(high << 4 | low).ok()?, &rest[2..]),
        _ => (*first, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_its_path_however_it_is_encoded() {
        assert_eq!(path_of("file:///work/a%20b").as_deref(), Some("/work/a b"));
        assert_eq!(path_of("file:///c%3A/x").as_deref(), Some("c:/x"));
        assert_eq!(path_of("file://%2Fc:/x"), None);
        assert_eq!(path_of("file://host/x"), None);
        assert_eq!(path_of("file:///100%/%2"), Some("/100%/%2".into()));
        assert_eq!(path_of("file:///x%FFy%C3%A9"), Some("/x\u{1a}yé".into()));
        assert_eq!(of_path("/work/a b/é"), "file:///work/a%20b/%C3%A9");
        assert_eq!(of_path("C:\\x"), "file:///C:/x");
        assert_eq!(of_path(r"\\server\x"), "file:////server/x");
        assert_eq!(of_path("/"), "file:///");
        assert_eq!(of_path(""), "file://");
    }

    #[test]
    fn a_beginning_of_the_path_is_spelled_by_a_beginning_of_the_uri() {
        let uri = "file:///work/%61%20b/c";
        assert_eq!(
            &uri[..raw_len(uri, "/work/a b".len())],
            "file:///work/%61%20b"
        );
        let uri = "file:///C:/w/x";
        assert_eq!(&uri[..raw_len(uri, "C:/w".len())], "file:///C:/w");
    }
}
