//! Tests of the player's parts through its public interface.
#![cfg(test)]

mod matching;
mod playing;
