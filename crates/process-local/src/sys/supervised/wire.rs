//! What host and supervisor say to each other over their socket, and how the pipes of the
//! process come to the supervisor: as descriptors, so that nobody else inherits them.

use std::io::{self, IoSlice, IoSliceMut, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use cassette_format::process::EndRequest;
use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};
use rustix::process::Pid;

/// First argument of a supervisor. Raise the number when anything here changes.
pub(super) const MARKER: &str = "process-local-supervisor-2";

/// Most descriptors that are passed on: three pipes, and a file to run.
const DESCRIPTORS: usize = 4;

/// What the host asks for. An end of the socket means [`Request::EndTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// The signal that is this request, to the group of the process.
    AskToEnd(EndRequest),
    /// SIGKILL to it.
    Kill,
    /// The end of all descendants, and of the supervisor.
    EndTree,
    /// The end of the supervisor alone.
    Leave,
}

/// What the supervisor tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    /// The process runs.
    Started(Pid),
    /// It does not, for this reason of the operating system's.
    NotStarted(i32),
    /// It has ended, with this status as `wait` gives it.
    Exited(i32),
}

impl Request {
    const ALL: [Self; 7] = [
        Self::AskToEnd(EndRequest::Interrupt),
        Self::AskToEnd(EndRequest::Terminate),
        Self::AskToEnd(EndRequest::HangUp),
        Self::AskToEnd(EndRequest::Quit),
        Self::Kill,
        Self::EndTree,
        Self::Leave,
    ];

    pub(super) fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|request| request.byte() == byte)
    }

    pub(super) fn send(self, socket: &UnixStream) -> io::Result<()> {
        send_bytes(socket, &[self.byte()])
    }

    const fn byte(self) -> u8 {
        match self {
            Self::AskToEnd(EndRequest::Interrupt) => b'i',
            Self::AskToEnd(EndRequest::Terminate) => b't',
            Self::AskToEnd(EndRequest::HangUp) => b'h',
            Self::AskToEnd(EndRequest::Quit) => b'q',
            Self::Kill => b'k',
            Self::EndTree => b'e',
            Self::Leave => b'l',
        }
    }
}

impl Report {
    const LENGTH: usize = 5;

    pub(super) fn send(self, socket: &UnixStream) -> io::Result<()> {
        send_bytes(socket, &self.bytes())
    }

    /// The next one; `None` at the end of the socket, or if it is none.
    pub(super) fn receive(mut socket: &UnixStream) -> io::Result<Option<Self>> {
        let mut bytes = [0; Self::LENGTH];
        match socket.read(&mut bytes)? {
            Self::LENGTH => Ok(Self::of(bytes)),
            _ => Ok(None),
        }
    }

    fn bytes(self) -> [u8; Self::LENGTH] {
        let (kind, number) = match self {
            Self::Started(pid) => (b's', pid.as_raw_nonzero().get()),
            Self::NotStarted(errno) => (b'n', errno),
            Self::Exited(status) => (b'x', status),
        };
        let [a, b, c, d] = number.to_le_bytes();
        [kind, a, b, c, d]
    }

    fn of([kind, a, b, c, d]: [u8; Self::LENGTH]) -> Option<Self> {
        let number = i32::from_le_bytes([a, b, c, d]);
        match kind {
            b's' => Pid::from_raw(number).map(Self::Started),
            b'n' => Some(Self::NotStarted(number)),
            b'x' => Some(Self::Exited(number)),
            _ => None,
        }
    }
}

/// Fails rather than waiting or raising SIGPIPE.
fn send_bytes(socket: &UnixStream, bytes: &[u8]) -> io::Result<()> {
    send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)?;
    Ok(())
}

pub(super) fn send_descriptors(
    socket: &UnixStream,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let some = [IoSlice::new(&[0])];
    sendmsg(socket.as_fd(), &some, &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

pub(super) fn receive_descriptors(socket: &UnixStream) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let mut some = [IoSliceMut::new(&mut byte)];
    rustix::io::retry_on_intr(|| {
        let flags = RecvFlags::CMSG_CLOEXEC;
        recvmsg(socket.as_fd(), &mut some, &mut control, flags)
    })?;
    let mut received = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            received.extend(descriptors);
        }
    }
    Ok(received)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_said_is_understood_and_the_end_too() {
        let (one, other) = UnixStream::pair().unwrap();
        let reports = [
            Report::Started(rustix::process::getpid()),
            Report::NotStarted(2),
            Report::Exited(-1),
        ];
        for report in reports {
            report.send(&one).unwrap();
            assert_eq!(Report::receive(&other).unwrap(), Some(report));
        }
        for request in Request::ALL {
            assert_eq!(Request::of(request.byte()), Some(request));
        }
        assert_eq!(Request::of(b'?'), None);
        drop(one);
        assert_eq!(Report::receive(&other).unwrap(), None);
    }

    #[test]
    fn descriptors_arrive_in_order() {
        let (one, other) = UnixStream::pair().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        send_descriptors(&one, &[other.as_fd(), writer.as_fd()]).unwrap();
        drop(writer);

        let mut received = receive_descriptors(&other).unwrap();

        assert_eq!(received.len(), 2);
        let mut writer = File::from(received.remove(1));
        writer.write_all(b"through").unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through");
    }
}
