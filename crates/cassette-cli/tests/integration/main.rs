//! The command as a user runs it: recording, replaying, exit codes, texts.
//!
//! The recorded agent is the command itself, replaying a cassette that a test
//! wrote: no shell, no other program.
#![cfg(test)]

mod asked_to_end;
mod audit;
mod cassettes;
mod completions;
mod copy_faults;
mod demo;
mod doctor;
mod fork;
mod fork_faults;
mod homes;
mod inspect;
mod providers;
mod record;
mod record_asked_to_end;
mod recover;
mod redact;
mod replacing;
mod replay;
mod report;
mod show;
mod size_limit;
mod supervised;
mod traced;
mod verify;
