//! `cargo xtask tidy`: the house rules that no compiler checks. One file a rule, each a function of
//! the files' texts; [`run`] lists them, [`tree`] is what they see, [`edges`] reads
//! `ARCHITECTURE.md`.

mod ambient;
mod banned_names;
mod banned_words;
mod crate_edges;
mod edges;
mod file_size;
mod forbid_unsafe;
mod json_value;
mod leftovers;
mod listing_files;
mod module_docs;
mod module_edges;
mod platform_cfg;
mod rule;
mod run;
mod select_arms;
mod suppressions;
mod syntax;
mod tree;

pub(crate) use run::tidy;
