//! Protocol clients of others, unchanged, over a recorder and then over a player.
#![cfg(test)]

mod acp;
mod mcp;
mod studio;
