//! Record vectors: a scripted process is recorded, then what is on disk is read.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use cassette_format::descriptor::Registry;
use cassette_format::process::{
    ControlError, ExitCode, Frame, FrameParts, Inheritance, Launch, LaunchSpec, ProcessConnection,
    ProcessTransport, RecvError, SendError, SessionContext, StartError,
};
use cassette_format::schema::{AgentSessionId, ProviderId, RecordingId, TapeLimits};
use cassette_record::{RecordOptions, Recorder, RecordingTransport, SessionRecordingTransport};
use serde_json::{Value, json};

use crate::class;
use crate::outcome::same;
use crate::payload;
use crate::recorded;
use crate::vector::{Outcome, Vector};

pub(crate) fn run(vector: &Vector, expect: &Value) -> Outcome {
    let scratch = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut stage = Stage::new(scratch.path(), &vector.input);
    let ops = vector.input["ops"].as_array().into_iter().flatten();
    for (at, op) in ops.enumerate() {
        let actual = runtime.block_on(stage.step(op));
        let wanted = &expect["ops"][at];
        if let Err(reason) = same(&format!("step {} {op}", at + 1), wanted, &actual) {
            return Outcome::Failed(reason);
        }
    }
    drop(stage);
    let registry = provider_adapters::builtin();
    match recorded::compare(scratch.path(), &registry, &expect["cassettes"]) {
        Ok(()) => Outcome::Passed,
        Err(reason) => Outcome::Failed(reason),
    }
}

/// What is recorded, and by what.
struct Stage {
    base: Scripted,
    recorder: Option<Recorder>,
    transport: Transport,
    connections: HashMap<String, Arc<dyn ProcessConnection>>,
    folder: PathBuf,
}

enum Transport {
    Recording(RecordingTransport),
    Session(Box<SessionRecordingTransport>),
}

impl Stage {
    fn new(folder: &Path, input: &Value) -> Self {
        let registry: Registry = provider_adapters::builtin();
        let mut options = RecordOptions::default();
        let limit = |name: &str| input["limits"][name].as_u64();
        options.limits = TapeLimits {
            max_frame_bytes: limit("maxFrameBytes").unwrap_or(options.limits.max_frame_bytes),
            max_stored_bytes: limit("maxStoredBytes").unwrap_or(options.limits.max_stored_bytes),
        };
        let base = Scripted::default();
        let (recorder, transport) = if input["transport"] == "session-recording" {
            let transport = SessionRecordingTransport::new(base.clone(), registry, options);
            (None, Transport::Session(Box::new(transport)))
        } else {
            let recorder = Recorder::create(folder.join("tape"), registry, options).unwrap();
            let transport = recorder.wrap(base.clone());
            (Some(recorder), Transport::Recording(transport))
        };
        Self {
            base,
            recorder,
            transport,
            connections: HashMap::new(),
            folder: folder.to_owned(),
        }
    }

    async fn step(&mut self, op: &Value) -> Value {
        let text = |name: &str| op[name].as_str().unwrap_or_default().to_owned();
        let connection = self.connections.get(&text("conn")).cloned();
        *self.base.fails.lock().unwrap() = op["baseFails"] == true;
        match text("op").as_str() {
            "start" => {
                let launch = launch(&op["spec"]);
                let started = match &self.transport {
                    Transport::Recording(transport) => transport.start(launch).await,
                    Transport::Session(transport) => transport.start(launch).await,
                };
                match started {
                    Ok(connection) => {
                        self.connections.insert(text("conn"), connection);
                        json!({"ok": true})
                    }
                    Err(error) => json!({"error": class::of_start(&error)}),
                }
            }
            "send" => match connection.unwrap().send(&payload::bytes(&op["data"])).await {
                Ok(()) => json!({"ok": true}),
                Err(error) => json!({"error": class::of_send(&error)}),
            },
            "recv" => {
                let frame = match frame(&op["frame"]) {
                    Ok(frame) => frame,
                    Err(class) => return json!({"error": class}),
                };
                self.base.next.lock().unwrap().clone_from(&frame);
                match connection.unwrap().recv().await {
                    Ok(Some(received)) => described(&frame.unwrap(), &received),
                    Ok(None) => json!({"error": "eof"}),
                    Err(error) => json!({"error": class::of_recv(&error)}),
                }
            }
            "close" => match connection.unwrap().close().await {
                Ok(()) => json!({"ok": true}),
                Err(error) => json!({"error": class::of_control(&error)}),
            },
            other => self.control(other, op).await,
        }
    }

