//! A cassette on disk: reading and verifying one, reading what a crash left,
//! encoding chunks, replacing a manifest. The only module that touches files.

mod base64_text;
mod directory;
mod field;
mod frame_index;
mod indexer;
mod line_pass;
mod line_reader;
mod line_stream;
mod line_writer;
mod load;
mod manifest_reader;
mod manifest_writer;
mod open_error;
mod prefix;
mod quoted;
mod raw_tape;
mod read_options;
mod replace;
mod tape;

pub use directory::{CassetteDir, CreateError, FRAMES_FILE, MANIFEST_FILE};
pub use field::{FieldError, FieldProblem};
pub use frame_index::{ChunkDefect, ChunkView, DefectKind, UndecodableData};
pub use line_reader::read_line;
pub use line_stream::LineStream;
pub use line_writer::{LineTooLong, write_line};
pub use manifest_reader::read_manifest;
pub use manifest_writer::write_manifest;
pub use open_error::{FileKind, OpenError, Sum};
pub use prefix::{Ending, TapePrefix};
pub use raw_tape::{LineExtent, LineView, RawTape};
pub use read_options::{ReadLimits, ReadOptions};
pub use replace::{ReplaceError, replace_manifest};
pub use tape::{InexactSum, Tape};
