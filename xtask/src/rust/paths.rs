//! The paths of a file, `use` groups spread out: `use a::{b, c::d}` is `a::b` and `a::c::d`.
//! Names are not resolved; an alias hides what it stands for.

use super::{Token, closing};

/// A path of at least two segments; the last may be `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathUse {
    /// The names between the `::`.
    pub(crate) segments: Vec<String>,
    /// Where the path ends, from 1.
    pub(crate) line: usize,
    /// How many `mod … { }` of this file are around it.
    pub(crate) inline_modules: usize,
}

impl PathUse {
    /// Whether the path begins with these segments.
    pub(crate) fn starts_with(&self, head: &[&str]) -> bool {
        self.segments.len() >= head.len() && self.segments.iter().zip(head).all(|(a, b)| a == b)
    }
}

/// All paths in order.
pub(crate) fn paths(tokens: &[Token]) -> Vec<PathUse> {
    let mut found = Vec::new();
    let mut modules: Vec<usize> = Vec::new();
    let mut position = 0;
    while position < tokens.len() {
        while modules.last().is_some_and(|end| *end <= position) {
            modules.pop();
        }
        if let Some(open) = inline_module(tokens, position) {
            modules.push(closing(tokens, open));
            position = open + 1;
        } else if tokens[position].is_word() && is_at(tokens, position + 1, "::") {
            let mut tree = Tree {
                tokens,
                inline_modules: modules.len(),
                found: &mut found,
            };
            position = tree.walk(position, Vec::new());
        } else {
            position += 1;
        }
    }
    found
}

/// The walk over one path or one `use` tree.
struct Tree<'a> {
    tokens: &'a [Token],
    inline_modules: usize,
    found: &'a mut Vec<PathUse>,
}

impl Tree<'_> {
    /// Follows the segments from `position`; returns the position after them.
    fn walk(&mut self, mut position: usize, mut segments: Vec<String>) -> usize {
        let mut line = 0;
        while let Some(token) = self.tokens.get(position) {
            if token.is("{") {
                return self.walk_group(position, &segments);
            }
            if !token.is_word() && !token.is("*") {
                break;
            }
            segments.push(token.text.clone());
            line = token.line;
            position += 1;
            if !is_at(self.tokens, position, "::") {
                break;
            }
            position += 1;
        }
        if segments.len() > 1 && line > 0 {
            self.found.push(PathUse {
                segments,
                line,
                inline_modules: self.inline_modules,
            });
        }
        position
    }

    fn walk_group(&mut self, open: usize, segments: &[String]) -> usize {
        let close = closing(self.tokens, open);
        let mut position = open + 1;
        while position < close {
            let token = &self.tokens[position];
            if token.is_word() || token.is("*") || token.is("{") {
                position = self.walk(position, segments.to_vec());
                if is_at(self.tokens, position, "as") {
                    position += 2;
                }
            } else {
                position += 1;
            }
        }
        close + 1
    }
}

/// The opening brace of `mod name {`, if one starts at `position`.
fn inline_module(tokens: &[Token], position: usize) -> Option<usize> {
    let named = tokens[position].is("mod") && tokens.get(position + 1)?.is_word();
    (named && is_at(tokens, position + 2, "{")).then_some(position + 2)
}

fn is_at(tokens: &[Token], position: usize, text: &str) -> bool {
    tokens.get(position).is_some_and(|token| token.is(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rust::tokens;

    fn found(source: &str) -> Vec<(String, usize, usize)> {
        paths(&tokens(source).unwrap())
            .into_iter()
            .map(|path| (path.segments.join("::"), path.line, path.inline_modules))
            .collect()
    }

    #[test]
    fn groups_over_several_lines_are_spread_out() {
        let source = "use crate::{\n    a,\n    b::{self, C as D},\n    e::*,\n};";

        let expected = [
            ("crate::a", 2),
            ("crate::b::self", 3),
            ("crate::b::C", 3),
            ("crate::e::*", 4),
        ];
        assert_eq!(
            found(source),
            expected.map(|(path, line)| (path.to_owned(), line, 0))
        );
    }

    #[test]
    fn expressions_types_and_macros_hold_paths_too() {
        let source = "fn f(x: &std::fs::File) { $crate::g!(crate::h::<u8>()); crate::k { l: 1 } }";

        let names: Vec<_> = found(source).into_iter().map(|(path, _, _)| path).collect();
        assert_eq!(names, ["std::fs::File", "crate::g", "crate::h", "crate::k"]);
    }

    #[test]
    fn inline_modules_are_counted_only_inside_them() {
        let source = "mod a { mod b { use super::x; } use super::y; }\nuse super::z;";

        let depths: Vec<_> = found(source)
            .into_iter()
            .map(|(_, _, depth)| depth)
            .collect();
        assert_eq!(depths, [2, 1, 0]);
    }
}
