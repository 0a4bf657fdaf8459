//! The OpenAI Chat Completions API, as OpenCode and Qwen Code ask it.

use serde_json::{Value, json};

use super::{Turn, text_of};

/// The tool for commands, by the names that agents give it.
const SHELLS: [&str; 2] = ["bash", "run_shell_command"];

/// The answer to a request, event by event.
pub(super) fn events(body: &Value) -> Vec<Value> {
    let mut events = Vec::new();
    let reason = match turn(body) {
        Turn::Run(command) => {
            events.push(chunk(&call(&body["tools"], &command), &Value::Null));
            "tool_calls"
        }
        Turn::Say(words) => {
            let deltas = words.iter().map(|word| json!({"content": word}));
            events.extend(deltas.map(|delta| chunk(&delta, &Value::Null)));
            "stop"
        }
    };
    events.push(chunk(&json!({}), &json!(reason)));
    let mut last = head("chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage();
    events.extend([last, json!("[DONE]")]);
    events
}

/// The answer to a request of the agent's own that is not streamed.
pub(super) fn whole() -> Value {
    let message = json!({"role": "assistant", "content": "Yes."});
    let mut whole = head("chat.completion");
    whole["choices"] = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
    whole["usage"] = usage();
    whole
}

fn head(object: &str) -> Value {
    json!({"id": "chat_1", "object": object, "created": 1, "model": "model"})
}

fn usage() -> Value {
    json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15})
}

fn chunk(delta: &Value, reason: &Value) -> Value {
    let mut chunk = head("chat.completion.chunk");
    chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": reason}]);
    chunk
}

fn turn(body: &Value) -> Turn {
    let (mut prompt, mut has_run) = (String::new(), false);
    for message in body["messages"].as_array().into_iter().flatten() {
        let text = text_of(&message["content"]);
        if message["role"] == "user" && !text.is_empty() {
            (prompt, has_run) = (text, false);
        } else if message["role"] == "tool" {
            has_run = true;
        }
    }
    match Turn::after(&prompt, has_run) {
        // What an agent asks for itself comes without tools.
        Turn::Run(_) if shell(&body["tools"]).is_none() => Turn::Say(&["Yes."]),
        turn => turn,
    }
}

fn shell(tools: &Value) -> Option<&str> {
    let tools = tools.as_array().into_iter().flatten();
    let mut names = tools.filter_map(|tool| tool["function"]["name"].as_str());
    names.find(|name| SHELLS.contains(name))
}

fn call(tools: &Value, command: &str) -> Value {
    let arguments = json!({
        "command": command,
        "description": "Does as it is told",
        "is_background": false,
    });
    let arguments = arguments.to_string();
    let function = json!({"name": shell(tools), "arguments": arguments});
    let call = json!({"index": 0, "id": "call_1", "type": "function", "function": function});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}
