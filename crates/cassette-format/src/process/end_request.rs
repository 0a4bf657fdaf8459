//! The ways in which a process is asked to end. None forces it.

/// A request to a process that it end: a signal, where there are signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EndRequest {
    /// SIGINT, as by Ctrl-C at a terminal.
    Interrupt,
    /// SIGTERM, as by a program that is done with it.
    #[default]
    Terminate,
    /// SIGHUP, as by a terminal that is closed.
    HangUp,
    /// SIGQUIT, as by Ctrl-\ at a terminal.
    Quit,
}
