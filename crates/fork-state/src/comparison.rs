//! Comparing bytes with a file while they pass.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Compares what is written to it with a file.
#[derive(Debug)]
pub(crate) struct Comparison<'f> {
    file: &'f File,
    buffer: Vec<u8>,
    compared: u64,
    is_equal: bool,
}

impl<'f> Comparison<'f> {
    pub(crate) fn with(file: &'f File) -> Self {
        Self {
            file,
            buffer: Vec::new(),
            compared: 0,
            is_equal: true,
        }
    }

    /// How many bytes were written to it, if the file begins with them.
    pub(crate) fn equal(&self) -> Option<u64> {
        self.is_equal.then_some(self.compared)
    }
}

impl Write for Comparison<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.compared == 0 {
            self.file.seek(SeekFrom::Start(0))?;
        }
        self.buffer.resize(bytes.len().max(self.buffer.len()), 0);
        let there = self.buffer.get_mut(..bytes.len()).unwrap_or_default();
        match self.file.read_exact(there) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => self.is_equal = false,
            read => {
                read?;
                self.is_equal &= there == bytes;
            }
        }
        self.compared += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
