//! Replay vectors: a tape is loaded and played by a scripted client, on a
//! paused clock.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use cassette_format::process::{
    Frame, FrameEvent, Launch, LaunchSpec, ProcessConnection, ProcessTransport, SessionContext,
};
use cassette_format::schema::{AgentSessionId, ProviderId};
use cassette_format::store::{ReadOptions, Tape};
use cassette_replay::{PlayOptions, Player};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::class;
use crate::outcome::same;
use crate::payload;
use crate::vector::{Outcome, Vector};

/// Loads the tape of `vector` and plays its steps.
pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    let files = vector.input["files"].as_object().into_iter().flatten();
    for (name, text) in files {
        fs::write(scratch.path().join(name), text.as_str().unwrap()).unwrap();
    }
    let registry = provider_adapters::builtin();
    let options = ReadOptions::default().for_providers(registry.providers());
    let tape = Tape::open(scratch.path(), &options);
    let loaded = match &tape {
        Ok(_) => json!({"ok": true}),
        Err(error) => json!({"error": class::of_open(error)}),
    };
    if let Err(reason) = same("load", &expect["load"], &loaded) {
        return Outcome::Failed(reason);
    }
    let Ok(tape) = tape else {
        return Outcome::Passed;
    };
    let player = Player::new(tape, registry, PlayOptions::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(play(&player, &vector.input["ops"], &expect["ops"]))
}

async fn play(player: &Player, ops: &Value, expected: &Value) -> Outcome {
    let mut connections = HashMap::new();
    for (at, op) in ops.as_array().into_iter().flatten().enumerate() {
        let Some(actual) = step(player, &mut connections, op).await else {
            return Outcome::NotCovered;
        };
        if let Err(reason) = same(&format!("step {}", at + 1), &expected[at], &actual) {
            return Outcome::Failed(reason);
        }
    }
    Outcome::Passed
}

/// What a step comes to; `None` when it is not covered.
async fn step(
    player: &Player,
    connections: &mut HashMap<String, Arc<dyn ProcessConnection>>,
    op: &Value,
) -> Option<Value> {
    let name = op["conn"].as_str().unwrap_or_default().to_owned();
    let limit = Duration::from_millis(op["timeoutMs"].as_u64().unwrap_or(3000));
    let connection = connections.get(&name).cloned();
    Some(match op["op"].as_str()? {
        "start" => match player.start(launch(&op["spec"])).await {
            Ok(connection) => {
                let records = &player.tape().manifest().connections;
                let record = records.get(connections.len())?;
                connections.insert(name, connection);
                json!({
                    "ok": true,
                    "connectionId": record.connection_id.as_str(),
                    "captureOrigin": record.capture_origin.as_str(),
                })
            }
            Err(error) => json!({"error": class::of_start(&error)}),
        },
        "send" => match timeout(limit, connection?.send(&payload::bytes(&op["data"]))).await {
            Ok(Ok(())) => json!({"ok": true}),
            Ok(Err(error)) => json!({"error": class::of_send(&error)}),
            Err(_) => json!({"blocked": true}),
        },
        "recv" => match timeout(limit, connection?.recv()).await {
            Ok(Ok(Some(frame))) => json!({"frame": described(&frame)}),
            Ok(Ok(None)) => json!({"error": "eof"}),
            Ok(Err(error)) => json!({"error": class::of_recv(&error)}),
            Err(_) => json!({"blocked": true}),
        },
        "close" => match connection?.close().await {
            Ok(()) => json!({"ok": true}),
            Err(error) => json!({"error": class::of_control(&error)}),
        },
        "verifyComplete" => match player.verify_complete() {
            Ok(()) => json!({"ok": true}),
            Err(error) => json!({"error": class::of_incomplete(&error)}),
        },
        "playbackState" => {
            let state = player.playback().state();
            json!({"state": {
                "drained": state.drained,
                "fastForward": state.fast_forward,
                "paused": state.paused,
                "speed": state.speed,
            }})
        }
        _ => return None,
    })
}

fn launch(spec: &Value) -> Launch {
    let text = |name: &str| spec[name].as_str().unwrap_or_default();
    let mut session = SessionContext::new(
        ProviderId::from_recorded(text("provider")),
        AgentSessionId::from_recorded(text("agentSessionId")),
    );
    let root = AgentSessionId::from_recorded(text("rootAgentSessionId"));
    session.root_session = Some(root).filter(|root| !root.is_blank());
    Launch::for_session(LaunchSpec::new(["agent"]), session)
}

/// A frame as the vectors describe it, payloads in base64.
fn described(frame: &Frame) -> Value {
    let stamp = frame.stamp.as_ref().unwrap();
    let mut described = json!({
        "connectionId": stamp.connection_id.as_str(),
        "chunkSeq": stamp.chunk_seq.get(),
        "synthetic": stamp.synthetic,
    });
    let base64 = |bytes: &[u8]| {
        use base64::Engine;
        json!({"base64": base64::engine::general_purpose::STANDARD.encode(bytes)})
    };
    match &frame.event {
        FrameEvent::Stdout(bytes) => described["stdout"] = base64(bytes),
        FrameEvent::Stderr(bytes) => described["stderr"] = base64(bytes),
        FrameEvent::Exit(code) => described["exitCode"] = json!(code.get()),
        _ => {}
    }
    if let Some(message) = &frame.message {
        described["message"] = json!(message);
    }
    described
}
