//! OpenAI Codex, `codex app-server`.

use serde_json::{Value, json};

use crate::line_client::{Closed, LineClient, Script};
use crate::model::{KEY, Model};
use crate::packages::{Packages, command};
use crate::place::Place;
use crate::studio::{Agent, Change, Settle, Studio};

const CODEX: &str = "npm/node_modules/.bin/codex";

/// Codex in this model's company.
pub(crate) fn settle(model: &Model) -> Settle {
    let url = model.url();
    Box::new(move |place| {
        let home = place.home.join("codex home");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("config.toml"), config(&url)).unwrap();
        vec![("CODEX_HOME", home.into()), ("MODEL_API_KEY", KEY.into())]
    })
}

fn agent(packages: &Packages, model: &Model) -> Agent {
    Agent {
        name: "codex".to_owned(),
        command: command(&packages.path(CODEX), &["app-server"]),
        settle: settle(model),
    }
}

fn config(url: &str) -> String {
    format!(
        "model = \"model\"\nmodel_provider = \"own\"\ncheck_for_update_on_startup = false\n\
         [model_providers.own]\nname = \"own\"\nbase_url = \"{url}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"MODEL_API_KEY\"\n\
         request_max_retries = 0\nstream_max_retries = 0\n\
         [analytics]\nenabled = false\n[feedback]\nenabled = false\n"
    )
}

/// Says yes to what the agent asks for.
fn accept(message: &Value) -> Option<Value> {
    let method = message["method"].as_str()?;
    let asks = method.ends_with("/requestApproval");
    asks.then(|| json!({"id": message["id"], "result": {"decision": "accept"}}))
}

fn turn(client: &mut LineClient, thread: &Value, text: &str) -> Result<(), Closed> {
    let message = client.new_id();
    let params = json!({
        "threadId": thread,
        "clientUserMessageId": message,
        "input": [{"type": "text", "text": text, "text_elements": []}],
    });
    client.request("turn/start", &params, &accept)?;
    client.until(&accept, &|message| message["method"] == "turn/completed")?;
    Ok(())
}

/// A thread with two turns: one that is only talk, one with a command that needs a yes.
fn two_turns(client: &mut LineClient, prompt: &str) -> Result<(), Closed> {
    let place: Place = client.place.clone();
    let info = json!({"name": "script", "title": place.user, "version": place.user});
    let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
    client.request("initialize", &params, &accept)?;
    client.say(&json!({"method": "initialized"}))?;
    client.request("model/list", &json!({}), &accept)?;
    let params = json!({
        "cwd": place.directory,
        "approvalPolicy": "untrusted",
        "sandbox": "danger-full-access",
    });
    let started = client.request("thread/start", &params, &accept)?;
    let thread = &started["result"]["thread"]["id"];
    turn(client, thread, "Tell me a story")?;
    turn(client, thread, prompt)?;
    let params = json!({"threadId": thread, "includeTurns": true});
    client.request("thread/read", &params, &accept)?;
    Ok(())
}

#[test]
fn codex_says_elsewhere_what_it_was_recorded_saying() {
    let Some(packages) = Packages::with("codex", &[CODEX]) else {
        return;
    };
    let studio = Studio::new(agent(&packages, &Model::start()));
    let script = Script {
        follow: two_turns,
        prompt: "Run touch made-by-the-agent",
        other_prompt: "Run touch something-else",
    };
    let change = Change {
        method: "turn/start",
        place: "$.params.input[0].text",
    };
    let shelf = studio.record_and_play(&script, &change);
    shelf.lacks(KEY);
    // The beginning of a client and of a thread, two turns, one yes, two looks.
    assert_eq!(shelf.counts()[0], 8);
}
