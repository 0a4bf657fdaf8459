//! Claude Code, `claude -p` with `stream-json` both ways.

use std::ffi::OsString;

use serde_json::{Value, json};

use crate::line_client::{Closed, LineClient, Script};
use crate::model::{KEY, Model};
use crate::packages::{Packages, command};
use crate::studio::{Agent, Change, Settle, Studio};

const CLAUDE: &str = "npm/node_modules/.bin/claude";
const ARGUMENTS: [&str; 11] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--permission-prompt-tool",
    "stdio",
    "--model",
    "claude-sonnet-4-5",
];

/// Claude Code in this model's company.
pub(crate) fn settle(model: &Model) -> Settle {
    let url = OsString::from(model.url());
    Box::new(move |_| {
        vec![
            ("ANTHROPIC_BASE_URL", url.clone()),
            ("ANTHROPIC_API_KEY", KEY.into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
            ("DISABLE_TELEMETRY", "1".into()),
        ]
    })
}

fn agent(packages: &Packages, model: &Model) -> Agent {
    Agent {
        name: "claude".to_owned(),
        command: command(&packages.path(CLAUDE), &ARGUMENTS),
        settle: settle(model),
    }
}

/// Lets the agent use the tool that it asks for.
fn allow(message: &Value) -> Option<Value> {
    let request = &message["request"];
    let asks = message["type"] == "control_request" && request["subtype"] == "can_use_tool";
    asks.then(|| {
        let decision = json!({"behavior": "allow", "updatedInput": request["input"]});
        let id = &message["request_id"];
        json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": id, "response": decision},
        })
    })
}

fn turn(client: &mut LineClient, text: &str) -> Result<(), Closed> {
    let id = client.new_id();
    client.say(&json!({
        "type": "user",
        "uuid": id,
        "session_id": "",
        "parent_tool_use_id": null,
        "message": {"role": "user", "content": [{"type": "text", "text": text}]},
    }))?;
    client.until(&allow, &|message| message["type"] == "result")?;
    Ok(())
}

/// Two turns: one that is only talk, one with a command that needs a yes.
fn two_turns(client: &mut LineClient, prompt: &str) -> Result<(), Closed> {
    let id = client.new_id();
    client.say(&json!({
        "type": "control_request",
        "request_id": id,
        "request": {"subtype": "initialize", "hooks": null},
    }))?;
    client.until(&allow, &|message| message["response"]["request_id"] == *id)?;
    turn(client, "Tell me a story")?;
    turn(client, prompt)
}

#[test]
fn claude_says_elsewhere_what_it_was_recorded_saying() {
    let Some(packages) = Packages::with("claude", &[CLAUDE]) else {
        return;
    };
    let studio = Studio::new(agent(&packages, &Model::start()));
    let script = Script {
        follow: two_turns,
        prompt: "Run touch made-by-the-agent",
        other_prompt: "Run touch something-else",
    };
    let change = Change {
        method: "user",
        place: "$.message.content[0].text",
    };
    let shelf = studio.record_and_play(&script, &change);
    shelf.lacks(KEY);
    // One request, two prompts, one yes.
    assert_eq!(shelf.counts()[0], 4);
}
