//! Systems without supervisors. Compiled, and run nowhere.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus};

use cassette_format::process::EndRequest;

use crate::close::TreeEnd;
use crate::options::{Leftovers, Supervisor};
use crate::sys::unix::PipeEnds;

/// No such thing here.
#[derive(Debug)]
pub(crate) struct Supervised(Infallible);

/// Nobody is started as one here.
pub(crate) const fn run_if_requested() {}

pub(crate) const fn is_supported() -> bool {
    false
}

impl Supervised {
    pub(crate) fn start(
        _command: &Command,
        _name: &OsStr,
        _supervisor: &Supervisor,
        _verified: Option<&File>,
    ) -> io::Result<(Self, PipeEnds)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) const fn id(&self) -> u32 {
        match self.0 {}
    }

    pub(crate) const fn ask_to_end(&mut self, _request: EndRequest) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) const fn kill(&mut self) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) const fn end_tree(&mut self, _leftovers: Leftovers) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) const fn has_exited(&mut self) -> bool {
        match self.0 {}
    }

    pub(crate) const fn exit_descriptor(&self) -> io::Result<OwnedFd> {
        match self.0 {}
    }

    pub(crate) const fn tree_descriptor(&self) -> io::Result<OwnedFd> {
        match self.0 {}
    }

    pub(crate) const fn tree(&mut self) -> TreeEnd {
        match self.0 {}
    }

    pub(crate) const fn reap(self) -> io::Result<Option<ExitStatus>> {
        match self.0 {}
    }

    pub(crate) const fn end_now(self) {
        match self.0 {}
    }
}
