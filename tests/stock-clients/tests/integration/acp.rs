//! The client of `agent-client-protocol`.

use std::path::{Path, PathBuf};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ContentBlock, FileSystemCapabilities, Implementation, InitializeRequest,
    LoadSessionRequest, NewSessionRequest, PromptRequest, ReadTextFileRequest,
    ReadTextFileResponse, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionId, SessionNotification,
    TextContent,
};
use agent_client_protocol::{
    Agent, ByteStreams, Client, Error, on_receive_notification, on_receive_request,
};
use cassette_format::process::ProcessTransport as _;
use cassette_replay::PlayOptions;
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use crate::studio::{Streams, Studio, Told, elsewhere};

const AGENT: &str = env!("CARGO_BIN_EXE_acp-agent");

/// A client that prompts once, reads files for the agent, and gives the same answer
/// whenever it is asked for permission.
struct Editor {
    version: &'static str,
    /// The session that it loads, which it has from another run; a new one if absent.
    session: Option<&'static str>,
    permission: &'static str,
}

impl Editor {
    const fn new(version: &'static str) -> Self {
        Self {
            version,
            session: None,
            permission: "yes",
        }
    }

    /// Everything that the agent says, in order.
    async fn prompt(self, streams: Streams, cwd: &Path) -> Vec<String> {
        self.try_prompt(streams, cwd).await.unwrap()
    }

    async fn try_prompt(self, (output, input): Streams, cwd: &Path) -> Result<Vec<String>, Error> {
        let told = Told::default();
        let [updates, files, permissions] = [told.clone(), told.clone(), told.clone()];
        let (permission, cwd, answers) = (self.permission, cwd.to_owned(), told.clone());
        Client
            .v1()
            .on_receive_notification(
                async move |update: SessionNotification, _| {
                    updates.add(&update);
                    Ok(())
                },
                on_receive_notification!(),
            )
            .on_receive_request(
                async move |request: ReadTextFileRequest, responder, _| {
                    files.add(&request);
                    let text = std::fs::read_to_string(&request.path);
                    let text = text.map_err(Error::into_internal_error);
                    responder.respond_with_result(text.map(ReadTextFileResponse::new))
                },
                on_receive_request!(),
            )
            .on_receive_request(
                async move |request: RequestPermissionRequest, responder, _| {
                    permissions.add(&request);
                    let selected = SelectedPermissionOutcome::new(permission);
                    let outcome = RequestPermissionOutcome::Selected(selected);
                    responder.respond(RequestPermissionResponse::new(outcome))
                },
                on_receive_request!(),
            )
            .connect_with(
                ByteStreams::new(input.compat_write(), output.compat()),
                async move |agent: ConnectionTo<Agent>| self.ask(&agent, cwd, &answers).await,
            )
            .await?;
        Ok(told.take())
    }

    async fn ask(
        &self,
        agent: &ConnectionTo<Agent>,
        cwd: PathBuf,
        told: &Told,
    ) -> Result<(), Error> {
        let files = FileSystemCapabilities::new().read_text_file(true);
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_info(Implementation::new("editor", self.version))
            .client_capabilities(ClientCapabilities::new().fs(files));
        told.add(&agent.send_request(hello).block_task().await?);
        let session = self.enter_session(agent, cwd, told).await?;
        let text = ContentBlock::Text(TextContent::new("Answer my notes."));
        let prompt = PromptRequest::new(session, vec![text]);
        told.add(&agent.send_request(prompt).block_task().await?);
        Ok(())
    }

    async fn enter_session(
        &self,
        agent: &ConnectionTo<Agent>,
        cwd: PathBuf,
        told: &Told,
    ) -> Result<SessionId, Error> {
        if let Some(session) = self.session {
            let load = LoadSessionRequest::new(session, cwd);
            told.add(&agent.send_request(load).block_task().await?);
            return Ok(SessionId::new(session));
        }
        let made = agent.send_request(NewSessionRequest::new(cwd));
        let made = made.block_task().await?;
        told.add(&made);
        Ok(made.session_id)
    }
}

#[tokio::test]
async fn an_editor_is_told_by_the_player_what_the_agent_told_it_elsewhere() {
    let studio = Studio::new("acp", [AGENT]);
    let here = studio.directory("here");
    let editor = async |streams: Streams, cwd: &Path| Editor::new("1.0").prompt(streams, cwd).await;
    let recorded = studio.record(&here, editor).await;
    // Initialized, new session, three words, a file read, a call, a permission, what
    // became of the call, a word, the end of the turn.
    assert_eq!(recorded.len(), 11, "{recorded:#?}");
    let answer = std::fs::read_to_string(here.join("answer.txt")).unwrap();
    assert_eq!(answer, "BUY MILK\n");

    for (name, options) in [
        ("at-once", PlayOptions::fast_forward()),
        ("in-its-time", PlayOptions::default()),
    ] {
        let there = studio.directory(name);
        let newer =
            async |streams: Streams, cwd: &Path| Editor::new("1.1").prompt(streams, cwd).await;
        let played = studio.play(options, &there, newer).await;
        assert_eq!(played, elsewhere(&recorded, &here, &there));
        assert!(!there.join("answer.txt").exists(), "an agent was there");
    }
}

#[tokio::test]
async fn an_editor_that_loads_its_own_session_is_told_of_that_one() {
    let studio = Studio::new("acp", [AGENT]);
    let load = |session| {
        let editor = Editor {
            session: Some(session),
            ..Editor::new("1.0")
        };
        async move |streams: Streams, cwd: &Path| editor.prompt(streams, cwd).await
    };
    let here = studio.directory("here");
    let recorded = studio.record(&here, load("session-kept-here")).await;
    let of_session = |told: &[String], session: &str| {
        let told = told.iter().filter(|message| message.contains(session));
        told.count()
    };
    assert_eq!(of_session(&recorded, "session-kept-here"), 9);

    let there = studio.directory("there");
    let options = PlayOptions::fast_forward();
    let played = studio
        .play(options, &there, load("session-kept-there"))
        .await;
    let mut expected = elsewhere(&recorded, &here, &there);
    for message in &mut expected {
        *message = message.replace("session-kept-here", "session-kept-there");
    }
    assert_eq!(played, expected);
}

#[tokio::test]
async fn an_editor_that_answers_otherwise_than_recorded_is_refused() {
    let studio = Studio::new("acp", [AGENT]);
    let here = studio.directory("here");
    let editor = async |streams: Streams, cwd: &Path| Editor::new("1.0").prompt(streams, cwd).await;
    studio.record(&here, editor).await;
    let there = studio.directory("there");
    let stubborn = Editor {
        permission: "no",
        ..Editor::new("1.0")
    };
    let player = studio.player(PlayOptions::fast_forward());
    let connection = player.start(studio.launch("played", &there)).await.unwrap();
    let (output, input, ..) = connection.into_stdio().into_parts();
    let refused = stubborn.try_prompt((output, input), &there).await;
    let told = refused.unwrap_err().data.unwrap().to_string();
    let place = "$.result.outcome.optionId: expected \\\"yes\\\", found \\\"no\\\"";
    assert!(told.contains(place), "{told}");
}
