//! How much is tried.

/// What `FAULT_ROUNDS` says, or as usually.
pub(crate) fn rounds(usually: usize) -> usize {
    let asked = std::env::var("FAULT_ROUNDS").ok();
    asked.map_or(usually, |asked| asked.parse().unwrap())
}

/// As many of these points, evenly spread; all of them unless the environment says less.
pub(crate) fn spread<T>(points: Vec<T>) -> Vec<T> {
    let (all, wanted) = (points.len(), rounds(usize::MAX));
    if wanted >= all {
        return points;
    }
    let is_wanted = |number: usize| number * wanted / all != (number + 1) * wanted / all;
    let numbered = (0..).zip(points);
    let chosen = numbered.filter(|(number, _)| is_wanted(*number));
    chosen.map(|(_, point)| point).collect()
}
