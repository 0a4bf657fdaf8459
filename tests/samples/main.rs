//! Captured traffic of real agents, message by message: scanned, made portable
//! as the matching provider, put back, recorded, counted, matched. Reads the folder
//! that `CASSETTE_SAMPLES` names, else `../shared/samples` beside the workspace;
//! without it nothing is tested, and that is said.
#![cfg(test)]

mod capture;
mod matching;
mod portability;
mod recording;
mod replaying;
mod summary;
