//! `file://` URIs: the path in one, percent-encoded.

/// What stands before the path.
const SCHEME: &str = "file://";

/// The path of a `file` URI, decoded; `None` for any other text. `/C:/x` is
/// given as `C:/x`.
pub(super) fn path_of(uri: &str) -> Option<String> {
    let encoded = uri
        .strip_prefix(SCHEME)
        .filter(|path| path.starts_with('/'))?;
    let decoded = decoded(encoded)?;
    Some(if skips_slash(&decoded) {
        decoded[1..].to_owned()
    } else {
        decoded
    })
}

/// How many bytes of `uri`, a `file` URI, spell its scheme and the first `len`
/// bytes of its path.
pub(super) fn raw_len(uri: &str, len: usize) -> usize {
    let encoded = &uri[SCHEME.len()..];
    let skipped = decoded(encoded).is_some_and(|path| skips_slash(&path));
    let mut left = len + usize::from(skipped);
    let mut at = 0;
    while left > 0 && at < encoded.len() {
        at += if encoded.as_bytes()[at] == b'%' { 3 } else { 1 };
        left -= 1;
    }
    SCHEME.len() + at.min(encoded.len())
}

/// The URI of a path, as far as it is given.
pub(super) fn of_path(path: &str) -> String {
    let slash = if path.starts_with('/') { "" } else { "/" };
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

/// A URI that starts with a token.
pub(super) fn with_token(token: &str) -> String {
    format!("{SCHEME}{token}")
}

fn skips_slash(path: &str) -> bool {
    matches!(path.as_bytes(), [b'/', drive, b':', ..] if drive.is_ascii_alphabetic())
}

fn decoded(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_its_path_however_it_is_encoded() {
        assert_eq!(path_of("file:///work/a%20b").as_deref(), Some("/work/a b"));
        assert_eq!(path_of("file:///c%3A/x").as_deref(), Some("c:/x"));
        assert_eq!(path_of("file://host/x"), None);
        assert_eq!(path_of("file:///bad%2"), None);
        assert_eq!(of_path("/work/a b/é"), "file:///work/a%20b/%C3%A9");
        assert_eq!(of_path("C:\\x"), "file:///C:/x");
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
