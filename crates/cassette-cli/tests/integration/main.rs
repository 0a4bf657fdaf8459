//! The command as a user runs it: recording, replaying, exit codes, texts.
//!
//! The recorded agent is the command itself, replaying a cassette that a test
//! wrote: no shell, no other program.
#![cfg(test)]

mod cassettes;
mod inspect;
mod record;
mod replay;
mod verify;
