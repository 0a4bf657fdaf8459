//! Agents of the Agent Client Protocol.

use std::ffi::OsString;

use serde_json::{Value, json};

use crate::line_client::{Closed, Follow, LineClient, Script};
use crate::model::{KEY, Model};
use crate::packages::{Packages, command};
use crate::studio::{Agent, Change, Settle, Studio};
use crate::{claude, codex};

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
    turn(client, session, prompt)
}

/// The same with an agent that outlives its input.
fn two_turns_and_an_end(client: &mut LineClient, prompt: &str) -> Result<(), Closed> {
    two_turns(client, prompt)?;
    client.terminate();
    Ok(())
}

/// Records an agent and plays it.
fn meet(program: &str, arguments: &[&str], settle: fn(&Model) -> Settle, follow: Follow) {
    let name = program.rsplit('/').next().unwrap();
    let Some(packages) = Packages::with(name, &[program]) else {
        return;
    };
    let model = Model::start();
    let studio = Studio::new(Agent {
        name: name.to_owned(),
        command: command(&packages.path(program), arguments),
        settle: settle(&model),
    });
    let script = Script {
        follow,
        prompt: "Run touch made-by-the-agent",
        other_prompt: "Run touch something-else",
    };
    let change = Change {
        method: "session/prompt",
        place: "$.params.prompt[0].text",
    };
    let shelf = studio.record_and_play(&script, &change);
    shelf.lacks(KEY);
    // Two requests, two prompts, one yes.
    assert_eq!(shelf.counts()[0], 5);
}

#[test]
fn claude_behind_an_adapter_says_elsewhere_what_it_was_recorded_saying() {
    let program = "npm/node_modules/.bin/claude-code-acp";
    meet(program, &[], claude::settle, two_turns_and_an_end);
}

#[test]
fn codex_behind_an_adapter_says_elsewhere_what_it_was_recorded_saying() {
    let program = "npm/node_modules/.bin/codex-acp";
    meet(program, &[], codex::settle, two_turns_and_an_end);
}

#[test]
fn opencode_says_elsewhere_what_it_was_recorded_saying() {
    let program = "npm/node_modules/.bin/opencode";
    meet(program, &["acp"], opencode, two_turns);
}

fn opencode(model: &Model) -> Settle {
    let options = json!({"baseURL": format!("{}/v1", model.url()), "apiKey": KEY});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible",
        "name": "own",
        "options": options,
        "models": {"model": {"name": "model", "tool_call": true}},
    });
    let config = json!({
        "autoupdate": false,
        "share": "disabled",
        "model": "own/model",
        "small_model": "own/model",
        "enabled_providers": ["own"],
        "permission": {"bash": "ask", "edit": "ask"},
        "provider": {"own": provider},
    });
    Box::new(move |place| {
        let home = place.home.join(".config/opencode");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("opencode.json"), config.to_string()).unwrap();
        let off = [
            "OPENCODE_DISABLE_AUTOUPDATE",
            "OPENCODE_DISABLE_MODELS_FETCH",
            "OPENCODE_DISABLE_LSP_DOWNLOAD",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS",
        ];
        off.map(|name| (name, "1".into())).into()
    })
}

#[test]
fn qwen_code_says_elsewhere_what_it_was_recorded_saying() {
    let program = "npm/node_modules/.bin/qwen";
    meet(
        program,
        &["--acp", "--auth-type", "openai"],
        qwen,
        two_turns,
    );
}

fn qwen(model: &Model) -> Settle {
    let url = OsString::from(format!("{}/v1", model.url()));
    let settings = json!({
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"disableAutoUpdate": true},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    Box::new(move |place| {
        let home = place.home.join(".qwen");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("settings.json"), settings.to_string()).unwrap();
        vec![
            ("OPENAI_API_KEY", KEY.into()),
            ("OPENAI_BASE_URL", url.clone()),
            ("OPENAI_MODEL", "model".into()),
            // It takes every way through the proxy, that to the model too.
            ("HTTPS_PROXY", "".into()),
            ("https_proxy", "".into()),
        ]
    })
}
