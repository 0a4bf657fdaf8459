//! `cassette replay`: the agent, played from a cassette.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{
    Launch, LaunchSpec, PlaybackControl, ProcessConnection, SessionContext,
};
use cassette_format::schema::ConnectionRecord;
use cassette_format::store::{ReadOptions, Tape};
use cassette_replay::{ConnectError, Pace, PlayOptions, Player};

use crate::agent_exit;
use crate::arguments::ReplayArguments;
use crate::report::{self, Ending, Mismatch, Verdict};
use crate::stdio::{Output, PassError, pass_input};

type Connection = Arc<dyn ProcessConnection>;

/// The client did not say what was recorded.
const MISMATCH: u8 = 120;
/// How long the client's input is looked at after the agent's end, unless it
/// ends before.
const LAST_WORDS: Duration = Duration::from_millis(50);

/// Plays the cassette on this process's standard streams. Ends as the recorded
/// agent ended, or with 120 on a mismatch.
pub(crate) fn run(arguments: &ReplayArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(replay(arguments));
    // Reading our own input may never return; nothing waits for it.
    runtime.shutdown_timeout(Duration::ZERO);
    report::end(("replay", arguments.cassette()), outcome)
}

async fn replay(arguments: &ReplayArguments) -> anyhow::Result<Ending> {
    let registry = provider_adapters::builtin();
    let options = ReadOptions::default().for_providers(registry.providers());
    let tape = Tape::open(arguments.cassette(), &options)?;
    let record = chosen(arguments, &tape.manifest().connections)?.clone();
    let player = Player::new(tape, registry, play_options(arguments))?;
    if let Some(speed) = arguments.speed {
        player.playback().set_speed(speed);
    }
    // Held open to the end: a connection that is closed unplayed would be a failure.
    let (connection, _not_played) = launch(&player, &record)?;
    let input = pass_input(&connection);
    let last = match Output::new().pass(connection.as_ref()).await {
        Ok(last) => last,
        Err(PassError::Recv(error)) => return Ok(mismatch(&player, &error.into())),
        Err(PassError::Write(error)) => {
            let code = agent_exit::unwritable(&error);
            return Ok(Ending {
                error: Some(error.to_string()),
                ..Ending::fine(code, Verdict::Unwritable)
            });
        }
    };
    // The agent has ended; what the client says still is more than was recorded.
    let _still_open = tokio::time::timeout(LAST_WORDS, input).await;
    if let Some(failure) = player.failure() {
        return Ok(mismatch(&player, &failure.into()));
    }
    match connection.close().await {
        Err(error) => Ok(mismatch(&player, &error.into())),
        Ok(()) => Ok(Ending::fine(
            agent_exit::code(last.as_ref()),
            Verdict::Played,
        )),
    }
}

/// The connection that the user names, or the only one.
fn chosen<'t>(
    arguments: &ReplayArguments,
    connections: &'t [ConnectionRecord],
) -> anyhow::Result<&'t ConnectionRecord> {
    let cassette = arguments.cassette().display();
    let listed = || {
        let ids = connections
            .iter()
            .map(|record| record.connection_id.as_str());
        ids.collect::<Vec<_>>().join(" ")
    };
    match (&arguments.connection, connections) {
        (Some(wanted), _) => {
            let mut named = connections.iter();
            let found = named.find(|record| record.connection_id == *wanted);
            found.ok_or_else(|| anyhow::anyhow!("{cassette} has no `{wanted}`, but {}", listed()))
        }
        (None, [only]) => Ok(only),
        (None, []) => anyhow::bail!("{cassette} holds no connection"),
        (None, several) => {
            let count = several.len();
            anyhow::bail!(
                "{cassette} holds {count} connections, --connection says which is played: {}",
                listed()
            )
        }
    }
}

fn play_options(arguments: &ReplayArguments) -> PlayOptions {
    PlayOptions {
        pace: if arguments.fast_forward {
            Pace::FastForward
        } else {
            Pace::AsRecorded
        },
        idle_cap: arguments.idle_cap,
        ..PlayOptions::default()
    }
}

/// Takes the connection of `record`. Launches are counted, so those of its session
/// that came before it are taken first; they are given too.
fn launch(
    player: &Player,
    record: &ConnectionRecord,
) -> Result<(Connection, Vec<Connection>), ConnectError> {
    let connections = &player.tape().manifest().connections;
    let mut earlier: Vec<&ConnectionRecord> = connections
        .iter()
        .filter(|other| other.agent_session == record.agent_session)
        .filter(|other| other.launch_ordinal < record.launch_ordinal)
        .collect();
    earlier.sort_by_key(|other| other.launch_ordinal);
    let earlier = earlier.into_iter();
    let earlier = earlier.map(|other| player.launch(&launch_of(other)));
    let earlier = earlier.collect::<Result<_, _>>()?;
    Ok((player.launch(&launch_of(record))?, earlier))
}

fn launch_of(record: &ConnectionRecord) -> Launch {
    let mut session = SessionContext::new(record.provider.clone(), record.agent_session.clone());
    session.root_session = Some(record.root_agent_session.clone());
    let mut spec = LaunchSpec::new(["agent"]);
    spec.cwd = std::env::current_dir().ok();
    Launch::for_session(spec, session)
}

#[expect(
    clippy::print_stderr,
    reason = "the only place for it: stdout is the agent's"
)]
fn mismatch(player: &Player, error: &anyhow::Error) -> Ending {
    let error = format!("replay failed: {error:#}");
    eprintln!("cassette: {error}");
    Ending {
        error: Some(error),
        mismatch: player.failure().as_ref().and_then(Mismatch::of),
        ..Ending::fine(MISMATCH, Verdict::Mismatch)
    }
}
