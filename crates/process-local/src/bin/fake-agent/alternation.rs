//! Changing a file without end, as an attacker would who waits for the right moment.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

/// Writes what each of the others holds into the file itself.
pub(crate) fn write(arguments: &mut impl Iterator<Item = String>) -> io::Result<()> {
    let file = arguments.next().unwrap_or_default();
    let contents: io::Result<Vec<Vec<u8>>> = arguments.map(fs::read).collect();
    for content in contents?.iter().cycle() {
        match File::options().write(true).open(&file) {
            Ok(mut file) => file.write_all(content)?,
            // It is being executed.
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::InvalidInput.into())
}

/// Puts a copy of each of the others in its place.
pub(crate) fn rename(arguments: &mut impl Iterator<Item = String>) -> io::Result<()> {
    let file = PathBuf::from(arguments.next().unwrap_or_default());
    let others: Vec<String> = arguments.collect();
    let place = file.with_extension("next");
    for other in others.iter().cycle() {
        fs::copy(other, &place)?;
        fs::rename(&place, &file)?;
    }
    Err(io::ErrorKind::InvalidInput.into())
}
