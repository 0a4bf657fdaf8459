//! Replay vectors: tapes are loaded and played by a scripted client, on a paused clock.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{
    Frame, FrameEvent, Inheritance, InputUnit, Launch, LaunchSpec, PlaybackControl,
    ProcessConnection, ProcessTransport, SessionContext, Speed, UnitPosition,
};
use cassette_format::schema::{AgentSessionId, ChunkSeq, ConnectionId, ProviderId};
use cassette_format::store::{OpenError, ReadOptions, Tape};
use cassette_replay::{PlayOptions, Player, Registration, SessionPlayer};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::class;
use crate::outcome::same;
use crate::payload;
use crate::vector::{Outcome, Vector};

/// How long the script waits after a step that goes on in the background.
const PAUSE: Duration = Duration::from_millis(40);

/// Loads the tapes of `vector` and plays its steps, on a clock that goes on only when
/// nothing else does.
pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    run_on(vector, expect, true)
}

fn run_on(vector: &Vector, expect: &Value, is_paused: bool) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(is_paused)
        .build()
        .unwrap();
    runtime.block_on(async {
        let played = load(&vector.input);
        let loaded = match &played {
            Ok(_) => json!({"ok": true}),
            Err(class) => json!({"error": class}),
        };
        if let Err(reason) = same("load", &expect["load"], &loaded) {
            return Outcome::Failed(reason);
        }
        match played {
            Ok(played) => {
                // A loaded machine takes its time.
                let slack = if is_paused { 1 } else { 50 };
                let ops = &vector.input["ops"];
                Client::new(played, slack).play(ops, expect).await
            }
            Err(_) => Outcome::Passed,
        }
    })
}

/// What is played.
#[derive(Clone)]
enum Played {
    One(Player),
    Several(SessionPlayer),
}

fn load(input: &Value) -> Result<Played, &'static str> {
    let home = input["home"].as_str().unwrap_or("/oracle-home");
    let options = PlayOptions {
        fallback_home: Some(home.to_owned()),
        ..PlayOptions::default()
    };
    let registry = provider_adapters::builtin();
    if !input["session"].as_bool().unwrap_or_default() {
        let tape = open(&input["files"]).map_err(|error| class::of_open(&error))?;
        return Ok(Played::One(Player::new(tape, registry, options).unwrap()));
    }
    let registrations = input["registrations"].as_array().unwrap().iter();
    let registrations: Vec<Registration> = registrations
        .map(|it| Registration {
            cassette_id: it["cassetteId"].as_str().unwrap_or_default().to_owned(),
            root: AgentSessionId::from_recorded(it["rootAgentSessionId"].as_str().unwrap()),
            tape: open(&it["files"]).unwrap(),
        })
        .collect();
    let player = SessionPlayer::new(registrations, &registry, &options);
    player
        .map(Played::Several)
        .map_err(|error| class::of_registration(&error))
}

fn open(files: &Value) -> Result<Tape, OpenError> {
    let scratch = tempfile::tempdir().unwrap();
    for (name, text) in files.as_object().into_iter().flatten() {
        fs::write(scratch.path().join(name), text.as_str().unwrap()).unwrap();
    }
    let registry = provider_adapters::builtin();
    let options = ReadOptions::default().for_providers(registry.providers());
    Tape::open(scratch.path(), &options)
}

/// The client that a vector scripts.
struct Client {
    played: Played,
    connections: HashMap<String, Arc<dyn ProcessConnection>>,
    /// Steps that go on in the background.
    tasks: HashMap<String, JoinHandle<Value>>,
    /// By what the longest times are multiplied.
    slack: u32,
}

impl Client {
    fn new(played: Played, slack: u32) -> Self {
        Self {
            slack,
            played,
            connections: HashMap::new(),
            tasks: HashMap::new(),
        }
    }

    async fn play(mut self, ops: &Value, expect: &Value) -> Outcome {
        for (at, op) in ops.as_array().into_iter().flatten().enumerate() {
            let (began, what) = (Instant::now(), format!("step {}", at + 1));
            let actual = self.step(op).await;
            if let Err(reason) = same(&what, &without_empty(&expect["ops"][at]), &actual) {
                return Outcome::Failed(reason);
            }
            let took = began.elapsed();
            let within = |limit: &str| op[limit].as_u64().map(Duration::from_millis);
            let is_short = within("minMs").is_some_and(|least| took < least);
            if is_short || within("maxMs").is_some_and(|most| took > most * self.slack) {
                return Outcome::Failed(format!("{what}: took {took:?}"));
            }
        }
        Outcome::Passed
    }

