//! Proxies that do nothing but copy: the least that any proxy costs.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::agent::BLOCK;

/// Two threads that block.
pub(crate) fn threads(command: &[&str]) {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = child.stdin.take().unwrap();
    let output = child.stdout.take().unwrap();
    std::thread::spawn(move || copy(std::io::stdin(), input));
    copy(output, std::io::stdout());
    child.wait().unwrap();
}

fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = vec![0; BLOCK];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let written = to.write_all(&buffer[..count]).and_then(|()| to.flush());
        if written.is_err() {
            return;
        }
    }
}

/// Two tasks on a runtime as it comes.
pub(crate) fn tasks(command: &[&str]) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut child = tokio::process::Command::new(command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        tokio::spawn(async move { tokio::io::copy(&mut tokio::io::stdin(), &mut input).await });
        tokio::io::copy(&mut output, &mut tokio::io::stdout())
            .await
            .unwrap();
        child.wait().await.unwrap();
    });
    runtime.shutdown_background();
}
