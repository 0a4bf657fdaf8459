//! One recorder a directory, and for how long.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use cassette_format::process::ProcessTransport;
use cassette_format::schema::CassetteStatus;
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{CreateError, Existing, RecordOptions, Recorder};

use crate::live::{launch, registry};
use crate::puppet::Puppet;

fn replacing(dir: &Path) -> Result<Recorder, CreateError> {
    let options = RecordOptions {
        existing: Existing::Replace,
        ..RecordOptions::default()
    };
    Recorder::create(dir, registry(), options)
}

#[tokio::test]
async fn a_directory_is_taken_until_its_recording_ends_and_free_while_handles_live_on() {
    let scratch = tempfile::tempdir().unwrap();
    for abort in [false, true] {
        let first = replacing(scratch.path()).unwrap();
        let transport = first.wrap(Puppet::default());
        let connection = transport.start(launch("session-1")).await.unwrap();
        connection.send(b"{\"half\":").await.unwrap();
        let taken = replacing(scratch.path());
        assert!(matches!(taken, Err(CreateError::Locked { .. })));
        // Refused without harm.
        connection.send(b"1}\n").await.unwrap();
        if abort {
            first.abort().unwrap();
        } else {
            assert!(first.finish().is_err());
            assert!(replacing(scratch.path()).is_err());
            connection.close().await.unwrap();
            first.finish().unwrap();
        }

        let second = replacing(scratch.path()).unwrap();

        // What is left of the first one does no harm to the second.
        drop((connection, transport, first));
        let taken = replacing(scratch.path());
        assert!(matches!(taken, Err(CreateError::Locked { .. })));
        assert_eq!(second.finish().unwrap(), CassetteStatus::Complete);
        Tape::open(scratch.path(), &ReadOptions::default()).unwrap();
    }
}

/// A process that was forked and does not run its own program yet has copies of all files
/// of this one, with their locks.
#[cfg(unix)]
#[test]
fn a_directory_is_free_after_its_recorder_whatever_processes_are_started_meanwhile() {
    let scratch = tempfile::tempdir().unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    Command::new("true").status().unwrap();
                }
            });
        }
        let refused: Vec<CreateError> = (0..40)
            .filter_map(|round| match replacing(scratch.path()) {
                Ok(recorder) if round % 2 == 0 => {
                    recorder.finish().unwrap();
                    None
                }
                // Dropped.
                Ok(_) => None,
                Err(error) => Some(error),
            })
            .collect();
        over.store(true, Ordering::SeqCst);
        assert!(refused.is_empty(), "{}: {:?}", refused.len(), refused[0]);
    });
}

/// Nothing is left of a recorder that could not begin.
#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_to_is_no_place_for_a_recorder() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = tempfile::tempdir().unwrap();
    let mode = |mode| fs::set_permissions(scratch.path(), Permissions::from_mode(mode)).unwrap();
    mode(0o500);
    if fs::write(scratch.path().join("probe"), "").is_ok() {
        println!("SKIPPED: permissions do not bind this user");
        return;
    }
    for dir in [scratch.path().to_owned(), scratch.path().join("below")] {
        let refused = replacing(&dir);
        assert!(matches!(refused, Err(CreateError::Files(_))), "{refused:?}");
    }
    mode(0o700);
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    replacing(scratch.path()).unwrap().finish().unwrap();
}
