//! A model on the loopback interface that says little and can have one command run. It knows no
//! state: an answer depends on the newest thing that was asked, and on whether a tool has run since.

mod http;
mod messages;
mod responses;

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use http::Request;

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
    let body = &request.body;
    match request.path.as_str() {
        path if path.ends_with("/responses") => http::stream(stream, responses::events(body)),
        path if path.ends_with("/count_tokens") => {
            http::answer(stream, "200 OK", &json!({"input_tokens": 1}))
        }
        path if path.ends_with("/messages") && body["stream"] == true => {
            http::stream(stream, messages::events(body))
        }
        path if path.ends_with("/messages") => http::answer(stream, "200 OK", &messages::whole()),
        path => http::answer(stream, "404 Not Found", &json!({"no": path})),
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
