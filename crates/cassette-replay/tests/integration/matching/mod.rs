//! Decisions about single messages.

mod answers;
mod differences;
mod directories;
mod equality;
mod exemptions;
mod hostile;
mod identities;
mod inbound;
mod model;
mod mutations;
mod redaction;
mod requests;
mod side;