    /// What a step comes to.
    async fn step(&mut self, op: &Value) -> Value {
        let text = |name: &str| op[name].as_str().unwrap_or_default();
        match text("op") {
            "start" => return self.start(op).await,
            "poll" => {
                sleep(PAUSE).await;
                return json!({"pending": !self.tasks[text("id")].is_finished()});
            }
            "join" => return self.tasks.remove(text("id")).unwrap().await.unwrap(),
            "sleep" => {
                sleep(Duration::from_millis(op["ms"].as_u64().unwrap())).await;
                return json!({"ok": true});
            }
            _ => {}
        }
        let Some(connection) = self.connections.get(text("conn")).cloned() else {
            return self.control(op);
        };
        let player = self.player().clone();
        let work = on_connection(op.clone(), connection, player);
        match op["async"].as_str() {
            Some(name) => {
                self.tasks.insert(name.to_owned(), tokio::spawn(work));
                sleep(PAUSE).await;
                json!({"started": true})
            }
            None => work.await,
        }
    }

    async fn start(&mut self, op: &Value) -> Value {
        let started = match &self.played {
            Played::One(player) => player.start(launch(&op["spec"])).await,
            Played::Several(player) => player.start(launch(&op["spec"])).await,
        };
        match started {
            Ok(connection) => {
                let id = played_connection(&connection).await;
                let name = op["conn"].as_str().unwrap_or_default().to_owned();
                self.connections.insert(name, connection);
                let tape = self.player().tape().manifest();
                let mut records = tape.connections.iter();
                let record = records.find(|record| record.connection_id == id).unwrap();
                json!({
                    "ok": true,
                    "connectionId": id.as_str(),
                    "captureOrigin": record.capture_origin.as_str(),
                })
            }
            Err(error) => json!({"error": class::of_start(&error)}),
        }
    }

    /// The player of the only tape, or of the first of several.
    fn player(&self) -> &Player {
        match &self.played {
            Played::One(player) => player,
            Played::Several(player) => player.players().next().unwrap().1,
        }
    }

