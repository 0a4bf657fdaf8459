//! Somebody who changes the executable all the time, and what is no defence against that.

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

use super::program::{EVIL, GOOD, Stage, place, program};

/// Maps a file, writes through the mapping, and lets go of it, all without end.
const MAPPER: &str = "
import mmap, sys
contents = [open(name, 'rb').read() for name in sys.argv[2:]]
while True:
    for content in contents:
        try:
            file = open(sys.argv[1], 'r+b')
        except OSError:
            continue
        mapping = mmap.mmap(file.fileno(), 0)
        file.close()
        mapping[:] = content
        mapping.close()
";

/// How somebody changes the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attack {
    Write,
    Map,
    Rename,
}

/// Somebody who changes the file until this is dropped, and has begun to.
pub(crate) struct Attacker(Child);

impl Attacker {
    /// `None` where there is no interpreter to map with.
    pub(crate) fn start(attack: Attack, stage: &Stage) -> Option<Self> {
        let good = place(stage.scratch.path(), "good-program", &program(GOOD));
        let evil = place(stage.scratch.path(), "evil-program", &program(EVIL));
        let mut command = match attack {
            Attack::Map => Command::new("python3"),
            _ => Command::new(env!("CARGO_BIN_EXE_fake-agent")),
        };
        match attack {
            Attack::Write => command.arg("alternate-writes"),
            Attack::Map => command.args(["-c", MAPPER]),
            Attack::Rename => command.arg("alternate-renames"),
        };
        command
            .args([&stage.file, &evil, &good])
            .stdin(Stdio::null());
        match command.spawn() {
            Ok(child) => {
                let attacker = Self(child);
                while !fs::read(&stage.file).is_ok_and(|bytes| bytes == program(EVIL)) {
                    thread::yield_now();
                }
                Some(attacker)
            }
            Err(_) if attack == Attack::Map => {
                eprintln!("skipped: no python3 to map with");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        let status = self.0.wait().unwrap();
        // One that gave up attacked nobody.
        assert_eq!(status.code(), None, "the attacker gave up");
    }
}

/// Verifies the file as it is open, and says what is to be executed as long as it is; `None`
/// if it has other bytes.
pub(crate) fn verify_plainly(stage: &Stage) -> Option<(File, PathBuf)> {
    let file = File::open(&stage.file).ok()?;
    let mut bytes = vec![0; program(GOOD).len()];
    file.read_exact_at(&mut bytes, 0).ok()?;
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    (bytes == program(GOOD)).then(|| (file, descriptor.into()))
}
