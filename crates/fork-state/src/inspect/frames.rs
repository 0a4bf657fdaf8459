//! Decompressing a sequence of zstd frames (RFC 8878) in memory that depends on
//! no length in them.

use std::fmt;
use std::io::{self, BufReader, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::content::ContentError;

/// The largest window that a frame may ask for: what every decoder should take
/// (RFC 8878, 3.1.1.1.2).
const MAX_WINDOW: u64 = 8 << 20;

const MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();
/// The first byte of a skippable frame's magic has sixteen values.
const SKIPPABLE: [u8; 4] = 0x184d_2a50_u32.to_le_bytes();

/// The content of the frames of a file.
pub(crate) struct Frames<R> {
    file: Source<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
    /// Whether a frame was begun.
    is_begun: bool,
    /// Bytes of this frame's content that were read.
    of_frame: u64,
    read: u64,
    limit: u64,
}

impl<R: Read> Frames<R> {
    /// Reads at most `limit` bytes of content from `file`.
    pub(crate) fn new(file: R, limit: u64) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW);
        Self {
            file: Source::new(file),
            decoder,
            is_in_frame: false,
            is_begun: false,
            of_frame: 0,
            read: 0,
            limit,
        }
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ContentError> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_in_frame && !self.next_frame()? {
                return Ok(0);
            }
            let read = self.read_frame(buffer)?;
            if read == 0 {
                self.end_frame()?;
                continue;
            }
            self.of_frame += read as u64;
            self.read += read as u64;
            if self.read > self.limit {
                return Err(ContentError::TooLarge { limit: self.limit });
            }
            return Ok(read);
        }
    }

    /// Whether there is another frame; skippable ones are passed by.
    fn next_frame(&mut self) -> Result<bool, ContentError> {
        loop {
            let offset = self.file.offset;
            let mut magic = [0; 4];
            let length = self.file.fill(&mut magic)?;
            let magic = &magic[..length];
            let is_frame = MAGIC.starts_with(magic);
            if length == 0 && self.is_begun {
                return Ok(false);
            }
            if !is_frame && !may_be_skippable(magic) {
                return Err(match self.is_begun {
                    true => ContentError::Trailing { offset },
                    false => ContentError::Damaged { offset },
                });
            }
            if length < MAGIC.len() {
                return Err(ContentError::Truncated);
            }
            self.is_begun = true;
            if is_frame {
                self.begin_frame()?;
                return Ok(true);
            }
            self.skip()?;
        }
    }

    fn begin_frame(&mut self) -> Result<(), ContentError> {
        let begun = self.decoder.reset(MAGIC.chain(&mut self.file));
        begun.map_err(|error| self.error(&error))?;
        self.of_frame = 0;
        self.is_in_frame = true;
        Ok(())
    }

    fn skip(&mut self) -> Result<(), ContentError> {
        let mut length = [0; 4];
        if self.file.fill(&mut length)? < length.len() {
            return Err(ContentError::Truncated);
        }
        let length = u64::from(u32::from_le_bytes(length));
        let skipped = io::copy(&mut (&mut self.file).take(length), &mut io::sink());
        match skipped {
            Ok(skipped) if skipped == length => Ok(()),
            Ok(_) => Err(ContentError::Truncated),
            Err(told) => Err(self.file.error(told)),
        }
    }

    /// 0 at the end of the frame.
    fn read_frame(&mut self, buffer: &mut [u8]) -> Result<usize, ContentError> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let one = BlockDecodingStrategy::UptoBlocks(1);
            let decoded = self.decoder.decode_blocks(&mut self.file, one);
            decoded.map_err(|error| self.error(&error))?;
        }
        let read = self.decoder.read(buffer);
        read.map_err(|source| ContentError::Read { source })
    }

    fn end_frame(&mut self) -> Result<(), ContentError> {
        self.is_in_frame = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(ContentError::Checksum);
        }
        // 0 where the frame does not say.
        if ![0, self.of_frame].contains(&self.decoder.content_size()) {
            return Err(self.damaged());
        }
        Ok(())
    }

    fn error(&mut self, error: &FrameDecoderError) -> ContentError {
        match error {
            FrameDecoderError::WindowSizeTooBig { requested, .. } => ContentError::Window {
                bytes: *requested,
                limit: MAX_WINDOW,
            },
            FrameDecoderError::DictNotProvided { .. } => ContentError::Dictionary,
            _ => match self.file.failure.take() {
                Some(source) => ContentError::Read { source },
                None if self.file.is_ended => ContentError::Truncated,
                None => self.damaged(),
            },
        }
    }

    fn damaged(&self) -> ContentError {
        ContentError::Damaged {
            offset: self.file.offset,
        }
    }
}

/// Whether a skippable frame begins with these bytes, at most four.
fn may_be_skippable(magic: &[u8]) -> bool {
    let kind = |(index, byte): (usize, &u8)| match index {
        0 => byte & 0xf0,
        _ => *byte,
    };
    magic
        .iter()
        .enumerate()
        .map(kind)
        .eq(SKIPPABLE[..magic.len()].iter().copied())
}

/// A file that remembers how reading it ended: the decoder's errors hide that.
struct Source<R> {
    file: BufReader<R>,
    offset: u64,
    is_ended: bool,
    failure: Option<io::Error>,
}

impl<R: Read> Source<R> {
    fn new(file: R) -> Self {
        Self {
            file: BufReader::new(file),
            offset: 0,
            is_ended: false,
            failure: None,
        }
    }

    /// Fills `buffer` as far as there are bytes.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, ContentError> {
        let mut length = 0;
        while length < buffer.len() {
            match self.read(&mut buffer[length..]) {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(told) => return Err(self.error(told)),
            }
        }
        Ok(length)
    }

    /// The error of the file behind what was told to who read.
    fn error(&mut self, told: io::Error) -> ContentError {
        let source = self.failure.take().unwrap_or(told);
        ContentError::Read { source }
    }
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read(buffer) {
            Ok(read) => {
                self.is_ended |= read == 0 && !buffer.is_empty();
                self.offset += read as u64;
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let told = error.kind().into();
                self.failure = Some(error);
                Err(told)
            }
        }
    }
}

impl<R> fmt::Debug for Frames<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames")
            .field("offset", &self.file.offset)
            .field("read", &self.read)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
