//! Ending as the agent ended.

use cassette_format::process::{ExitCode, Frame, FrameEvent};

use crate::failure::UNUSABLE;

/// The exit code that stands for an agent's last frame: its own code, 128 + n
/// for signal n, 1 where neither is known.
pub(crate) fn code(last: Option<&Frame>) -> u8 {
    let Some(frame) = last else {
        return 1;
    };
    let FrameEvent::Exit(code) = frame.event else {
        return 1;
    };
    if code == ExitCode::SIGNALED {
        let signal = frame.message.as_deref().and_then(signal_in).unwrap_or(0);
        return 128_u8.saturating_add(signal);
    }
    // Codes of 32 bits show their low byte, as shells show them.
    code.get().to_le_bytes()[0]
}

/// The exit code when this process's own output cannot be written: as if
/// SIGPIPE had ended it where nobody reads any more, else 2.
pub(crate) fn unwritable(error: &std::io::Error) -> u8 {
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        128 + 13
    } else {
        UNUSABLE
    }
}

/// The number behind the word `signal` in the message of an exit frame.
fn signal_in(message: &str) -> Option<u8> {
    let (_, rest) = message.split_once("signal")?;
    let digits = rest.trim_start_matches([' ', ':']);
    let end = digits
        .find(|digit: char| !digit.is_ascii_digit())
        .unwrap_or(digits.len());
    digits[..end].parse().ok().filter(|signal| *signal < 128)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signal_is_read_from_the_message() {
        assert_eq!(signal_in("signal 9 (SIGKILL)"), Some(9));
        assert_eq!(signal_in("ended by signal: 15"), Some(15));
        assert_eq!(signal_in("no number after signal"), None);
    }
}
