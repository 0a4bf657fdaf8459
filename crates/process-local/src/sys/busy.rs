//! What is busy for another moment. A program may still be open for writing: a copy that was
//! just made is open in every process that another thread is starting. Of memory that was
//! just written the system may be moving a page.

use std::io;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

/// How often something busy is tried again.
const TRIES: u32 = 10;

/// Starts a command; if its program is open for writing, ten times more within 55 ms.
pub(crate) fn spawn_unless_busy(command: &mut Command) -> io::Result<Child> {
    let busy = io::ErrorKind::ExecutableFileBusy;
    unless_busy(busy, || command.spawn(), thread::sleep)
}

/// Seals memory; if a page of it is in use, ten times more. The system itself waits up to
/// 150 ms for one that is.
#[cfg(target_os = "linux")]
pub(super) fn seal_unless_busy(seal: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    unless_busy(io::ErrorKind::ResourceBusy, seal, thread::sleep)
}

fn unless_busy<T>(
    busy: io::ErrorKind,
    mut start: impl FnMut() -> io::Result<T>,
    mut pause: impl FnMut(Duration),
) -> io::Result<T> {
    for tried in 1..=TRIES {
        match start() {
            Err(error) if error.kind() == busy => {
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

    use io::ErrorKind::{ExecutableFileBusy, NotFound};

    /// What comes of something that is busy this often, and the pauses.
    fn started_after(busy: u32, kind: io::ErrorKind) -> (io::Result<u32>, u32) {
        let (mut starts, mut pauses) = (0, 0);
        let start = || {
            starts += 1;
            if starts > busy {
                Ok(starts)
            } else {
                Err(kind.into())
            }
        };
        (unless_busy(kind, start, |_| pauses += 1), pauses)
    }

    #[test]
    fn a_busy_program_is_tried_ten_times_more_and_another_error_is_final() {
        assert_eq!(started_after(0, ExecutableFileBusy).0.unwrap(), 1);
        assert_eq!(started_after(10, ExecutableFileBusy).0.unwrap(), 11);
        let (started, pauses) = started_after(11, ExecutableFileBusy);
        assert_eq!(
            (started.unwrap_err().kind(), pauses),
            (ExecutableFileBusy, 10)
        );
        let missing = || Err::<(), _>(NotFound.into());
        let never = |_| panic!("it paused");
        let error = unless_busy(ExecutableFileBusy, missing, never).unwrap_err();
        assert_eq!(error.kind(), NotFound);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_of_which_a_page_is_in_use_is_sealed_once_it_is_not() {
        let mut busy = 3;
        let sealed = seal_unless_busy(|| {
            busy -= 1;
            if busy > 0 {
                Err(io::ErrorKind::ResourceBusy.into())
            } else {
                Ok(())
            }
        });
        assert_eq!((sealed.is_ok(), busy), (true, 0));
        assert!(seal_unless_busy(|| Err(NotFound.into())).is_err());
    }
}
