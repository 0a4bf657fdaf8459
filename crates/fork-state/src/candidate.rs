//! A file that may be a session's transcript, open.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::bind_error::BindError;
use crate::comparison::Comparison;
use crate::inspect::{
    Content, ContentError, Encoding, Identity, InspectOptions, Inspection, Inspector, Limits,
    RecordLayout, identify,
};
use crate::place::{Directory, OpenFile, Stamp};
use crate::request::ProviderSessionId;
use crate::stopped::Stopped;

/// How much is read at once.
const BUFFER: usize = 256 * 1024;

/// A file that may be a session's transcript.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// Below its home.
    relative: PathBuf,
    file: OpenFile,
    encoding: Encoding,
}

/// Which bytes of a file are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// Those of the file.
    AsTheyAre,
    /// Those that it holds, decompressed.
    Decompressed,
}

/// What a reading is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) session: &'a ProviderSessionId,
    pub(crate) layout: RecordLayout,
    pub(crate) limits: &'a Limits,
    pub(crate) stopped: &'a Stopped,
}

impl Candidate {
    pub(crate) fn new(relative: PathBuf, file: OpenFile) -> Self {
        let encoding = Encoding::of(&relative);
        Self {
            relative,
            file,
            encoding,
        }
    }

    /// Below its home.
    pub(crate) fn relative(&self) -> &Path {
        &self.relative
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }

    pub(crate) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// As of when it was opened.
    pub(crate) fn stamp(&self) -> Stamp {
        self.file.stamp()
    }

    pub(crate) fn mode(&self) -> u32 {
        self.file.mode()
    }

    /// Whether it is no other file under a second name.
    pub(crate) fn check_names(&self) -> Result<(), BindError> {
        match self.file.links() {
            1 => Ok(()),
            _ => Err(self.not_own("it has other hard links")),
        }
    }

    /// Whether nobody can write to it but this user and the home's.
    pub(crate) fn check_owner(&self, home: &Directory) -> Result<(), BindError> {
        if home.shares_owner_with(&self.file)? {
            return Ok(());
        }
        Err(self.not_own("it belongs to another user"))
    }

    /// Whether its name still leads to the file that was opened, as it was then.
    pub(crate) fn check_place(&self, home: &Directory) -> Result<(), BindError> {
        let directory = self.relative.parent().unwrap_or(Path::new(""));
        let name = self.relative.file_name().unwrap_or_default();
        let status = match home.open_if_directory(directory)? {
            Some(directory) => directory.status(name)?,
            None => None,
        };
        if status.is_some_and(|status| status.stamp == self.stamp()) {
            return Ok(());
        }
        Err(self.changed())
    }

    /// Whose transcript it is, read no further than it says so. Unknown where it cannot
    /// be decompressed so far.
    pub(crate) fn identity(&self, reading: Reading<'_>) -> Result<Identity, BindError> {
        let content = Content::new(self.rewound()?, self.encoding, reading.limits);
        match identify(content, reading.layout, reading.session) {
            Ok(identity) => Ok(identity),
            Err(source @ ContentError::Read { .. }) => Err(self.unreadable(source)),
            Err(_) => Ok(Identity::Unknown),
        }
    }

    /// Bytes of what it holds, where that is known before it is decompressed.
    pub(crate) fn plain_size(&self) -> Option<u64> {
        (self.encoding == Encoding::Plain).then(|| self.file.stamp().size)
    }

    /// Bytes of what it holds; for that a compressed one is read to its end.
    pub(crate) fn size(&self, reading: Reading<'_>) -> Result<u64, BindError> {
        if let Some(size) = self.plain_size() {
            return Ok(size);
        }
        let mut size = 0;
        self.each_piece(reading, None, |piece| {
            size += piece.len() as u64;
            Ok(())
        })?;
        Ok(size)
    }

    /// Reads it to its end, and sees to it that nothing wrote to it meanwhile. The
    /// bytes that are meant are written to `copy`.
    pub(crate) fn inspect(
        &self,
        reading: Reading<'_>,
        options: InspectOptions,
        copy: Option<(Bytes, &mut dyn Write)>,
    ) -> Result<Inspection, BindError> {
        let mut inspector = Inspector::new(reading.layout, Some(reading.session), options);
        let (raw, mut content) = match copy {
            Some((Bytes::AsTheyAre, copy)) => (Some(copy), None),
            Some((Bytes::Decompressed, copy)) => (None, Some(copy)),
            None => (None, None),
        };
        self.each_piece(reading, raw, |piece| {
            inspector.push(piece);
            content
                .as_mut()
                .map_or(Ok(()), |copy| copy.write_all(piece))
        })?;
        Ok(inspector.finish())
    }

