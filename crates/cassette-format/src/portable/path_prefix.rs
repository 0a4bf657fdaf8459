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

/// How far behind a directory free text is looked at for `..`, in bytes.
const LONGEST_IN_TEXT: usize = 1024;

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

/// The same for a path that stands in free text: nothing is resolved before the
/// directory, and `..` behind it only as far as paths go in practice.
pub(super) fn text_prefix_len(path: &str, root: &str, form: PathForm) -> Option<usize> {
    let len = literal_prefix_len(path, without_trailing_separators(root), form)?;
    // Every path begins as `/` does, so it says nothing in a text.
    if len < 2 {
        return None;
    }
    let near = path.floor_char_boundary(path.len().min(len + LONGEST_IN_TEXT));
    let path = &path[..near];
    if has_dot_segments(&path[len..]) {
        return prefix_len(path, root, form).filter(|inside| *inside == len);
    }
    Some(len)
}

/// `path` without separators at its end; empty for the root of the file system.
pub(super) fn without_trailing_separators(path: &str) -> &str {
    path.trim_end_matches(is_separator)
}

/// `path` with `.` and `..` resolved, without separators at its end.
pub(super) fn resolved(path: &str) -> String {
    let path = without_trailing_separators(path);
    if has_dot_segments(path) {
        normal(path)
    } else {
        path.to_owned()
    }
}

/// The directory as paths are compared with it: resolved, but the root of the
/// file system or of a drive keeps its separator.
pub(super) fn directory(path: &str) -> String {
    let kept = resolved(path);
    match path.get(kept.len()..).and_then(|rest| rest.chars().next()) {
        Some(separator) if is_separator(separator) && is_drive(&kept) => {
            format!("{kept}{separator}")
        }
        _ if kept.is_empty() => path.to_owned(),
        _ => kept,
    }
}

/// `path` with `.` and `..` resolved and no segment empty. `..` above the top
/// stays at the top; before a relative path it is kept.
pub(super) fn normal(path: &str) -> String {
    let separator = if path.contains('/') { "/" } else { "\\" };
    let rooted = path.starts_with(is_separator);
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split(is_separator) {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => _ = segments.pop(),
            ".." if rooted => {}
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
    // The whole path is the directory, unless the directory has no name at all: a
    // drive is not its root.
    let whole = rest.is_empty() && len > 0 && !is_drive(root);
    (whole || rest.starts_with(is_separator)).then_some(len)
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn is_drive(path: &str) -> bool {
    has_drive(path) && path.len() == 2
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
    let doubled = rooted && path[1..].starts_with(is_separator);
    if doubled || rooted != (root.is_empty() || root.starts_with(is_separator)) {
        return None;
    }
    let mut place = Place::new(root, form, rooted);
    let mut inside: Option<usize> = None;
    let mut at = 0;
    for segment in path.split(is_separator) {
        let end = at + segment.len();
        at = end + 1;
        place.go(segment);
        inside = match place.where_it_is() {
            Where::Outside => None,
            Where::AtTheDirectory => inside.or(Some(end)),
            Where::Below => inside,
        };
    }
    inside
}

/// Where the segments so far of a path lead, seen from a directory. Remembers
/// numbers only, however long the path.
struct Place<'r> {
    root: Vec<&'r str>,
    form: PathForm,
    rooted: bool,
    /// Levels below the top, or below where a relative path starts.
    depth: usize,
    /// The levels, from the top, that are those of the directory.
    shared: usize,
    /// The levels, from where a relative path starts, that go up.
    up: usize,
}

/// A place as seen from a directory.
enum Where {
    Outside,
    AtTheDirectory,
    Below,
}

impl<'r> Place<'r> {
    fn new(root: &'r str, form: PathForm, rooted: bool) -> Self {
        let segments = root.split(is_separator).filter(|it| !it.is_empty());
        Self {
            root: segments.collect(),
            form,
            rooted,
            depth: 0,
            shared: 0,
            up: 0,
        }
    }

    fn go(&mut self, segment: &str) {
        match segment {
            "" | "." => {}
            ".." if self.depth > self.up => {
                self.depth -= 1;
                self.shared = self.shared.min(self.depth);
            }
            ".." if self.rooted => {}
            segment => {
                self.up += usize::from(segment == "..");
                let next = self.root.get(self.depth);
                let same = next.is_some_and(|next| self.same(next, segment));
                self.shared += usize::from(same && self.shared == self.depth);
                self.depth += 1;
            }
        }
    }

    fn same(&self, there: &str, here: &str) -> bool {
        let drive = self.form == PathForm::Windows && self.depth == 0 && has_drive(there);
        there == here || (drive && there.eq_ignore_ascii_case(here))
    }

    fn where_it_is(&self) -> Where {
        match (self.shared == self.root.len(), self.depth == self.shared) {
            (false, _) => Where::Outside,
            (true, true) => Where::AtTheDirectory,
            (true, false) => Where::Below,
        }
    }
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
        assert_eq!(below("../rel/x/.", "rel"), None);
        assert_eq!(below("rel/../../rel/x", "rel"), None);
        assert_eq!(below("../rel/./x", "../rel"), Some("/./x".into()));
        assert_eq!(below("/rel/./x", "rel"), None);
    }

    #[test]
    fn windows_forms_of_a_directory_are_the_same_directory() {
        let len = |path| prefix_len(path, r"C:\Users\d", PathForm::Windows);
        assert_eq!(len(r"c:/Users\d\x"), Some(10));
        assert_eq!(len(r"\\?\C:\Users\d"), Some(14));
        assert_eq!(len(r"c:\Users\x\..\d\y"), Some(15));
        assert_eq!(len(r"C:\users\d"), None);
        assert_eq!(
            prefix_len(r"c:\Users\d", r"C:\Users\d", PathForm::Exact),
            None
        );
    }

    #[test]
    fn a_root_keeps_its_separator() {
        assert_eq!(
            ["/", "//", "/.", r"C:\", r"C:\.", "c:/x/..", "/w/", r"C:\w\"].map(directory),
            ["/", "//", "/", r"C:\", r"C:\", "c:/", "/w", r"C:\w"]
        );
        assert_eq!(below(r"C:\x", r"C:\"), Some(r"\x".into()));
        assert_eq!(below(r"C:\", r"C:\"), Some(String::new()));
        assert_eq!(below("C:", r"C:\"), None);
        assert_eq!(below("C:x", r"C:\"), None);
    }

    #[test]
    fn the_root_of_the_file_system_is_never_found_in_a_text() {
        for path in ["/", "/work", "/work/..", "/..", "/./a"] {
            assert_eq!(text_prefix_len(path, "/", PathForm::Exact), None, "{path}");
        }
    }

    #[test]
    fn dots_are_resolved_in_a_directory_too() {
        assert_eq!(resolved("/a/./b/../c/"), "/a/c");
        assert_eq!(resolved("/../a"), "/a");
        assert_eq!(resolved("rel/./x"), "rel/x");
        assert_eq!(resolved("../a/../../b"), "../../b");
        assert_eq!(resolved("/a//b"), "/a//b");
        assert_eq!(normal("/a//b/"), "/a/b");
        assert_eq!(normal("//"), "/");
    }
}
