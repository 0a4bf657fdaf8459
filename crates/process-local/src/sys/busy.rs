//! Starting a program that somebody may have open for writing for another moment: a copy
//! that was just made is still open in every process that another thread is starting.

use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// How often a busy program is tried again.
const TRIES: u32 = 10;

/// Starts a command; if its program is open for writing, ten times more within 55 ms.
pub(crate) fn spawn_unless_busy(command: &mut Command) -> io::Result<Child> {
    unless_busy(|| command.spawn(), thread::sleep)
}

fn unless_busy<T>(
    mut start: impl FnMut() -> io::Result<T>,
    mut pause: impl FnMut(Duration),
) -> io::Result<T> {
    for tried in 1..=TRIES {
        match start() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                pause(Duration::from_millis(tried.into()));
            }
            other => return other,
        }
    }
    start()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a program that is busy this often, and the pauses.
    fn started_after(busy: u32) -> (io::Result<u32>, u32) {
        let (mut starts, mut pauses) = (0, 0);
        let start = || {
            starts += 1;
            if starts > busy {
                Ok(starts)
            } else {
                Err(io::ErrorKind::ExecutableFileBusy.into())
            }
        };
        (unless_busy(start, |_| pauses += 1), pauses)
    }

    #[test]
    fn a_busy_program_is_tried_ten_times_more_and_another_error_is_final() {
        assert_eq!(started_after(0).0.unwrap(), 1);
        assert_eq!(started_after(10).0.unwrap(), 11);
        let (started, pauses) = started_after(11);
        assert_eq!(
            (started.unwrap_err().kind(), pauses),
            (io::ErrorKind::ExecutableFileBusy, 10)
        );
        let missing = || Err::<(), _>(io::ErrorKind::NotFound.into());
        let never = |_| panic!("it paused");
        assert_eq!(
            unless_busy(missing, never).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
