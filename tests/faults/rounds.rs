//! How much is tried.

/// Points that are tried where nothing else is said.
const FEW: usize = 30;

/// As many of these points as `FAULT_ROUNDS` says, evenly spread.
pub(crate) fn spread<T>(points: Vec<T>) -> Vec<T> {
    let asked = std::env::var("FAULT_ROUNDS").ok();
    let wanted: usize = asked.map_or(FEW, |asked| asked.parse().unwrap());
    let all = points.len();
    if wanted >= all {
        return points;
    }
    let is_wanted = |number: usize| number * wanted / all != (number + 1) * wanted / all;
    let numbered = (0..).zip(points);
    let chosen = numbered.filter(|(number, _)| is_wanted(*number));
    chosen.map(|(_, point)| point).collect()
}
