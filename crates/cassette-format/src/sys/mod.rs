//! Everything that differs between platforms: how a file is opened without
//! following links or waiting, how a file is read from a position on, how private files are made, how a directory is
//! synced. Only the store uses it.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{
    create_private_directory, create_private_file, is_at, open_for_reading, read_at, sync_directory,
};

#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
pub(crate) use other::{
    create_private_directory, create_private_file, is_at, open_for_reading, read_at, sync_directory,
};
