//! A model on the loopback interface that says little and can have one command run. It knows no
//! state: an answer depends on the newest thing that was asked, and on whether a tool has run since.

mod chat;
mod http;
mod messages;
mod responses;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use http::Request;

/// What the model is asked with; it is on no tape.
pub(crate) const KEY: &str = "the-key-of-a-model";

/// What a prompt begins with that has a command run.
const RUN: &str = "Run ";

/// A model that answers as long as the test runs.
#[derive(Debug)]
pub(crate) struct Model {
    address: SocketAddr,
}

/// What the model does next.
enum Turn {
    Say(&'static [&'static str]),
    Run(String),
}

impl Model {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that goes away is no matter of the model's.
                thread::spawn(move || drop(serve(stream)));
            }
        });
        Self { address }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(stream: TcpStream) -> std::io::Result<()> {
    let Some(request) = Request::read(&stream)? else {
        return Ok(());
    };
    let Request { path, body } = request;
    let streams = body["stream"] == true;
    let asked = |ending: &str| path.ends_with(ending);
    if asked("/responses") {
        http::stream(stream, &responses::events(&body))
    } else if asked("/messages") && streams {
        http::stream(stream, &messages::events(&body))
    } else if asked("/messages") {
        http::answer(stream, "200 OK", &messages::whole())
    } else if asked("/completions") && streams {
        http::stream(stream, &chat::events(&body))
    } else if asked("/completions") {
        http::answer(stream, "200 OK", &chat::whole())
    } else if asked("/count_tokens") {
        http::answer(stream, "200 OK", &json!({"input_tokens": 1}))
    } else {
        http::answer(stream, "404 Not Found", &json!({"error": "no such page"}))
    }
}

impl Turn {
    /// What follows a prompt, and the run of a tool where there was one.
    fn after(prompt: &str, has_run: bool) -> Self {
        match prompt.strip_prefix(RUN) {
            _ if has_run => Self::Say(&["The ", "command ", "has ", "run."]),
            Some(command) => Self::Run(command.to_owned()),
            None => Self::Say(&["That ", "is ", "a ", "long ", "story: ", "señor 🌍"]),
        }
    }
}

/// The text of a message's content, which is one or a list of parts.
fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    parts
        .filter_map(|part| part["text"].as_str())
        .filter(|text| !is_wrapped(text))
        .collect()
}

/// Agents tell the model more than the user said, in the user's name and in tags.
fn is_wrapped(text: &str) -> bool {
    text.trim_start().starts_with('<')
}
