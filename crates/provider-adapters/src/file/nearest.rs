//! The known name that was probably meant.

/// Longer names are not compared: nobody mistypes that much.
const MAX_CHARS: usize = 40;

/// The name of `known` that is most like `name`, if one is much like it: at most
/// one letter in three differs, the case and `_` for `-` aside.
pub(super) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    if name.chars().nth(MAX_CHARS).is_some() {
        return None;
    }
    let name = plain(name);
    let distances = known
        .iter()
        .map(|other| (distance(&name, &plain(other)), *other));
    let (distance, best) = distances.min_by_key(|(distance, _)| *distance)?;
    let letters = name.len().max(best.len());
    (distance * 3 <= letters).then_some(best)
}

fn plain(name: &str) -> Vec<char> {
    let dashed = name
        .trim()
        .chars()
        .map(|it| if matches!(it, '_' | ' ') { '-' } else { it });
    dashed.flat_map(char::to_lowercase).collect()
}

/// How many letters must be changed, added, left out or swapped with the next.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    for (row, letter) in one.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, wanted) in other.iter().enumerate() {
            let changed = above[column] + usize::from(letter != wanted);
            let mut best = changed.min(above[column + 1] + 1).min(current[column] + 1);
            let is_swap =
                row > 0 && column > 0 && *letter == other[column - 1] && one[row - 1] == *wanted;
            if is_swap {
                best = best.min(before[column - 1] + 1);
            }
            current.push(best);
        }
        before = std::mem::replace(&mut above, current);
    }
    above[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["id", "framing", "path-fields", "home-variables", "json-rpc"];

    #[test]
    fn slips_are_understood() {
        for (typed, meant) in [
            ("framming", "framing"),
            ("farming", "framing"),
            ("path_fields", "path-fields"),
            ("pathFields", "path-fields"),
            ("JSONRPC", "json-rpc"),
            ("home-variable", "home-variables"),
        ] {
            assert_eq!(nearest(typed, KNOWN), Some(meant), "{typed}");
        }
    }

    #[test]
    fn other_words_are_not_guessed_at() {
        for typed in [
            "",
            "x",
            "colour",
            "a-very-long-name-that-goes-on-and-on-and-on-for-ever",
        ] {
            assert_eq!(nearest(typed, KNOWN), None, "{typed}");
        }
    }
}
