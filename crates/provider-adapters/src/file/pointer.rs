//! What a JSON pointer is (RFC 6901).

/// The rule that a pointer breaks, if it breaks one. The empty pointer, the
/// whole value, is of no use in a descriptor and broken too.
pub(super) fn broken_rule(pointer: &str) -> Option<&'static str> {
    if !pointer.starts_with('/') {
        return Some("it to start with `/`");
    }
    let mut rest = pointer;
    while let Some((_, after)) = rest.split_once('~') {
        if !after.starts_with(['0', '1']) {
            return Some("`~0` or `~1` for each `~`");
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_are_told_from_other_texts() {
        for pointer in ["/", "/a", "/a/0/b", "/~0~1", "/a b", "/~01"] {
            assert_eq!(broken_rule(pointer), None, "{pointer}");
        }
        for other in ["", "a", "params/a", "$.a", "/a~", "/~2", "/~~0"] {
            assert!(broken_rule(other).is_some(), "{other}");
        }
    }
}