    async fn control(&self, name: &str, op: &Value) -> Value {
        let text = |name: &str| op[name].as_str().unwrap_or_default();
        let root = AgentSessionId::from_recorded(text("root"));
        let outcome = match (&self.transport, name) {
            (Transport::Session(transport), "arm") => {
                let dir = self.folder.join(op["directory"].as_str().unwrap_or("tape"));
                // That it is there is the type's to say.
                let id: Result<RecordingId, _> = text("recordingId").parse();
                id.map_err(|_| "recording-id-required").and_then(|id| {
                    let armed = transport.arm(&root, &id, dir);
                    armed.map_err(|error| class::of_arm(&error))
                })
            }
            (Transport::Session(transport), "complete") => transport
                .complete(&root)
                .map_err(|error| class::of_capture(&error)),
            (Transport::Session(transport), "cancel") => transport
                .cancel(&root)
                .map_err(|error| class::of_capture(&error)),
            (Transport::Session(transport), "finalize") => transport
                .finalize()
                .await
                .map_err(|error| class::of_capture(&error)),
            (Transport::Recording(_), "finalize") => {
                let finished = self.recorder.as_ref().unwrap().finish();
                finished.map(drop).map_err(|error| class::of_finish(&error))
            }
            (Transport::Recording(_), "abort") => {
                let aborted = self.recorder.as_ref().unwrap().abort();
                aborted.map_err(|error| class::of_finish(&error))
            }
            _ => panic!("unknown step {op}"),
        };
        match outcome {
            Ok(()) => json!({"ok": true}),
            Err(class) => json!({"error": class}),
        }
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
    session.protocol_cwd = spec["protocolCwd"].as_str().map(str::to_owned);
    let mut launch = LaunchSpec::new(["agent"]).in_directory(text("cwd"));
    launch.inheritance = Inheritance::Clear;
    for variable in spec["env"].as_array().into_iter().flatten() {
        if let Some((name, value)) = variable.as_str().unwrap().split_once('=') {
            launch = launch.with_variable(name, value);
        }
    }
    Launch::for_session(launch, session)
}

/// The frame that the process says next; `None` at its end. What has several payloads
/// the type refuses; a message alone is a frame, and whether nothing is one is the
/// recorder's to judge.
fn frame(described: &Value) -> Result<Option<Frame>, &'static str> {
    if described.is_null() {
        return Ok(None);
    }
    let message = described["message"].as_str().unwrap_or_default();
    let parts = FrameParts {
        stdout: payload::bytes(&described["stdout"]),
        stderr: payload::bytes(&described["stderr"]),
        exit_code: described["exitCode"].as_i64().map(ExitCode::new),
        message: message.to_owned(),
    };
    match Frame::from_parts(parts) {
        Ok(frame) => Ok(Some(frame)),
        Err(invalid) if invalid.found > 0 => Err("invalid-frame"),
        Err(_) if message.is_empty() => Ok(Some(Frame::stdout(Vec::new()))),
        Err(_) => Ok(Some(Frame::message_only(message))),
    }
}

/// What was received, if its bytes are those that the process said.
fn described(said: &Frame, received: &Frame) -> Value {
    assert_eq!(
        (&said.event, &said.message),
        (&received.event, &received.message)
    );
    let mut described = json!({"ok": true, "chunkSeq": 0, "connectionId": ""});
    if let Some(stamp) = &received.stamp {
        described["chunkSeq"] = json!(stamp.chunk_seq.get());
        described["connectionId"] = json!(stamp.connection_id.as_str());
        if let Some(recording_id) = &stamp.recording_id {
            described["recordingId"] = json!(recording_id.as_str());
        }
    }
    described
}

/// A process that says what it is told to.
#[derive(Clone, Default)]
struct Scripted {
    next: Arc<Mutex<Option<Frame>>>,
    fails: Arc<Mutex<bool>>,
    sent: Arc<Mutex<VecDeque<Vec<u8>>>>,
}

impl Scripted {
    fn verdict<E>(&self, error: fn(io::Error) -> E) -> Result<(), E> {
        if *self.fails.lock().unwrap() {
            Err(error(io::Error::other("scripted")))
        } else {
            Ok(())
        }
    }
}

#[async_trait]
impl ProcessTransport for Scripted {
    async fn start(&self, _: Launch) -> Result<Arc<dyn ProcessConnection>, StartError> {
        self.verdict(|source| StartError::Spawn {
            command: "agent".into(),
            source,
        })?;
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl ProcessConnection for Scripted {
    async fn send(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.verdict(SendError::Write)?;
        self.sent.lock().unwrap().push_back(bytes.to_vec());
        Ok(())
    }

    async fn recv(&self) -> Result<Option<Frame>, RecvError> {
        self.verdict(RecvError::Read)?;
        Ok(self.next.lock().unwrap().take())
    }

    async fn close_input(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn terminate(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn kill(&self) -> Result<(), ControlError> {
        Ok(())
    }

    async fn close(&self) -> Result<(), ControlError> {
        self.verdict(|source| ControlError::Signal {
            action: "close",
            source,
        })
    }
}

#[test]
fn a_described_frame_is_what_the_process_says() {
    let said = frame(&json!({"stdout": {"text": "x"}, "message": "m"}));
    assert_eq!(said, Ok(Some(Frame::stdout("x").with_message("m"))));
    let both = json!({"stdout": {"text": "x"}, "exitCode": 1});
    assert_eq!(frame(&both), Err("invalid-frame"));
    assert_eq!(
        frame(&json!({"message": "m"})),
        Ok(Some(Frame::message_only("m")))
    );
    assert_eq!(frame(&Value::Null), Ok(None));
}
