//! `cargo xtask ci`: everything that must hold before a change is accepted, one step after the
//! other. [`plan`] says what the steps are.

mod invocation;
mod plan;
mod progress;
mod work_tree;

pub(crate) use invocation::{Invocation, host_target, rustflags_with_cfg};
pub(crate) use plan::{STOCK_MEMBER, ci};
pub(crate) use progress::Outcome;
