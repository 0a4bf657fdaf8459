//! The fake agent as a host that ends while an agent of its own runs.

use std::env;
use std::io::{self, Read as _, Write as _};
use std::process::{self, ExitCode};
use std::thread;

use cassette_format::process::{Frame, FrameEvent, LaunchSpec, ProcessConnection as _};
use process_local::{LocalOptions, Supervisor, VerifyMode, identify, spawn};
use tokio::runtime::Builder;
use tokio::sync::oneshot;

/// Runs an agent, says its id, passes its output on, and ends with its own input:
/// by `return`, or by `exit`, which drops nothing.
pub(crate) fn host(
    supervisor: Supervisor,
    mut arguments: impl Iterator<Item = String>,
) -> io::Result<ExitCode> {
    let end = arguments.next().unwrap_or_default();
    let mut argv = vec![env::current_exe()?.into_os_string()];
    argv.extend(arguments.map(Into::into));
    let (tell, mut input_ended) = oneshot::channel();
    thread::spawn(move || tell.send(io::stdin().read_to_end(&mut Vec::new())));

    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let options = LocalOptions {
            supervisor,
            ..LocalOptions::default()
        };
        let agent = spawn(LaunchSpec::new(argv), options);
        let agent = agent.map_err(io::Error::other)?;
        crate::say(agent.process_id())?;
        loop {
            tokio::select! {
                _ = &mut input_ended => break,
                frame = agent.recv() => pass_on(frame.map_err(io::Error::other)?)?,
            }
        }
        if end == "exit" {
            #[expect(clippy::exit, reason = "to end without dropping anything is the point")]
            process::exit(0);
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Runs a file as it is, verified, and passes its output on until it ends: with itself as
/// supervisor, and with the file leased, if `how` says so.
pub(crate) fn run_verified(
    how: &str,
    mut arguments: impl Iterator<Item = String>,
) -> io::Result<ExitCode> {
    let mut options = LocalOptions::default();
    if how.starts_with("supervised") {
        options.supervisor = Supervisor::SelfExe;
    }
    if how.ends_with("leased") {
        options.verify.mode = VerifyMode::Leased;
    }
    let file = arguments.next().unwrap_or_default();
    let identity = identify(&file).map_err(io::Error::other)?;
    let mut launch = LaunchSpec::new([file].into_iter().chain(arguments));
    launch.executable = Some(identity);

    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let agent = spawn(launch, options).map_err(io::Error::other)?;
        while let Some(frame) = agent.recv().await.map_err(io::Error::other)? {
            pass_on(Some(frame))?;
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn pass_on(frame: Option<Frame>) -> io::Result<()> {
    if let Some(FrameEvent::Stdout(bytes)) = frame.map(|frame| frame.event) {
        io::stdout().write_all(&bytes)?;
        io::stdout().flush()?;
    }
    Ok(())
}
