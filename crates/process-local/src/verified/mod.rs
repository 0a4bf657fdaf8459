//! Running bytes that were verified: the executable's, and those of a script.

mod environment;
mod error;
mod executable;
mod file;
mod node;
mod options;
mod run;

pub use environment::{PASSED_ON, REFUSED};
pub(crate) use environment::{is_refused, refused_override};
pub use error::{Refusal, VerifyError};
pub use executable::{Method, VerifiedExecutable};
pub use file::identify;
pub use node::{LARGEST_SCRIPT, NodeRun, VerifiedNodeRunner};
pub use options::{VerifyMode, VerifyOptions};
pub use run::{
    LARGEST_OUTPUT, RunError, RunOptions, RunOutput, run_verified, run_verified_bounded,
};
