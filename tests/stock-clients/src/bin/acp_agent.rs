//! A scripted agent that speaks the Agent Client Protocol on its standard streams. Each
//! prompt goes the same way: it says what it does, reads the client's `notes.txt`, asks
//! whether it may write `answer.txt`, and writes that itself if it may.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Diff, Implementation, InitializeRequest, InitializeResponse,
    LoadSessionRequest, LoadSessionResponse, NewSessionRequest, NewSessionResponse,
    PermissionOption, PermissionOptionKind, PromptRequest, PromptResponse, ReadTextFileRequest,
    RequestPermissionOutcome, RequestPermissionRequest, SessionId, SessionNotification,
    SessionUpdate, StopReason, TextContent, ToolCall, ToolCallContent, ToolCallLocation,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use agent_client_protocol::{Agent, ByteStreams, Client, Error, Result, on_receive_request};
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

const CALL: &str = "call-1";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let cwd = Arc::new(Mutex::new(PathBuf::new()));
    let [loaded_in, asked_in] = [Arc::clone(&cwd), Arc::clone(&cwd)];
    Agent
        .v1()
        .name("scripted-agent")
        .on_receive_request(
            async |request: InitializeRequest, responder, _| {
                let agent = Implementation::new("scripted-agent", "1.0.0");
                responder
                    .respond(InitializeResponse::new(request.protocol_version).agent_info(agent))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, _| {
                *cwd.lock().unwrap_or_else(PoisonError::into_inner) = request.cwd;
                // Another one in each run.
                let session = format!("session-of-{}", std::process::id());
                responder.respond(NewSessionResponse::new(session))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, client: ConnectionTo<Client>| {
                *loaded_in.lock().unwrap_or_else(PoisonError::into_inner) = request.cwd;
                say(&client, &request.session_id, "As I said.")?;
                responder.respond(LoadSessionResponse::new())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, client: ConnectionTo<Client>| {
                let cwd = asked_in
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .clone();
                let turn = Turn {
                    client: client.clone(),
                    session: request.session_id,
                    file: cwd.join("answer.txt"),
                };
                client.spawn(async move { responder.respond_with_result(turn.run(&cwd).await) })
            },
            on_receive_request!(),
        )
        .connect_to(ByteStreams::new(
            tokio::io::stdout().compat_write(),
            tokio::io::stdin().compat(),
        ))
        .await
}

/// What the agent does with one prompt.
struct Turn {
    client: ConnectionTo<Client>,
    session: SessionId,
    file: PathBuf,
}

impl Turn {
    async fn run(&self, cwd: &Path) -> Result<PromptResponse> {
        for word in ["Reading ", "the ", "notes."] {
            say(&self.client, &self.session, word)?;
        }
        let notes = ReadTextFileRequest::new(self.session.clone(), cwd.join("notes.txt"));
        let notes = self.client.send_request(notes).block_task().await?;
        let answer = notes.content.to_uppercase();

        self.update(SessionUpdate::ToolCall(
            ToolCall::new(CALL, "Write the answer")
                .kind(ToolKind::Edit)
                .locations(vec![ToolCallLocation::new(&self.file)]),
        ))?;
        let fields = ToolCallUpdateFields::new();
        let change = ToolCallContent::Diff(Diff::new(&self.file, &answer));
        if self.may_write(fields.clone().content(vec![change])).await? {
            std::fs::write(&self.file, answer).map_err(Error::into_internal_error)?;
            self.end_call(fields.status(ToolCallStatus::Completed))?;
            say(&self.client, &self.session, "Written.")?;
        } else {
            self.end_call(fields.status(ToolCallStatus::Failed))?;
        }
        Ok(PromptResponse::new(StopReason::EndTurn))
    }

    async fn may_write(&self, call: ToolCallUpdateFields) -> Result<bool> {
        let options = vec![
            PermissionOption::new("yes", "Write it", PermissionOptionKind::AllowOnce),
            PermissionOption::new("no", "Leave it", PermissionOptionKind::RejectOnce),
        ];
        let call = ToolCallUpdate::new(CALL, call);
        let asked = RequestPermissionRequest::new(self.session.clone(), call, options);
        let answered = self.client.send_request(asked).block_task().await?;
        Ok(matches!(
            answered.outcome,
            RequestPermissionOutcome::Selected(selected) if &*selected.option_id.0 == "yes"
        ))
    }

    fn end_call(&self, fields: ToolCallUpdateFields) -> Result<()> {
        self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            CALL, fields,
        )))
    }

    fn update(&self, update: SessionUpdate) -> Result<()> {
        tell(&self.client, &self.session, update)
    }
}

fn say(client: &ConnectionTo<Client>, session: &SessionId, text: &str) -> Result<()> {
    let content = ContentBlock::Text(TextContent::new(text));
    let chunk = SessionUpdate::AgentMessageChunk(ContentChunk::new(content));
    tell(client, session, chunk)
}

fn tell(client: &ConnectionTo<Client>, session: &SessionId, update: SessionUpdate) -> Result<()> {
    client.send_notification(SessionNotification::new(session.clone(), update))
}
