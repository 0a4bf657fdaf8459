//! `cassette record`: a transparent proxy around a command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use cassette_format::process::{
    Frame, Launch, LaunchSpec, ProcessConnection, ProcessTransport, RecvError, SendError,
    SessionContext,
};
use cassette_format::schema::{Annotations, Origin, ProviderId, SyncPolicy, Tool};
use cassette_record::{FoundSecret, LiveTraffic, RecordOptions, Recorder, SecretOptions};
use process_local::{LocalOptions, LocalTransport, Supervisor};

use crate::agent_exit;
use crate::arguments::RecordArguments;
use crate::failure;
use crate::place::Place;
use crate::provider_guess::provider_of;
use crate::report::{self, Ending, Verdict};
use crate::stdio::{EarlyInput, Output, PassError, Passed, pass_input};
use crate::sys::EndRequests;

/// The recording has failed where that is not to be passed over.
const FAILED: u8 = 121;
/// How long a client's first message is waited for where the command says nothing of what
/// it speaks.
const FIRST_MESSAGE: Duration = Duration::from_millis(300);

/// Runs the command and records it. Ends as the command ended.
pub(crate) fn run(arguments: &RecordArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let output = arguments.output.clone();
    let output = output.unwrap_or_else(|| default_output(&arguments.command));
    let outcome = runtime.block_on(record(arguments, output.clone()));
    // Reading our own input may never return; nothing waits for it.
    runtime.shutdown_timeout(Duration::ZERO);
    report::end(("record", &output), &arguments.report, outcome)
}

async fn record(arguments: &RecordArguments, output: PathBuf) -> anyhow::Result<Ending> {
    let requests = EndRequests::listen();
    let place = if arguments.replace {
        Place::replacing(output)?
    } else {
        Place::new(output)?
    };
    let registry = arguments.descriptors.registry()?;
    let options = RecordOptions {
        annotations: annotations(),
        live: if arguments.fail_closed {
            LiveTraffic::FailsToo
        } else {
            LiveTraffic::GoesOn
        },
        secrets: SecretOptions {
            found: if arguments.redact_secrets {
                FoundSecret::Replace
            } else {
                FoundSecret::Reject
            },
            ..SecretOptions::default()
        },
        ..RecordOptions::default()
    };
    let recorder = Recorder::create(place.working(), registry, options)?;
    let transport = recorder.wrap(LocalTransport::new(local_options(arguments)));
    let (provider, early) = provider(arguments).await;
    let mut session = SessionContext::new(provider, arguments.session.clone());
    session.home_roots = arguments.roots.named();
    let mut spec = LaunchSpec::new(arguments.command.clone());
    spec.cwd = std::env::current_dir().ok();
    if report::file_of_environment().is_some() {
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
    let input = match early {
        Some(early) => early.pass(&connection),
        None => pass_input(&connection),
    };
    let passed = proxy(connection, input, requests).await;
    let ending = tell(&recorder, &place);
    let is_complete_required = arguments.fail_closed || arguments.require_complete;
    if is_complete_required && ending.verdict == Verdict::Incomplete {
        return Ok(Ending {
            code: FAILED,
            ..ending
        });
    }
    let code = match passed {
        Ok(last) => agent_exit::code(last.as_ref()),
        Err(PassError::Recv(error)) => return Err(error.into()),
        Err(PassError::Write(error)) => {
            say(&format!(
                "cannot write to standard output or error: {error}"
            ));
            agent_exit::unwritable(&error)
        }
    };
    Ok(Ending { code, ..ending })
}

fn local_options(arguments: &RecordArguments) -> LocalOptions {
    LocalOptions {
        supervisor: if arguments.supervised {
            Supervisor::SelfExe
        } else {
            Supervisor::None
        },
        ..LocalOptions::default()
    }
}

/// The provider that the user names, or the one that the command looks like, or else the
/// one that the client's first message does; and the input that was read to know it.
async fn provider(arguments: &RecordArguments) -> (ProviderId, Option<EarlyInput>) {
    if let Some(named) = &arguments.provider {
        return (named.clone(), None);
    }
    let (mut guess, mut early, mut by) = (provider_of(&arguments.command), None, "the command");
    if guess == "raw" {
        let mut input = EarlyInput::read();
        guess = input.provider(FIRST_MESSAGE).await;
        (early, by) = (Some(input), "its first message");
    }
    say(&match guess {
        "raw" => "nothing is known of what the command speaks: to replay, the very same bytes are needed; \
            --provider ID says what it speaks"
            .to_owned(),
        guess => format!("{by} looks like {guess}; if it is not, say --provider ID"),
    });
    (ProviderId::from_recorded(guess), early)
}

/// Passes everything both ways until the command has ended. Asked to end, it
/// asks the command; asked again, it kills it.
async fn proxy(
    connection: Arc<dyn ProcessConnection>,
    mut input: Passed,
    mut requests: EndRequests,
) -> Result<Option<Frame>, PassError> {
    let mut is_input_open = true;
    let mut output = Output::new();
    let passed = {
        let mut passing = std::pin::pin!(output.pass(connection.as_ref()));
        let mut asked = 0_u32;
        loop {
            tokio::select! {
                passed = &mut passing => break passed,
                passed = &mut input, if is_input_open => {
                    is_input_open = false;
                    // What was refused is never answered.
                    if let Ok(Err(SendError::Failed(failure))) = passed {
                        break Err(PassError::Recv(RecvError::Failed(failure)));
                    }
                }
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
    drop(input);
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
    for secret in recorder.unwatched_secrets() {
        say(&format!("not looked for on the tape: {secret}"));
    }
    match settled {
        Ok(()) => {
            let redacted = recorder.manifest().annotations.redactions;
            let redacted = redacted.map_or_else(String::new, |redacted| {
                format!(
                    ", redacted {}: {}",
                    redacted.rules.join(" "),
                    redacted.count
                )
            });
            say(&format!(
                "recorded to {}{redacted}",
                place.output().display()
            ));
            Ending::fine(0, Verdict::Recorded)
        }
        Err(error) => {
            let hint = failure::hint(&error);
            let error = format!("{error:#}");
            say(&error);
            failure::say_hint(hint);
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
