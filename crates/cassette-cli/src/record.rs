//! `cassette record`: a transparent proxy around a command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use cassette_format::process::{
    Frame, Launch, LaunchSpec, ProcessConnection, ProcessTransport, SessionContext,
};
use cassette_format::schema::{Annotations, Origin, SyncPolicy, Tool};
use cassette_record::{Existing, LiveTraffic, RecordOptions, Recorder};
use process_local::{LocalOptions, LocalTransport};

use crate::arguments::RecordArguments;
use crate::stdio::{Output, pass_input};
use crate::{agent_exit, sys};

/// Runs the command and records it. Ends as the command ended.
pub(crate) fn run(arguments: &RecordArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(record(arguments));
    // Reading our own input may never return; nothing waits for it.
    runtime.shutdown_timeout(Duration::ZERO);
    outcome
}

async fn record(arguments: &RecordArguments) -> anyhow::Result<ExitCode> {
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| default_output(&arguments.command));
    let options = RecordOptions {
        annotations: annotations(),
        existing: if arguments.replace {
            Existing::Replace
        } else {
            Existing::Refuse
        },
        live: LiveTraffic::GoesOn,
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(&output, provider_adapters::builtin(), options)?;
    let transport = recorder.wrap(LocalTransport::new(LocalOptions::default()));
    let session = SessionContext::new(arguments.provider.clone(), arguments.session.clone());
    let mut spec = LaunchSpec::new(arguments.command.clone());
    spec.cwd = std::env::current_dir().ok();
    let started = transport.start(Launch::for_session(spec, session)).await;
    let connection = match started {
        Ok(connection) => connection,
        Err(error) => {
            discard(&recorder, &output);
            return Err(error).context("nothing was recorded");
        }
    };
    let last = proxy(connection).await?;
    tell(&recorder, &output);
    Ok(agent_exit::code(last.as_ref()))
}

/// Passes everything both ways until the command has ended.
async fn proxy(connection: Arc<dyn ProcessConnection>) -> anyhow::Result<Option<Frame>> {
    let input = tokio::spawn(pass_input(Arc::clone(&connection)));
    let mut output = Output::new();
    let mut asked = std::pin::pin!(sys::asked_to_end());
    let mut asking = true;
    let passed = {
        let mut passing = std::pin::pin!(output.pass(connection.as_ref()));
        loop {
            tokio::select! {
                passed = &mut passing => break passed,
                () = &mut asked, if asking => {
                    asking = false;
                    // One that has ended already needs no asking.
                    let _ended = connection.terminate().await;
                }
            }
        }
    };
    input.abort();
    connection.close().await?;
    Ok(passed?)
}

/// Completes the cassette and says on standard error how that went; the
/// command's own end is what this command ends with.
#[expect(
    clippy::print_stderr,
    reason = "the only place for it: stdout is the agent's"
)]
fn tell(recorder: &Recorder, output: &Path) {
    match recorder.finish() {
        Ok(_) => eprintln!("cassette: recorded to {}", output.display()),
        Err(error) => {
            let error = anyhow::Error::new(error);
            eprintln!("cassette: {} is incomplete: {error:#}", output.display());
        }
    }
}

/// Removes the cassette of a command that did not start.
fn discard(recorder: &Recorder, output: &Path) {
    let _aborted = recorder.abort();
    for file in [
        cassette_format::store::MANIFEST_FILE,
        cassette_format::store::FRAMES_FILE,
    ] {
        let _still_there = std::fs::remove_file(output.join(file));
    }
    let _not_empty = std::fs::remove_dir(output);
}

fn annotations() -> Annotations {
    Annotations {
        tool: Some(Tool {
            name: "cassette".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            unknown: Vec::new(),
        }),
        origin: Some(Origin::Recorded),
        sync_policy: Some(SyncPolicy::OnFinish),
        ..Annotations::default()
    }
}

/// `<command>.cassette` in the current directory.
fn default_output(command: &[std::ffi::OsString]) -> PathBuf {
    let name = command
        .first()
        .and_then(|command| Path::new(command).file_stem());
    let mut name = name.map_or_else(|| "agent".into(), std::ffi::OsStr::to_os_string);
    name.push(".cassette");
    PathBuf::from(name)
}
