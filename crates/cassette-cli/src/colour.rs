//! Colour, on terminals whose users want it.

use std::ffi::OsStr;
use std::io::{IsTerminal, stdout};

/// Whether standard output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    /// Plain text.
    Off,
    /// With the signs that terminals take for colours.
    On,
}

/// What is seen at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// What the host says.
    Green,
    /// What the agent says.
    Blue,
    /// An error.
    Red,
    /// What is beside the conversation.
    Yellow,
}

impl Colour {
    /// On where standard output is a terminal that can do it, unless `NO_COLOR` says
    /// otherwise.
    pub(crate) fn wanted() -> Self {
        let (no_colour, terminal) = (std::env::var_os("NO_COLOR"), std::env::var_os("TERM"));
        let variables = (no_colour.as_deref(), terminal.as_deref());
        Self::on_output(stdout().is_terminal(), variables)
    }

    fn on_output(
        is_terminal: bool,
        (no_colour, terminal): (Option<&OsStr>, Option<&OsStr>),
    ) -> Self {
        let is_refused = no_colour.is_some_and(|value| !value.is_empty());
        if is_terminal && !is_refused && terminal != Some(OsStr::new("dumb")) {
            Self::On
        } else {
            Self::Off
        }
    }

    /// The text in a colour.
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        if self == Self::Off || text.is_empty() {
            return text.to_owned();
        }
        let number = match paint {
            Paint::Red => 31,
            Paint::Green => 32,
            Paint::Yellow => 33,
            Paint::Blue => 34,
        };
        format!("\u{1b}[{number}m{text}\u{1b}[0m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_for_terminals_that_can_and_users_who_want_it() {
        let on = |no_colour: Option<&str>, terminal: Option<&str>| {
            let variables = (no_colour.map(OsStr::new), terminal.map(OsStr::new));
            assert_eq!(Colour::on_output(false, variables), Colour::Off);
            Colour::on_output(true, variables)
        };
        assert_eq!(on(None, Some("xterm")), Colour::On);
        assert_eq!(on(Some(""), None), Colour::On);
        assert_eq!(on(Some("1"), Some("xterm")), Colour::Off);
        assert_eq!(on(None, Some("dumb")), Colour::Off);
    }

    #[test]
    fn a_painted_text_ends_plain() {
        assert_eq!(Colour::On.paint(Paint::Red, "x"), "\u{1b}[31mx\u{1b}[0m");
        assert_eq!(Colour::Off.paint(Paint::Red, "x"), "x");
    }
}
