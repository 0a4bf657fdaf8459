//! What a supervisor knows of its host, whose part this test plays. The host's process is
//! another one, so that process and socket end apart from each other.

use std::io::{self, IoSlice, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use rustix::cmsg_space;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::agent::Watched;

/// The process that started a supervisor, the other end of the supervisor's socket, and
/// what the supervisor told first.
fn supervise(host: &str) -> (Child, UnixStream, (u8, i32)) {
    let (mut socket, theirs) = UnixStream::pair().unwrap();
    let parent = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .args(["supervise", host, "ignore-term", "sleep"])
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .unwrap();
    let (input, output) = io::pipe().unwrap();
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let pipes = [input.as_fd(), output.as_fd(), output.as_fd()];
    assert!(control.push(SendAncillaryMessage::ScmRights(&pipes)));
    let some = [IoSlice::new(&[0])];
    sendmsg(&socket, &some, &mut control, SendFlags::empty()).unwrap();
    let mut told = [0; 5];
    socket.read_exact(&mut told).unwrap();
    let [kind, a, b, c, d] = told;
    (parent, socket, (kind, i32::from_le_bytes([a, b, c, d])))
}

#[test]
fn an_agent_ends_with_the_process_of_its_host_or_with_the_socket_whichever_is_first() {
    for process_first in [true, false] {
        let (mut parent, socket, (kind, agent)) = supervise("self");
        assert_eq!(kind, b's');
        let agent = Watched::new(agent.try_into().unwrap());

        if process_first {
            parent.kill().unwrap();
            agent.await_end();
            drop(socket);
        } else {
            drop(socket);
            agent.await_end();
        }
        // The supervisor has ended by itself, or its parent would wait for ever.
        parent.wait().unwrap();
    }
}

#[test]
fn a_supervisor_whose_parent_is_not_its_host_starts_nothing() {
    let (mut parent, _socket, told) = supervise("1");

    assert_eq!(told, (b'n', Errno::SRCH.raw_os_error()));
    parent.wait().unwrap();
}
