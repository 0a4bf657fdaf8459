//! An agent of the Agent Client Protocol: Claude Code behind Zed's adapter.

use serde_json::{Value, json};

use crate::claude::{KEY, settle};
use crate::line_client::{Closed, LineClient, Script};
use crate::model::Model;
use crate::packages::{Packages, command};
use crate::studio::{Agent, Change, Studio};

const ADAPTER: &str = "npm/node_modules/.bin/claude-code-acp";

fn agent(packages: &Packages, model: &Model) -> Agent {
    Agent {
        name: "claude-code-acp".to_owned(),
        command: command(&packages.path(ADAPTER), []),
        settle: settle(model),
    }
}

/// Lets the agent use the tool that it asks for, once.
fn allow(message: &Value) -> Option<Value> {
    if message["method"] != "session/request_permission" {
        return None;
    }
    let options = message["params"]["options"].as_array()?;
    let option = options
        .iter()
        .find(|option| option["kind"] == "allow_once")?;
    let outcome = json!({"outcome": "selected", "optionId": option["optionId"]});
    let id = &message["id"];
    Some(json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}))
}

fn turn(client: &mut LineClient, session: &Value, text: &str) -> Result<(), Closed> {
    let prompt = json!([{"type": "text", "text": text}]);
    let params = json!({"sessionId": session, "prompt": prompt});
    client.request("session/prompt", &params, &allow)?;
    Ok(())
}

/// A session with two turns: one that is only talk, one with a command that needs a yes.
fn two_turns(client: &mut LineClient, prompt: &str) -> Result<(), Closed> {
    let user = client.place.user;
    let params = json!({
        "protocolVersion": 1,
        "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true}},
        "clientInfo": {"name": "script", "title": user, "version": user},
    });
    client.request("initialize", &params, &allow)?;
    let params = json!({"cwd": client.place.directory, "mcpServers": []});
    let session = client.request("session/new", &params, &allow)?;
    let session = &session["result"]["sessionId"];
    turn(client, session, "Tell me a story")?;
    turn(client, session, prompt)?;
    client.terminate();
    Ok(())
}

#[test]
fn an_acp_agent_says_elsewhere_what_it_was_recorded_saying() {
    let Some(packages) = Packages::with("claude-code-acp", &[ADAPTER]) else {
        return;
    };
    let studio = Studio::new(agent(&packages, &Model::start()));
    let script = Script {
        follow: two_turns,
        prompt: "Run touch made-by-the-agent",
        other_prompt: "Run touch something-else",
    };
    let change = Change {
        method: "session/prompt",
        place: "$.params.prompt[0].text",
    };
    studio.record_and_play(&script, &change).lacks(KEY);
}
