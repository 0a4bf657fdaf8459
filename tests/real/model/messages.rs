//! The Anthropic Messages API, as Claude Code asks it.

use serde_json::{Value, json};

use super::{Turn, text_of};

/// The tool for commands.
const BASH: &str = "Bash";

/// The answer to a request, event by event.
pub(super) fn events(body: &Value) -> Vec<Value> {
    let (block, deltas, reason) = match turn(body) {
        Turn::Run(command) => {
            let input = json!({"command": command, "description": "Does as it is told"});
            let block = json!({"type": "tool_use", "id": "toolu_1", "name": BASH, "input": {}});
            let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
            (block, vec![delta], "tool_use")
        }
        Turn::Say(words) => {
            let deltas = words.iter();
            let deltas = deltas.map(|word| json!({"type": "text_delta", "text": word}));
            (
                json!({"type": "text", "text": ""}),
                deltas.collect(),
                "end_turn",
            )
        }
    };
    let mut events = vec![
        json!({"type": "message_start", "message": message(&json!([]), &Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ];
    let deltas = deltas.into_iter();
    events.extend(
        deltas.map(|delta| json!({"type": "content_block_delta", "index": 0, "delta": delta})),
    );
    events.push(json!({"type": "content_block_stop", "index": 0}));
    events.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 5},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

/// The answer to a request of the agent's own that is not streamed.
pub(super) fn whole() -> Value {
    message(
        &json!([{"type": "text", "text": "Yes."}]),
        &json!("end_turn"),
    )
}

fn message(content: &Value, reason: &Value) -> Value {
    json!({
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "model": "model",
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    })
}

fn turn(body: &Value) -> Turn {
    let (mut prompt, mut has_run) = (String::new(), false);
    for message in body["messages"].as_array().into_iter().flatten() {
        if message["role"] != "user" {
            continue;
        }
        let text = text_of(&message["content"]);
        if !text.is_empty() {
            (prompt, has_run) = (text, false);
        }
        let mut parts = message["content"].as_array().into_iter().flatten();
        has_run |= parts.any(|part| part["type"] == "tool_result");
    }
    let mut tools = body["tools"].as_array().into_iter().flatten();
    match Turn::after(&prompt, has_run) {
        // What an agent asks for itself comes without tools.
        Turn::Run(_) if !tools.any(|tool| tool["name"] == BASH) => Turn::Say(&["Yes."]),
        turn => turn,
    }
}
