//! Making messages portable and putting them back, attacked from outside.

mod account;
mod batches;
mod broken;
mod dialects;
mod generated;
mod hostile;
mod identity;
mod memory;
mod messages;
mod outside_edits;
mod refusals;
mod rules;
mod side;
mod spellings;