    fn control(&self, op: &Value) -> Value {
        let player = match (&self.played, op["cassette"].as_str()) {
            (Played::Several(players), Some(id)) => match players.player(id) {
                Ok(player) => player,
                Err(error) => return json!({"error": class::of_not_registered(&error)}),
            },
            _ => self.player(),
        };
        let playback = player.playback();
        match op["op"].as_str().unwrap() {
            "verifyComplete" | "finalize" => match player.verify_complete() {
                Ok(()) => return json!({"ok": true}),
                Err(error) => return json!({"error": class::of_incomplete(&error)}),
            },
            "finalizeAll" => {
                let Played::Several(players) = &self.played else {
                    panic!("one tape")
                };
                let failures = players.verify_complete().err();
                let first = failures.and_then(|it| it.failures.into_iter().next());
                return first.map_or(
                    json!({"ok": true}),
                    |(_, error)| json!({"error": class::of_incomplete(&error)}),
                );
            }
            "failure" => {
                return player.failure().map_or(
                    json!({"ok": true}),
                    |error| json!({"error": class::of_play(&error)}),
                );
            }
            "playbackState" => {
                let state = playback.state();
                return json!({"state": {
                    "drained": state.drained,
                    "fastForward": state.fast_forward,
                    "paused": state.paused,
                    "speed": state.speed.factor(),
                }});
            }
            "setSpeed" => match Speed::try_from(op["speed"].as_f64().unwrap()) {
                Ok(speed) => playback.set_speed(speed),
                Err(_) => return json!({"error": "unsupported-speed"}),
            },
            "pause" => playback.pause(),
            "resume" => playback.resume(),
            "fastForward" => playback.set_fast_forward(op["enabled"].as_bool().unwrap()),
            "setCursor" => {
                let targets: Vec<UnitPosition> = op["targets"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(position)
                    .collect();
                if let Err(error) = playback.set_cursor(&targets) {
                    return json!({"error": class::of_cursor(&error)});
                }
            }
            "clearCursor" => playback.clear_cursor(),
            "cursorState" => {
                let cursor = playback.cursor();
                let cursor: serde_json::Map<String, Value> = cursor
                    .into_iter()
                    .map(|it| {
                        let id = it.connection_id.to_string();
                        let place = json!({
                            "connectionId": id,
                            "chunkSeq": it.chunk_seq.get(),
                            "unitIndex": it.unit_index,
                        });
                        (id, place)
                    })
                    .collect();
                return json!({"cursor": cursor});
            }
            other => panic!("unknown step {other}"),
        }
        json!({"ok": true})
    }
}

/// What is expected, without an empty `stdout`, which may be left out.
fn without_empty(expected: &Value) -> Value {
    let mut expected = expected.clone();
    if let Some(frame) = expected.get_mut("frame").and_then(Value::as_object_mut) {
        frame.retain(|key, value| key != "stdout" || !payload::bytes(value).is_empty());
    }
    expected
}

/// A step with one connection.
async fn on_connection(op: Value, connection: Arc<dyn ProcessConnection>, player: Player) -> Value {
    let limit = Duration::from_millis(op["timeoutMs"].as_u64().unwrap_or(3000));
    let controlled = |ended: Result<(), cassette_format::process::ControlError>| match ended {
        Ok(()) => json!({"ok": true}),
        Err(error) => json!({"error": class::of_control(&error)}),
    };
    match op["op"].as_str().unwrap() {
        "send" => match timeout(limit, connection.send(&payload::bytes(&op["data"]))).await {
            Ok(Ok(())) => json!({"ok": true}),
            Ok(Err(error)) => json!({"error": class::of_send(&error)}),
            Err(_) => json!({"blocked": true}),
        },
        "recv" => match timeout(limit, connection.recv()).await {
            Ok(Ok(Some(frame))) => json!({"frame": described(&frame)}),
            Ok(Ok(None)) => json!({"error": "eof"}),
            Ok(Err(error)) => json!({"error": class::of_recv(&error)}),
            Err(_) => json!({"blocked": true}),
        },
        "close" => controlled(connection.close().await),
        "closeInput" => controlled(connection.close_input().await),
        "terminate" => controlled(connection.terminate().await),
        "kill" => controlled(connection.kill().await),
        "completeUnit" => {
            let unit = InputUnit {
                position: position(&op["position"]),
            };
            match timeout(limit, connection.complete_input_unit(unit)).await {
                Ok(Ok(())) => json!({"ok": true}),
                Ok(Err(error)) => json!({"error": class::of_unit(&error)}),
                Err(_) => json!({"blocked": true}),
            }
        }
        "waitProgress" => {
            let duration = Duration::from_millis(op["durationMs"].as_u64().unwrap());
            let id = played_connection(&connection).await;
            match player.wait_for_progress(&id, duration).await {
                Ok(()) => json!({"ok": true}),
                Err(_) => json!({"error": "canceled"}),
            }
        }
        "hasPendingSynthetic" => {
            let id = played_connection(&connection).await;
            json!({"value": player.has_pending_synthetic(&id)})
        }
        other => panic!("unknown step {other}"),
    }
}

/// Which recorded connection is played: units of no other are taken.
async fn played_connection(connection: &Arc<dyn ProcessConnection>) -> ConnectionId {
    use cassette_format::process::UnitError;
    let nowhere = UnitPosition {
        connection_id: ConnectionId::from_recorded("nowhere"),
        chunk_seq: ChunkSeq::new(0),
        unit_index: 0,
    };
    let refused = connection.complete_input_unit(InputUnit { position: nowhere });
    match refused.await {
        Err(UnitError::WrongConnection { expected, .. }) => expected,
        other => panic!("{other:?}"),
    }
}

fn position(value: &Value) -> UnitPosition {
    UnitPosition {
        connection_id: ConnectionId::from_recorded(value["connectionId"].as_str().unwrap()),
        chunk_seq: ChunkSeq::new(value["chunkSeq"].as_u64().unwrap()),
        unit_index: value["unitIndex"].as_u64().unwrap(),
    }
}

fn launch(spec: &Value) -> Launch {
    let text = |name: &str| spec[name].as_str().unwrap_or_default();
    let mut session = SessionContext::new(
        ProviderId::from_recorded(text("provider")),
        AgentSessionId::from_recorded(text("agentSessionId")),
    );
    let root = AgentSessionId::from_recorded(text("rootAgentSessionId"));
    session.root_session = Some(root).filter(|root| !root.is_blank());
    let mut launched = LaunchSpec::new(["agent"]);
    launched.inheritance = Inheritance::Clear;
    if !text("cwd").is_empty() {
        launched = launched.in_directory(text("cwd"));
    }
    for variable in spec["env"].as_array().into_iter().flatten() {
        let (name, value) = variable.as_str().unwrap().split_once('=').unwrap();
        launched = launched.with_variable(name, value);
    }
    Launch::for_session(launched, session)
}

/// A frame as the vectors describe it, payloads in base64.
fn described(frame: &Frame) -> Value {
    let stamp = frame.stamp.as_ref().unwrap();
    let mut described = json!({
        "connectionId": stamp.connection_id.as_str(),
        "chunkSeq": stamp.chunk_seq.get(),
        "synthetic": stamp.synthetic,
    });
    match &frame.event {
        FrameEvent::Stdout(bytes) => described["stdout"] = payload::of(bytes),
        FrameEvent::Stderr(bytes) => described["stderr"] = payload::of(bytes),
        FrameEvent::Exit(code) => described["exitCode"] = json!(code.get()),
        _ => {}
    }
    if let Some(message) = &frame.message {
        described["message"] = json!(message);
    }
    described
}

/// The clock of the other vectors is not the real one.
#[test]
fn vectors_with_times_pass_on_the_real_clock_too() {
    let timed = ["speed-normal", "probe-absent-on-recv", "pause-blocks"];
    let vectors = crate::vector::all(&crate::vector::folder());
    let mut played = 0;
    for vector in &vectors {
        if vector.kind == crate::vector::Kind::Replay && timed.contains(&vector.name.as_str()) {
            assert_eq!(run_on(vector, &vector.expect, false), Outcome::Passed);
            played += 1;
        }
    }
    assert_eq!(played, timed.len());
}
