//! Whether this process was started as a supervisor, and what for.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process;
use std::thread;

use rustix::process::Pid;
use tokio::runtime::Handle;

use super::run::run;
use super::wire::MARKER;

/// What is to be run: the arguments behind the marker.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) host: Pid,
    /// The host's if there is none.
    pub(super) directory: Option<PathBuf>,
    /// What is executed; if there is none, the last of the descriptors.
    pub(super) file: Option<PathBuf>,
    pub(super) name: OsString,
    pub(super) arguments: Vec<OsString>,
}

/// Whether this process was started as a supervisor.
pub(super) fn is_requested() -> bool {
    std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == MARKER)
}

/// Serves as a supervisor if this process was started as one.
pub(crate) fn run_if_requested() {
    if !is_requested() {
        return;
    }
    let code = match Order::of(std::env::args_os().skip(2)) {
        // A runtime cannot be run inside another.
        Some(order) if Handle::try_current().is_ok() => thread::spawn(move || run(&order))
            .join()
            .unwrap_or(super::run::NOT_ALL),
        Some(order) => run(&order),
        None => super::run::NOT_ALL,
    };
    #[expect(
        clippy::exit,
        reason = "nothing of the host's `main` may run in a supervisor"
    )]
    process::exit(code);
}

impl Order {
    /// The arguments of a supervisor, the marker included.
    pub(super) fn to_arguments(&self) -> Vec<OsString> {
        let path = |path: &Option<PathBuf>| path.clone().unwrap_or_default().into_os_string();
        let mut all = vec![
            MARKER.into(),
            self.host.as_raw_nonzero().to_string().into(),
            path(&self.directory),
            path(&self.file),
            "--".into(),
            self.name.clone(),
        ];
        all.extend(self.arguments.iter().cloned());
        all
    }

    fn of(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        Some(Self {
            host: Pid::from_raw(arguments.next()?.to_str()?.parse().ok()?)?,
            directory: path(arguments.next()?),
            file: path(arguments.next()?),
            name: arguments.nth(1)?,
            arguments: arguments.collect(),
        })
    }
}

fn path(argument: OsString) -> Option<PathBuf> {
    (!argument.is_empty()).then(|| PathBuf::from(argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_command_line() {
        let order = Order {
            host: rustix::process::getpid(),
            directory: Some("/a b".into()),
            file: None,
            name: "agent".into(),
            arguments: vec!["--".into(), String::new().into()],
        };

        let arguments = order.to_arguments();

        assert_eq!(arguments[0], MARKER);
        assert_eq!(Order::of(arguments.into_iter().skip(1)), Some(order));
        assert_eq!(Order::of(["1".into()].into_iter()), None);
    }
}
