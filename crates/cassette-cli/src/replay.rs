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
use tokio::time::timeout;

use crate::agent_exit;
use crate::arguments::ReplayArguments;
use crate::failure;
use crate::open_end::OpenEnd;
use crate::report::{self, Ending, Mismatch, Verdict};
use crate::stdio::{Output, PassError, pass_input};
use crate::sys::EndRequests;

type Connection = Arc<dyn ProcessConnection>;

/// The client did not say what was recorded.
const MISMATCH: u8 = 120;
/// The client did not wait for the end.
const INTERRUPTED: u8 = 130;
/// How long the client's input is looked at after the agent's end or a request to
/// end, unless it ends before.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(50);

/// Plays the cassette on this process's standard streams. Ends as the recorded
/// agent ended, or with 120 on a mismatch.
pub(crate) fn run(arguments: &ReplayArguments) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(replay(arguments));
    // Reading our own input may never return; nothing waits for it.
    runtime.shutdown_timeout(Duration::ZERO);
    let what = ("replay", arguments.cassette());
    report::end(what, &arguments.report, outcome)
}

async fn replay(arguments: &ReplayArguments) -> anyhow::Result<Ending> {
    let requests = EndRequests::listen();
    if let Some(option) = arguments.misplaced() {
        say(&format!(
            "`--{option}` behind the directory is ignored, as the agent's arguments are"
        ));
    }
    let registry = arguments.descriptors.registry()?;
    let options = ReadOptions::default().for_providers(registry.providers());
    let tape = Tape::open(arguments.cassette(), &options)?;
    let record = chosen(arguments, &tape.manifest().connections)?.clone();
    let player = Player::new(tape, registry, play_options(arguments))?;
    if let Some(speed) = arguments.speed {
        player.playback().set_speed(speed);
    }
    // Held open to the end: a connection that is closed unplayed would be a failure.
    let (connection, _not_played) = launch(&player, &record, &arguments.roots.named())?;
    let passing = pass(&player, &connection, &record);
    let code = match until_asked_twice(&player, connection.as_ref(), passing, requests).await {
        None => {
            return Ok(Ending {
                error: Some("asked twice to end".into()),
                ..Ending::fine(INTERRUPTED, Verdict::Interrupted)
            });
        }
        Some(Ok(code)) => code,
        Some(Err(PassError::Recv(error))) => return Ok(mismatch(&player, &error.into())),
        Some(Err(PassError::Write(error))) => {
            let code = agent_exit::unwritable(&error);
            return Ok(Ending {
                error: Some(error.to_string()),
                ..Ending::fine(code, Verdict::Unwritable)
            });
        }
    };
    if let Some(failure) = player.failure() {
        return Ok(mismatch(&player, &failure.into()));
    }
    match connection.close().await {
        Err(error) => Ok(mismatch(&player, &error.into())),
        Ok(()) => Ok(Ending::fine(code, Verdict::Played)),
    }
}

/// Passes everything on until the agent ends, and gives the exit code that stands for it.
async fn pass(
    player: &Player,
    connection: &Connection,
    record: &ConnectionRecord,
) -> Result<u8, PassError> {
    let mut input = pass_input(connection);
    if let Some(end) = OpenEnd::of(player.tape(), &record.connection_id) {
        return end.pass(connection.as_ref(), &mut input).await.map(|()| 0);
    }
    let last = Output::new().pass(connection.as_ref()).await?;
    // What the client says still is more than was recorded.
    let _still_open = timeout(LAST_WORDS, input).await;
    Ok(agent_exit::code(last.as_ref()))
}

/// Passes on what the agent says until its end. Asked to end, it does so at once,
/// without further input; asked again, nothing is passed on any more.
async fn until_asked_twice(
    player: &Player,
    connection: &dyn ProcessConnection,
    passing: impl Future<Output = Result<u8, PassError>>,
    mut requests: EndRequests,
) -> Option<Result<u8, PassError>> {
    let mut passing = std::pin::pin!(passing);
    tokio::select! {
        passed = &mut passing => return Some(passed),
        () = requests.next() => player.playback().set_fast_forward(true),
    }
    let again = async {
        // What was written before the request may not have been read yet.
        tokio::time::sleep(LAST_WORDS).await;
        let _already_ended = connection.close_input().await;
        requests.next().await;
    };
    tokio::select! {
        passed = &mut passing => Some(passed),
        () = again => None,
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
    roots: &[String],
) -> Result<(Connection, Vec<Connection>), ConnectError> {
    let connections = &player.tape().manifest().connections;
    let mut earlier: Vec<&ConnectionRecord> = connections
        .iter()
        .filter(|other| other.agent_session == record.agent_session)
        .filter(|other| other.launch_ordinal < record.launch_ordinal)
        .collect();
    earlier.sort_by_key(|other| other.launch_ordinal);
    let earlier = earlier.into_iter();
    let earlier = earlier.map(|other| player.launch(&launch_of(other, roots)));
    let earlier = earlier.collect::<Result<_, _>>()?;
    Ok((player.launch(&launch_of(record, roots))?, earlier))
}

fn launch_of(record: &ConnectionRecord, roots: &[String]) -> Launch {
    let mut session = SessionContext::new(record.provider.clone(), record.agent_session.clone());
    session.root_session = Some(record.root_agent_session.clone());
    session.home_roots = roots.to_vec();
    let mut spec = LaunchSpec::new(["agent"]);
    spec.cwd = std::env::current_dir().ok();
    Launch::for_session(spec, session)
}

#[expect(
    clippy::print_stderr,
    reason = "the only place for it: stdout is the agent's"
)]
fn say(text: &str) {
    eprintln!("cassette: {text}");
}

fn mismatch(player: &Player, error: &anyhow::Error) -> Ending {
    let noticed = player.failure();
    let error = match &noticed {
        Some(failure) => format!("replay failed: {failure:#}"),
        None => format!("replay failed: {error:#}"),
    };
    say(&error);
    failure::say_hint(noticed.as_ref().and_then(failure::of_play));
    Ending {
        error: Some(error),
        mismatch: noticed.as_ref().and_then(Mismatch::of),
        ..Ending::fine(MISMATCH, Verdict::Mismatch)
    }
}
