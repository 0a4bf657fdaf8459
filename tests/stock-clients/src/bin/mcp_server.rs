//! A server that speaks the Model Context Protocol on its standard streams. Its only
//! tool reads files, and says first that it has begun.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, ServiceExt as _};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    FileServer.serve(streams).await?.waiting().await?;
    Ok(())
}

struct FileServer;

impl ServerHandler for FileServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("file-server", "1.0.0"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
        let schema = serde_json::from_str::<JsonObject>(schema);
        let schema = schema.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let tool = Tool::new("read_file", "Read a file", Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if call.name != "read_file" {
            let message = format!("there is no tool {}", call.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        if let Some(token) = context.meta.get_progress_token() {
            let begun = ProgressNotificationParam::new(token, 0.5);
            let told = context.peer.notify_progress(begun).await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
        Ok(read_file(call.arguments.as_ref()).into())
    }
}

/// The file in full, as a resource of its own address; or why not.
fn read_file(arguments: Option<&JsonObject>) -> CallToolResult {
    let path = arguments.and_then(|arguments| arguments.get("path"));
    let Some(path) = path.and_then(Value::as_str) else {
        return CallToolResult::error(vec![ContentBlock::text("no path")]);
    };
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let file = ContentBlock::embedded_text(format!("file://{path}"), text);
            CallToolResult::success(vec![file])
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.kind().to_string())]),
    }
}
