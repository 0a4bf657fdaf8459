//! `cassette replay`: the agent, played from a cassette.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{Launch, LaunchSpec, SessionContext};
use cassette_format::store::{ReadOptions, Tape};
use cassette_replay::{Pace, PlayOptions, Player};

use crate::agent_exit;
use crate::arguments::ReplayArguments;
use crate::stdio::{Output, PassError, pass_input};

/// The client did not say what was recorded.
const MISMATCH: u8 = 120;
/// How long the client's input is looked at after the agent's end, unless it
/// ends before.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// Plays the cassette on this process's standard streams. Ends as the recorded
/// agent ended, or with 120 on a mismatch.
pub(crate) fn run(arguments: &ReplayArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(replay(arguments));
    // Reading our own input may never return; nothing waits for it.
    runtime.shutdown_timeout(Duration::ZERO);
    outcome
}

async fn replay(arguments: &ReplayArguments) -> anyhow::Result<ExitCode> {
    let registry = provider_adapters::builtin();
    let options = ReadOptions::default().for_providers(registry.providers());
    let tape = Tape::open(&arguments.cassette, &options)?;
    let connections = &tape.manifest().connections;
    let [record] = connections.as_slice() else {
        let (cassette, count) = (arguments.cassette.display(), connections.len());
        anyhow::bail!("{cassette} holds {count} connections, replay plays cassettes with one");
    };
    let mut session = SessionContext::new(record.provider.clone(), record.agent_session.clone());
    session.root_session = Some(record.root_agent_session.clone());
    let pace = if arguments.fast_forward {
        Pace::FastForward
    } else {
        Pace::AsRecorded
    };
    let player = Player::new(
        tape,
        registry,
        PlayOptions {
            pace,
            ..PlayOptions::default()
        },
    )?;
    let mut spec = LaunchSpec::new(["agent"]);
    spec.cwd = std::env::current_dir().ok();
    let connection = player.launch(&Launch::for_session(spec, session))?;
    let input = tokio::spawn(pass_input(Arc::clone(&connection)));
    let last = match Output::new().pass(connection.as_ref()).await {
        Ok(last) => last,
        Err(PassError::Recv(error)) => return Ok(mismatch(&error.into())),
        Err(PassError::Write(error)) => return Ok(agent_exit::unwritable(&error)),
    };
    // The agent has ended; what the client says still is more than was recorded.
    let _still_open = tokio::time::timeout(LAST_WORDS, input).await;
    if let Some(failure) = player.failure() {
        return Ok(mismatch(&failure.into()));
    }
    match connection.close().await {
        Err(error) => Ok(mismatch(&error.into())),
        Ok(()) => Ok(agent_exit::code(last.as_ref())),
    }
}

#[expect(
    clippy::print_stderr,
    reason = "the only place for it: stdout is the agent's"
)]
fn mismatch(error: &anyhow::Error) -> ExitCode {
    eprintln!("cassette: replay failed: {error:#}");
    ExitCode::from(MISMATCH)
}
