//! Names and relative paths, checked before the operating system sees them.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// What every file system of note takes.
const LONGEST: usize = 255;

/// The segments of a relative path: those that are passed, and the last.
#[derive(Debug)]
pub(super) struct Segments<'a> {
    pub(super) passed: Vec<&'a OsStr>,
    pub(super) last: &'a OsStr,
}

impl<'a> Segments<'a> {
    /// `None` if the path is empty, leads upwards or is absolute, or a segment can
    /// name nothing.
    pub(super) fn of(path: &'a Path) -> Option<Self> {
        let mut passed = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) if is_name(name) => passed.push(name),
                _ => return None,
            }
        }
        let last = passed.pop()?;
        Some(Self { passed, last })
    }
}

/// Whether it can name something in a directory.
pub(super) fn is_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let first = Path::new(name).components().next();
    let is_whole = matches!(first, Some(Component::Normal(first)) if first == name);
    is_whole && bytes.len() <= LONGEST && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_normal_segment_of_at_most_255_bytes() {
        let (longest, too_long) = ("n".repeat(255), "n".repeat(256));
        for name in ["a", "..a", "a b", "ä", "a:b", &longest] {
            assert!(is_name(name.as_ref()), "{name:?}");
        }
        for name in ["", ".", "..", "/", "a/", "/a", "a/b", "a\0b", &too_long] {
            assert!(!is_name(name.as_ref()), "{name:?}");
        }
    }

    #[test]
    fn a_path_below_has_only_names() {
        let of = |path| Segments::of(Path::new(path)).map(|it| (it.passed.len(), it.last));
        assert_eq!(of("a"), Some((0, "a".as_ref())));
        assert_eq!(of("a/b//c/./d/"), Some((3, "d".as_ref())));
        for path in ["", ".", "/", "/a", "..", "a/..", "a/../b", "./a", "a/b\0"] {
            assert_eq!(of(path), None, "{path:?}");
        }
    }
}
