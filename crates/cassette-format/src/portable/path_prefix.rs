//! Whether a path is a directory or lies below it, and how much of it names
//! that directory. Lexical: nothing on disk is looked at.

/// How paths are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum PathForm {
    /// Byte for byte; `/` and `\` both separate.
    #[default]
    Exact,
    /// As Windows does, where the directory has a drive letter: its case does
    /// not matter, `/` and `\` are the same, `\\?\` may stand before it.
    Windows,
}

/// The path that `path` becomes when the directory `old` becomes `new`; `None`
/// when `path` is neither `old` nor below it.
///
/// Separators at the end of `old` do not count. What follows the directory is
/// kept as it is.
#[must_use]
pub fn map_path(path: &str, old: &str, new: &str) -> Option<String> {
    let len = prefix_len(path, old, PathForm::Exact)?;
    if path == old {
        return Some(new.to_owned());
    }
    let rest = &path[len..];
    let new = if rest.is_empty() {
        new
    } else {
        without_trailing_separators(new)
    };
    Some(format!("{new}{rest}"))
}

/// How many bytes of `path` name the directory `root`; `None` when `path` is
/// neither `root` nor below it. Segments `.` and `..` are resolved: `/w/../x` is
/// not below `/w`, `/x/../w/a` is.
pub(super) fn prefix_len(path: &str, root: &str, form: PathForm) -> Option<usize> {
    if path == root {
        return Some(path.len());
    }
    let root = without_trailing_separators(root);
    if has_dot_segments(path) {
        return resolved_prefix_len(path, root, form);
    }
    literal_prefix_len(path, root, form)
}

/// `path` without separators at its end; empty for the root of the file system.
pub(super) fn without_trailing_separators(path: &str) -> &str {
    path.trim_end_matches(is_separator)
}

/// `path` with `.` and `..` resolved, without separators at its end. `..` above
/// the top stays at the top.
pub(super) fn resolved(path: &str) -> String {
    let path = without_trailing_separators(path);
    if !has_dot_segments(path) {
        return path.to_owned();
    }
    let separator = if path.contains('/') { "/" } else { "\\" };
    let rooted = path.starts_with(is_separator);
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split(is_separator) {
        match segment {
            "" | "." => {}
            ".." => _ = segments.pop(),
            segment => segments.push(segment),
        }
    }
    let joined = segments.join(separator);
    if rooted {
        format!("{separator}{joined}")
    } else {
        joined
    }
}

pub(super) const fn is_separator(character: char) -> bool {
    matches!(character, '/' | '\\')
}

fn has_dot_segments(path: &str) -> bool {
    path.split(is_separator)
        .any(|segment| matches!(segment, "." | ".."))
}

fn literal_prefix_len(path: &str, root: &str, form: PathForm) -> Option<usize> {
    let len = match form {
        PathForm::Windows if has_drive(root) => windows_prefix_len(path, root)?,
        _ => path.starts_with(root).then_some(root.len())?,
    };
    let rest = &path[len..];
    // The whole path is the directory, unless the directory has no name at all.
    let whole = rest.is_empty() && len > 0;
    (whole || rest.starts_with(is_separator)).then_some(len)
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn windows_prefix_len(path: &str, root: &str) -> Option<usize> {
    let verbatim = if path.starts_with(r"\\?\") { 4 } else { 0 };
    let there = path.as_bytes().get(verbatim..verbatim + root.len())?;
    let same = |(at, (a, b)): (usize, (&u8, &u8))| {
        let separators = is_separator(char::from(*a)) && is_separator(char::from(*b));
        a == b || separators || (at == 0 && a.eq_ignore_ascii_case(b))
    };
    let equal = there.iter().zip(root.as_bytes()).enumerate().all(same);
    (equal && path.is_char_boundary(verbatim + root.len())).then_some(verbatim + root.len())
}

/// Goes over the segments of a path that has `.` or `..` among them and finds
/// from where on it stays inside the directory.
fn resolved_prefix_len(path: &str, root: &str, form: PathForm) -> Option<usize> {
    let rooted = path.starts_with(is_separator);
    if rooted && path[1..].starts_with(is_separator) {
        return None;
    }
    let mut segments: Vec<&str> = Vec::new();
    let mut inside: Option<(usize, usize)> = None;
    let mut at = 0;
    for segment in path.split(is_separator) {
        let end = at + segment.len();
        at = end + 1;
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
                if inside.is_some_and(|(depth, _)| segments.len() < depth) {
                    inside = None;
                }
            }
            segment => segments.push(segment),
        }
        if inside.is_none() {
            let lead = if rooted { "/" } else { "" };
            let sofar = format!("{lead}{}", segments.join("/"));
            let is_root = literal_prefix_len(&sofar, root, form) == Some(sofar.len());
            if is_root || (root.is_empty() && rooted && segments.is_empty()) {
                inside = Some((segments.len(), end));
            }
        }
    }
    inside.map(|(_, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(path: &str, root: &str) -> Option<String> {
        prefix_len(path, root, PathForm::Exact).map(|len| path[len..].to_owned())
    }

    #[test]
    fn a_path_below_a_directory_keeps_what_follows_it() {
        assert_eq!(below("/work/a", "/work/"), Some("/a".into()));
        assert_eq!(below("/work", "/work/"), Some(String::new()));
        assert_eq!(below("/work//a", "/work"), Some("//a".into()));
        assert_eq!(below("/work/./a", "/work"), Some("/./a".into()));
        assert_eq!(below("/work/b/../a", "/work"), Some("/b/../a".into()));
        assert_eq!(below("/x/../work/a", "/work"), Some("/a".into()));
    }

    #[test]
    fn a_path_that_leaves_the_directory_is_not_below_it() {
        for path in [
            "/work/../etc",
            "/workshop",
            "/work/../work2/a",
            "//work/a",
            "",
            "work",
        ] {
            assert_eq!(below(path, "/work"), None, "{path}");
        }
        assert_eq!(below("/work/../../work/a", "/work"), Some("/a".into()));
    }

    #[test]
    fn windows_forms_of_a_directory_are_the_same_directory() {
        let len = |path| prefix_len(path, r"C:\Users\d", PathForm::Windows);
        assert_eq!(len(r"c:/Users\d\x"), Some(10));
        assert_eq!(len(r"\\?\C:\Users\d"), Some(14));
        assert_eq!(len(r"C:\users\d"), None);
        assert_eq!(
            prefix_len(r"c:\Users\d", r"C:\Users\d", PathForm::Exact),
            None
        );
    }

    #[test]
    fn dots_are_resolved_in_a_directory_too() {
        assert_eq!(resolved("/a/./b/../c/"), "/a/c");
        assert_eq!(resolved("/../a"), "/a");
        assert_eq!(resolved("rel/./x"), "rel/x");
    }
}
