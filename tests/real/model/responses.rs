//! The OpenAI Responses API, as Codex asks it.

use serde_json::{Value, json};

use super::{Turn, is_wrapped, text_of};

/// The answer to a request, event by event.
pub(super) fn events(body: &Value) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": {"id": "resp_1"}})];
    let item = match turn(body) {
        Turn::Run(command) => call(&body["tools"], &command),
        Turn::Say(words) => {
            events.push(json!({
                "type": "response.output_item.added",
                "output_index": 0,
                "item": message(&[]),
            }));
            events.extend(words.iter().map(|word| {
                json!({
                    "type": "response.output_text.delta",
                    "item_id": "msg_1",
                    "output_index": 0,
                    "content_index": 0,
                    "delta": word,
                })
            }));
            message(words)
        }
    };
    events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    events.push(json!({
        "type": "response.completed",
        "response": {
            "id": "resp_1",
            "output": [item],
            "usage": {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 15,
            },
        },
    }));
    events
}

fn turn(body: &Value) -> Turn {
    let (mut prompt, mut has_run) = (String::new(), false);
    for item in body["input"].as_array().into_iter().flatten() {
        let text = text_of(&item["content"]);
        let kind = item["type"].as_str().unwrap_or_default();
        if item["role"] == "user" && !text.is_empty() && !is_wrapped(&text) {
            (prompt, has_run) = (text, false);
        } else if kind.ends_with("_output") {
            has_run = true;
        }
    }
    Turn::after(&prompt, has_run)
}

fn message(words: &[&str]) -> Value {
    let content = match words {
        [] => json!([]),
        words => json!([{"type": "output_text", "text": words.concat(), "annotations": []}]),
    };
    json!({"type": "message", "id": "msg_1", "role": "assistant", "content": content})
}

/// A call of the tool for commands, which has had several names.
fn call(tools: &Value, command: &str) -> Value {
    let has = |wanted: &str| {
        let mut tools = tools.as_array().into_iter().flatten();
        tools.any(|tool| tool["name"] == wanted)
    };
    let (name, mut arguments) = if has("exec_command") {
        ("exec_command", json!({"cmd": command}))
    } else if has("shell_command") {
        ("shell_command", json!({"command": command}))
    } else {
        ("shell", json!({"command": ["sh", "-c", command]}))
    };
    // So that the user is asked, in whichever mode.
    arguments["sandbox_permissions"] = json!("require_escalated");
    arguments["justification"] = json!("It has to be done.");
    json!({
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": name,
        "arguments": arguments.to_string(),
    })
}
