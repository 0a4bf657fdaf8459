//! The forms in which a value may stand in bytes.

mod base64_forms;
mod hex_forms;
mod json_escaper;
mod needle_forms;
mod percent_forms;

pub(super) use needle_forms::needle_forms;
