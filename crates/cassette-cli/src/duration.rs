//! Durations as they are written on the command line.

use std::time::Duration;

/// Reads `500ms`, `2s`, `1.5s` or `2m`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let refused = || format!("`{text}` is no duration, which is written as `500ms`, `2s` or `1m`");
    let split = text.find(|character: char| character.is_ascii_alphabetic());
    let (number, unit) = text.split_at(split.ok_or_else(refused)?);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        _ => return Err(refused()),
    };
    let number: f64 = number.parse().map_err(|_| refused())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        let read = [
            ("500ms", 500),
            ("2s", 2000),
            ("1.5s", 1500),
            ("0s", 0),
            ("2m", 120_000),
        ];
        for (text, millis) in read {
            assert_eq!(parse(text), Ok(Duration::from_millis(millis)));
        }
        for text in ["", "5", "s", "-1s", "1h", "1e30s", "nans", "1 s", "inf"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