    /// Whether `file` begins with the bytes that are meant. Gives how many they are.
    pub(crate) fn begins(
        &self,
        reading: Reading<'_>,
        (bytes, file): (Bytes, &File),
    ) -> Result<Option<u64>, BindError> {
        let mut comparison = Comparison::with(file);
        match bytes {
            Bytes::AsTheyAre => self.each_piece(reading, Some(&mut comparison), |_| Ok(()))?,
            Bytes::Decompressed => {
                self.each_piece(reading, None, |piece| comparison.write_all(piece))?
            }
        }
        Ok(comparison.equal())
    }

    /// What a copy of it holds that got the bytes that are meant.
    pub(crate) fn held_by(
        &self,
        reading: Reading<'_>,
        (bytes, mut copy): (Bytes, &File),
    ) -> Result<Inspection, BindError> {
        let encoding = match bytes {
            Bytes::AsTheyAre => self.encoding,
            Bytes::Decompressed => Encoding::Plain,
        };
        copy.seek(SeekFrom::Start(0))
            .map_err(|source| self.unwritable(source))?;
        let mut inspector = Inspector::new(reading.layout, None, InspectOptions::default());
        let content = Content::new(copy, encoding, reading.limits);
        self.pieces(reading, content, |piece| {
            inspector.push(piece);
            Ok(())
        })?;
        Ok(inspector.finish())
    }

    /// Whether this begins with what the other one holds, decompressed.
    pub(crate) fn extends(&self, other: &Self, reading: Reading<'_>) -> Result<bool, BindError> {
        let shorter = other.begins(reading, (Bytes::Decompressed, self.file.file()))?;
        self.check_steady()?;
        Ok(shorter.is_some())
    }

    /// Whether it has the same name as the other one in the same directory, save that
    /// one is compressed.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        let plain = |candidate: &Self| match candidate.encoding {
            Encoding::Plain => candidate.relative.clone(),
            Encoding::Zstd => candidate.relative.with_extension(""),
        };
        self.encoding != other.encoding && plain(self) == plain(other)
    }

    /// Reads what it holds, piece by piece; the bytes of the file go to `raw`.
    fn each_piece(
        &self,
        reading: Reading<'_>,
        raw: Option<&mut dyn Write>,
        take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), BindError> {
        let mut teed = Teed {
            reader: self.rewound()?,
            copy: raw,
            failed: None,
        };
        let content = Content::new(&mut teed, self.encoding, reading.limits);
        let read = self.pieces(reading, content, take);
        if let Some(source) = teed.failed {
            return Err(self.unwritable(source));
        }
        read?;
        self.check_steady()
    }

    fn pieces(
        &self,
        reading: Reading<'_>,
        mut content: Content<impl Read>,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), BindError> {
        let mut buffer = vec![0; BUFFER];
        loop {
            reading.stopped.check()?;
            let read = content.read(&mut buffer);
            let length = read.map_err(|source| self.unreadable(source))?;
            if length == 0 {
                return Ok(());
            }
            let piece = buffer.get(..length).unwrap_or_default();
            take(piece).map_err(|source| self.unwritable(source))?;
        }
    }

    /// The file from its start, as long as it was when it was opened.
    fn rewound(&self) -> Result<impl Read + '_, BindError> {
        let mut file = self.file.file();
        file.seek(SeekFrom::Start(0))
            .map_err(|source| self.unreadable(ContentError::Read { source }))?;
        Ok(file.take(self.file.stamp().size))
    }

    fn check_steady(&self) -> Result<(), BindError> {
        if self.file.is_steady(&self.file.stamp())? {
            return Ok(());
        }
        Err(self.changed())
    }

    pub(crate) fn changed(&self) -> BindError {
        BindError::Changed { path: self.path() }
    }

    fn not_own(&self, why: &'static str) -> BindError {
        let path = self.path();
        BindError::NotOwn { path, why }
    }

    fn unreadable(&self, source: ContentError) -> BindError {
        BindError::Read {
            path: self.path(),
            source,
        }
    }

    fn unwritable(&self, source: io::Error) -> BindError {
        BindError::Write {
            path: self.path(),
            source,
        }
    }
}

/// Writes what is read elsewhere, too.
struct Teed<'c, R> {
    reader: R,
    copy: Option<&'c mut dyn Write>,
    /// Why it could not be written.
    failed: Option<io::Error>,
}

impl<R: Read> Read for Teed<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        if let Some(copy) = &mut self.copy
            && let Err(error) = copy.write_all(buffer.get(..read).unwrap_or_default())
        {
            self.failed = Some(error);
            return Err(io::ErrorKind::Other.into());
        }
        Ok(read)
    }
}
