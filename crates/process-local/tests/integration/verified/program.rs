//! The smallest programs there are: a file of some hundred bytes that makes a directory and
//! ends with a code.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use process_local::{ExecutableIdentity, VerifiedExecutable, VerifyMode, VerifyOptions, identify};

/// What the verified program ends with.
pub(crate) const GOOD: u8 = 7;
/// What the other one ends with.
pub(crate) const EVIL: u8 = 66;

const HEADER: usize = 64;
const SEGMENT: usize = 56;
const PLACE: u64 = 0x40_0000;

/// An executable that ends with this code. Before that it makes the directory `good` or
/// `evil`, which stays even if it is killed.
pub(crate) fn program(code: u8) -> Vec<u8> {
    let mut instructions = instructions(code);
    instructions.extend(if code == EVIL { b"evil\0" } else { b"good\0" });
    let start = HEADER + SEGMENT;
    let size = (start + instructions.len()) as u64;
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(16, 0);
    file.extend(2_u16.to_le_bytes());
    file.extend(machine().to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    file.extend((PLACE + start as u64).to_le_bytes());
    file.extend((HEADER as u64).to_le_bytes());
    file.extend([0; 12]);
    for short in [HEADER as u16, SEGMENT as u16, 1, 0, 0, 0] {
        file.extend(short.to_le_bytes());
    }
    file.extend(1_u32.to_le_bytes());
    file.extend(5_u32.to_le_bytes());
    for long in [0, PLACE, PLACE, size, size, 0x1000] {
        file.extend(long.to_le_bytes());
    }
    file.extend(instructions);
    file
}

#[cfg(target_arch = "x86_64")]
fn machine() -> u16 {
    62
}

#[cfg(target_arch = "x86_64")]
fn instructions(code: u8) -> Vec<u8> {
    let mut bytes = vec![0x48, 0x8d, 0x3d, 24, 0, 0, 0];
    bytes.extend([0xbe, 0xc0, 1, 0, 0, 0xb8, 83, 0, 0, 0, 0x0f, 0x05]);
    bytes.extend([0xbf, code, 0, 0, 0, 0xb8, 60, 0, 0, 0, 0x0f, 0x05]);
    bytes
}

#[cfg(target_arch = "aarch64")]
fn machine() -> u16 {
    183
}

#[cfg(target_arch = "aarch64")]
fn instructions(code: u8) -> Vec<u8> {
    let make_directory = [
        0x9280_0c60,
        0x1000_00e1,
        0xd280_3802,
        0xd280_0448,
        0xd400_0001,
    ];
    let end = [0xd280_0000 | u32::from(code) << 5, 0xd280_0ba8, 0xd400_0001];
    let words = make_directory.iter().chain(&end);
    words.flat_map(|word: &u32| word.to_le_bytes()).collect()
}

/// A directory with the good program in it.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) scratch: tempfile::TempDir,
    pub(crate) file: PathBuf,
    pub(crate) identity: ExecutableIdentity,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let file = place(scratch.path(), "program", &program(GOOD));
        let identity = identify(&file).unwrap();
        Self {
            scratch,
            file,
            identity,
        }
    }
}

impl Stage {
    /// Whether the program of this name ran in the directory of the file.
    pub(crate) fn has_run(&self, name: &str) -> bool {
        self.scratch.path().join(name).is_dir()
    }
}

/// Puts an executable file there.
pub(crate) fn place(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let file = directory.join(name);
    fs::write(&file, bytes).unwrap();
    set_mode(&file, 0o755);
    file
}

pub(crate) fn set_mode(file: &Path, mode: u32) {
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn mode(mode: VerifyMode) -> VerifyOptions {
    VerifyOptions { mode, copies: None }
}

/// The fake agent as it is, verified.
pub(crate) fn fake_agent() -> VerifiedExecutable {
    let file = env!("CARGO_BIN_EXE_fake-agent");
    VerifiedExecutable::open(file, &identify(file).unwrap(), &VerifyOptions::default()).unwrap()
}
