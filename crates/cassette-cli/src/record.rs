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
use cassette_record::{LiveTraffic, RecordOptions, Recorder};
use process_local::{LocalOptions, LocalTransport};

use crate::agent_exit;
use crate::arguments::RecordArguments;
use crate::place::Place;
use crate::report::{self, Ending, Verdict};
use crate::stdio::{Output, PassError, pass_input};
use crate::sys::EndRequests;

/// Runs the command and records it. Ends as the command ended.
pub(crate) fn run(arguments: &RecordArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let output = arguments.output.clone();
    let output = output.unwrap_or_else(|| default_output(&arguments.command));
    let outcome = runtime.block_on(record(arguments, output.clone()));
    // Reading our own input may never return; nothing waits for it.
    runtime.shutdown_timeout(Duration::ZERO);
    report::end(("record", &output), outcome)
}

async fn record(arguments: &RecordArguments, output: PathBuf) -> anyhow::Result<Ending> {
    let requests = EndRequests::listen();
    let place = if arguments.replace {
        Place::replacing(output)?
    } else {
        Place::new(output)
    };
    let options = RecordOptions {
        annotations: annotations(),
        live: LiveTraffic::GoesOn,
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(place.working(), provider_adapters::builtin(), options)?;
    let transport = recorder.wrap(LocalTransport::new(LocalOptions::default()));
    let session = SessionContext::new(arguments.provider.clone(), arguments.session.clone());
    let mut spec = LaunchSpec::new(arguments.command.clone());
    spec.cwd = std::env::current_dir().ok();
    if report::file().is_some() {
        // The file is for this command's report, not for one that the command writes.
        spec = spec.with_variable(report::VARIABLE, "");
    }
    let started = transport.start(Launch::for_session(spec, session)).await;
    let connection = match started {
        Ok(connection) => connection,
        Err(error) => {
            // It holds nothing; what cannot be removed is left.
            let _aborted = recorder.abort();
            place.discard();
            return Err(error).context("nothing was recorded");
        }
    };
    let passed = proxy(connection, requests).await;
    let ending = tell(&recorder, &place);
    match passed {
        Ok(last) => Ok(Ending {
            code: agent_exit::code(last.as_ref()),
            ..ending
        }),
        Err(PassError::Recv(error)) => Err(error.into()),
        Err(PassError::Write(error)) => {
            say(&format!(
                "cannot write to standard output or error: {error}"
            ));
            Ok(Ending {
                code: agent_exit::unwritable(&error),
                ..ending
            })
        }
    }
}

/// Passes everything both ways until the command has ended. Asked to end, it
/// asks the command; asked again, it kills it.
async fn proxy(
    connection: Arc<dyn ProcessConnection>,
    mut requests: EndRequests,
) -> Result<Option<Frame>, PassError> {
    let input = tokio::spawn(pass_input(Arc::clone(&connection)));
    let mut output = Output::new();
    let passed = {
        let mut passing = std::pin::pin!(output.pass(connection.as_ref()));
        let mut asked = 0_u32;
        loop {
            tokio::select! {
                passed = &mut passing => break passed,
                () = requests.next() => {
                    asked += 1;
                    // One that has ended already needs no asking.
                    let _ended = match asked {
                        1 => connection.terminate().await,
                        _ => connection.kill().await,
                    };
                }
            }
        }
    };
    input.abort();
    // What does not end now is killed with the connection.
    let _ended = connection.close().await;
    passed
}

/// Completes the cassette and says on standard error how that went; the
/// command's own end is what this command ends with.
fn tell(recorder: &Recorder, place: &Place) -> Ending {
    let settled = match recorder.finish() {
        Ok(_) => place.settle(),
        Err(error) => {
            let incomplete = format!("{} is incomplete", place.working().display());
            Err(anyhow::Error::new(error).context(incomplete))
        }
    };
    match settled {
        Ok(()) => {
            say(&format!("recorded to {}", place.output().display()));
            Ending::fine(0, Verdict::Recorded)
        }
        Err(error) => {
            let error = format!("{error:#}");
            say(&error);
            Ending {
                error: Some(error),
                ..Ending::fine(0, Verdict::Incomplete)
            }
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "the only place for it: stdout is the agent's"
)]
fn say(text: &str) {
    eprintln!("cassette: {text}");
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
