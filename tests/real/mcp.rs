//! Servers of the Model Context Protocol, and its official clients in Python and TypeScript.

use std::ffi::OsString;
use std::process::Command;

use serde_json::{Value, json};

use crate::packages::{Packages, command};
use crate::place::Place;
use crate::studio::{Agent, Asks, Change, Client, Studio, Told};

const PYTHON: &str = "python/bin/python";
const TYPESCRIPT_SDK: &str = "npm/node_modules/@modelcontextprotocol/sdk";

/// A server, and what is done with it.
struct Server {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    /// The steps of a client in a directory; one of two texts stands in one of them, at `place`.
    steps: fn(&Place, text: &str) -> Value,
    texts: [&'static str; 2],
    place: &'static str,
}

/// A client in another language, which follows steps.
struct Sdk<'s> {
    /// What comes before the steps.
    words: Vec<OsString>,
    server: &'s Server,
}

impl Client for Sdk<'_> {
    fn talk(&self, command: Command, place: &Place, asks: Asks) -> Told {
        let [recorded, other] = self.server.texts;
        let text = match asks {
            Asks::TheSame => recorded,
            Asks::SomethingElse => other,
        };
        let steps = (self.server.steps)(place, text).to_string();
        let transcript = place.home.join("transcript");
        let mut client = Command::new(&self.words[0]);
        client.args(&self.words[1..]).arg(steps).arg(&transcript);
        client.arg(command.get_program()).args(command.get_args());
        client.current_dir(&place.directory).env_clear();
        let variables = command.get_envs();
        client.envs(variables.filter_map(|(name, value)| Some((name, value?))));
        let output = client.output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let lines = std::fs::read_to_string(transcript).unwrap();
        let messages = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let messages: Vec<Value> = messages.collect();
        let is_refused = |message: &Value| message[1]["isError"] == true;
        assert!(!messages.iter().any(is_refused), "{messages:#?}");
        Told {
            messages: place.anywhere(&messages),
            exit_code: None,
            errors,
        }
    }
}

impl Server {
    /// Each client records the server and is played to.
    fn meet_both_clients(&self) {
        let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/real/clients");
        let python = |packages: &Packages| {
            let script = format!("{scripts}/mcp_client.py");
            command(&packages.path(PYTHON), &[&script])
        };
        self.meet("Python", PYTHON, python);
        let typescript = |packages: &Packages| {
            let script = format!("{scripts}/mcp_client.mjs");
            let mut words = vec!["node".into(), script.into()];
            words.push(packages.path(TYPESCRIPT_SDK).into());
            words
        };
        self.meet("TypeScript", TYPESCRIPT_SDK, typescript);
    }

    fn meet(&self, client: &str, needed: &str, words: impl Fn(&Packages) -> Vec<OsString>) {
        let name = format!("{} and the {client} client", self.name);
        let Some(packages) = Packages::with(&name, &[self.program, needed]) else {
            return;
        };
        let program = packages.path(self.program).into();
        let arguments = self.arguments.iter().map(OsString::from);
        let studio = Studio::new(Agent {
            name,
            command: std::iter::once(program).chain(arguments).collect(),
            settle: Box::new(|place| {
                let memory = place.home.join("memory.jsonl");
                vec![("MEMORY_FILE_PATH", memory.into())]
            }),
        });
        let client = Sdk {
            words: words(&packages),
            server: self,
        };
        let change = Change {
            method: "tools/call",
            place: self.place,
        };
        studio.record_and_play(&client, &change);
    }
}

/// Of everything there is in the protocol, something, and all that a server may ask.
#[test]
fn the_server_of_everything_says_elsewhere_what_it_was_recorded_saying() {
    let server = Server {
        name: "server-everything",
        program: "npm/node_modules/.bin/mcp-server-everything",
        arguments: &["stdio"],
        steps: |_, text| {
            json!([
                ["tools"],
                ["resources"],
                ["prompts"],
                ["call", "echo", {"message": text}],
                ["call", "trigger-sampling-request", {"prompt": "Say it", "maxTokens": 10}],
                ["call", "trigger-elicitation-request", {}],
                ["call", "trigger-long-running-operation", {"duration": 1, "steps": 3}],
                ["together", ["echo", {"message": "señor 🌍"}], ["get-sum", {"a": 1.5, "b": 2}]],
                ["read", "demo://resource/static/document/architecture.md"],
                ["prompt", "args-prompt", {"city": "Bern"}],
            ])
        },
        texts: ["Hello", "Hallo"],
        place: "$.params.arguments.message",
    };
    server.meet_both_clients();
}

/// Paths both ways, and roots.
#[test]
fn a_server_of_files_says_elsewhere_what_it_was_recorded_saying() {
    let server = Server {
        name: "server-filesystem",
        program: "npm/node_modules/.bin/mcp-server-filesystem",
        arguments: &["."],
        steps: |place, text| {
            json!([
                ["tools"],
                ["call", "read_text_file", {"path": place.directory.join("notes.txt")}],
                ["call", "list_directory", {"path": place.directory}],
                ["call", "write_file", {"path": "new.txt", "content": text}],
                ["call", "directory_tree", {"path": place.directory}],
            ])
        },
        texts: ["eggs\n", "ham\n"],
        place: "$.params.arguments.content",
    };
    server.meet_both_clients();
}

#[test]
fn a_server_of_memories_says_elsewhere_what_it_was_recorded_saying() {
    let server = Server {
        name: "server-memory",
        program: "npm/node_modules/.bin/mcp-server-memory",
        arguments: &[],
        steps: |_, text| {
            let ada = json!({"name": "Ada", "entityType": "person", "observations": [text]});
            let bern = json!({"name": "Bern", "entityType": "city", "observations": []});
            let lives = json!({"from": "Ada", "to": "Bern", "relationType": "lives in"});
            json!([
                ["tools"],
                ["call", "create_entities", {"entities": [ada, bern]}],
                ["call", "create_relations", {"relations": [lives]}],
                ["call", "read_graph", {}],
                ["call", "search_nodes", {"query": "ber"}],
            ])
        },
        texts: ["tall", "small"],
        place: "$.params.arguments.entities[0].observations[0]",
    };
    server.meet_both_clients();
}

/// A server in Python, of the newest version of the protocol.
#[test]
fn a_server_of_the_time_says_later_what_it_was_recorded_saying() {
    let server = Server {
        name: "mcp-server-time",
        program: "python/bin/mcp-server-time",
        arguments: &["--local-timezone", "UTC"],
        steps: |_, text| {
            json!([
                ["tools"],
                ["call", "get_current_time", {"timezone": "UTC"}],
                ["call", "get_current_time", {"timezone": text}],
            ])
        },
        texts: ["Asia/Tokyo", "Europe/Zurich"],
        place: "$.params.arguments.timezone",
    };
    server.meet_both_clients();
}
